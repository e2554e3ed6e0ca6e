import { spawn, spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import type { CommandOptions, CommandResult } from "./command.ts";

/** What strace does to the n-th call of one kind, in the thread that makes the calls of the file system. */
export interface Injection {
  readonly call: string;
  readonly number: number;
  /** As strace writes it, such as `signal=SIGKILL` or `error=EIO`. */
  readonly does: string;
  readonly on?: string;
}

export interface TracedResult extends CommandResult {
  readonly calls: readonly string[];
}

const program = resolve("dist/main.js");

export function canTrace(): boolean {
  const tried = spawnSync("strace", ["-f", "-e", "trace=fsync", "-e", "inject=fsync:error=EIO:when=9", "true"]);
  return tried.status === 0;
}

/** Whether a run made as many calls of one kind as the injection waits for: strace counts those of each thread apart. */
export function hasMet({ calls }: TracedResult, { call, number }: Injection): boolean {
  const threads = calls.filter((line) => line.includes(` ${call}(`)).map((line) => line.slice(0, line.indexOf(" ")));
  return threads.some((thread) => threads.filter((one) => one === thread).length >= number);
}

/** Runs the built command under strace, with all calls of its file system in one thread. */
export async function traced(
  args: readonly string[],
  { cwd, env }: CommandOptions,
  { calls, injection }: { readonly calls: readonly string[]; readonly injection?: Injection },
): Promise<TracedResult> {
  const log = join(cwd, "strace.log");
  const flags = [
    "-f",
    "-o",
    log,
    "-e",
    `trace=${calls.join()}`,
    ...(injection === undefined ? [] : flagsOf(injection)),
  ];
  const child = spawn("strace", [...flags, process.execPath, program, ...args], {
    cwd,
    env: { PATH: process.env["PATH"], HOME: cwd, UV_THREADPOOL_SIZE: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<Pick<CommandResult, "code" | "signal">>((done) => {
    child.on("close", (code, signal) => done({ code, signal }));
  });
  const [stdout, stderr, end] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  const lines = (await readFile(log, "utf8")).split("\n");
  return { ...end, stdout, stderr, calls: lines.filter((line) => /^\d+ +\w+\(/u.test(line)) };
}

function flagsOf({ call, number, does, on }: Injection): readonly string[] {
  return ["-e", `inject=${call}:${does}:when=${number}`, ...(on === undefined ? [] : ["-P", on])];
}
