import { once } from "node:events";
import { resolve } from "node:path";
import { Worker } from "node:worker_threads";
import type { InsideResult } from "./inside.ts";

/** Runs one script of Node after the other, each loaded anew, with its own arguments, environment, output and exit code. */
const runner = `
const { parentPort } = require("node:worker_threads");
const { pathToFileURL } = require("node:url");
let runs = 0;
parentPort.on("message", async ({ file, argv, env }) => {
  const ran = { code: 0, stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"])
    process[name].write = (text) => {
      ran[name] += text;
      return true;
    };
  process.argv = [process.execPath, file, ...argv];
  process.env = env;
  process.exitCode = 0;
  try {
    await import(pathToFileURL(file) + "?" + (runs += 1));
    ran.code = process.exitCode;
  } catch (error) {
    ran.code = 1;
    ran.stderr += error.stack;
  }
  parentPort.postMessage(ran);
});`;

let thread: Worker | undefined;
let last: Promise<unknown> = Promise.resolve();

/** Runs a script that sets its exit code where it ends. All run in one thread of their own: to start one takes as long as most tests. */
export function runScript(file: string, argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  thread ??= new Worker(runner, { eval: true, execArgv: [] });
  const own = thread;
  own.unref();
  const ran = last.then(async () => {
    own.postMessage({ file: resolve(file), argv, env });
    const [told] = (await once(own, "message")) as [InsideResult];
    return told;
  });
  last = ran;
  return ran;
}
