import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { Worker } from "node:worker_threads";

/** Runs a script of Node in a thread, with an environment and an exit code of its own: at a fifth of the cost of a process. */
export async function runScript(
  file: string,
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const thread = new Worker(resolve(file), { argv: [...argv], env, execArgv: [], stdout: true, stderr: true });
  const ended = new Promise<number>((end) => thread.on("exit", end));
  const [stdout, stderr, code] = await Promise.all([text(thread.stdout), text(thread.stderr), ended]);
  return { code, stdout, stderr };
}
