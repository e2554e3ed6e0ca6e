import { spawn } from "node:child_process";
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { platform } from "node:process";
import type { Host } from "../host.ts";
import { checkoutAround, isSharedWithOthers, placementOf } from "./checkout.ts";

/**
 * The program that PATH names, but none that a change to a checkout could have put there. `root`: of a repository that it works
 * on, without links.
 */
export async function findProgram(name: string, host: Host, root?: string): Promise<string | undefined> {
  const checkout = await checkoutAround(host);
  const editable = [...(isSharedWithOthers(host) ? checkout.roots : []), ...(root === undefined ? [] : [root])];
  const around = { ...checkout, roots: editable.filter((directory) => dirname(directory) !== directory) };
  const file = platform === "win32" ? `${name}.exe` : name;
  for (const directory of (host.env["PATH"] ?? "").split(delimiter).filter(isAbsolute)) {
    const path = join(directory, file);
    if (!(await isProgram(path))) continue;
    const { isInside, leadsOut } = await placementOf(path, around);
    if (!isInside && !leadsOut) return path;
  }
  return undefined;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** Variables of git would name another repository, index or configuration. Its words are read in English. */
export function gitEnvironment(env: Host["env"]): NodeJS.ProcessEnv {
  const others = Object.entries(env).filter(([name]) => !/^GIT_/iu.test(name));
  return { ...Object.fromEntries(others), LC_ALL: "C", GIT_OPTIONAL_LOCKS: "0", GIT_NO_LAZY_FETCH: "1" };
}

export interface ProgramCall {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Milliseconds after which the program is ended. */
  readonly patience: number;
}

export interface ProgramResult {
  /** `undefined`: it could not be started, was ended, or said more than may be. */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** In characters, of each stream. */
const mostOutput = 1024 * 1024;

/** Runs a program to its end. Nothing throws. */
export function runProgram(program: string, { args, cwd, env, patience }: ProgramCall): Promise<ProgramResult> {
  return new Promise((resolve) => {
    const said = { stdout: "", stderr: "" };
    const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    const end = (code: number | undefined) => {
      clearTimeout(timer);
      child.kill("SIGKILL");
      resolve({ code, ...said });
    };
    const timer = setTimeout(() => end(undefined), patience);
    for (const stream of ["stdout", "stderr"] as const)
      child[stream].setEncoding("utf8").on("data", (text: string) => {
        said[stream] += text;
        if (said[stream].length > mostOutput) end(undefined);
      });
    child.on("error", () => end(undefined));
    child.on("close", (code) => end(code ?? undefined));
  });
}

/** What a program said last, to stand in a sentence. */
export function lastLine({ stderr }: ProgramResult): string {
  const lines = stderr.split("\n").map((line) => line.trim());
  return (
    lines
      .findLast((line) => line !== "")
      ?.slice(0, 200)
      .replace(/\.$/u, "") ?? "it gave no reason"
  );
}
