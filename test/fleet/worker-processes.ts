import { spawn } from "node:child_process";
import { resolve } from "node:path";
import type { AtEnd } from "../support/command.ts";

export type WorkerProcess = ReturnType<typeof startWorker>;

export function startWorker(
  args: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  atEnd: AtEnd,
) {
  const env = { PATH: process.env["PATH"], HOME: resolve("node_modules/.cache"), ...options.env };
  const command = [resolve("dist/main.js"), "fleet", "worker", ...args];
  const child = spawn(process.execPath, command, { cwd: options.cwd, env, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said = `${said}${chunk.toString()}`.slice(-100_000);
  });
  const ended = new Promise<number | NodeJS.Signals | null>((done) => {
    child.on("close", (code, signal) => done(signal ?? code));
  });
  const kill = (signal: NodeJS.Signals) => void child.kill(signal);
  atEnd(async () => {
    kill("SIGCONT");
    kill("SIGKILL");
    await ended;
  });
  return { kill, said: () => said, ended };
}
