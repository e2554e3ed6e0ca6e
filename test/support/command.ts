import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { memoryPlace } from "./memory-place.ts";

/** A service that shows every write within seconds: what reads do not show by then was not done. */
export const prompt = { ROSTER_CONSISTENCY: "5s" } as const;

export interface CommandResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly started?: (child: { kill(signal: NodeJS.Signals): boolean }) => void;
}

const program = resolve("dist/main.js");

/** Where Node 22 and later keep what they have compiled: nowhere that a test looks at. */
const home = resolve("node_modules/.cache");

/** Runs the built command as a child process, in an environment that holds nothing but what the test says. */
export async function roster(args: readonly string[], options: CommandOptions): Promise<CommandResult> {
  const env = { PATH: process.env["PATH"], HOME: home, ...options.env };
  const child = spawn(process.execPath, [program, ...args], { cwd: options.cwd, env });
  options.started?.(child);
  child.stdin.on("error", () => undefined);
  child.stdin.end(options.input ?? "");
  const ended = new Promise<Pick<CommandResult, "code" | "signal">>((done) => {
    child.on("close", (code, signal) => done({ code, signal }));
  });
  const [stdout, stderr, end] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { ...end, stdout, stderr };
}

/** Registers what is to be undone when a test ends. Tests that run side by side bring their own. */
export type AtEnd = (undo: () => void | Promise<void>) => void;

export function emptyDirectory(atEnd: AtEnd = onTestFinished, place = memoryPlace): string {
  const directory = mkdtempSync(join(place, "roster-test-"));
  atEnd(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
