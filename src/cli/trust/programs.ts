import { spawn } from "node:child_process";
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { platform } from "node:process";
import type { Host } from "../host.ts";
import { checkoutAround, isSharedWithOthers, placementOf } from "./checkout.ts";

/** The program that PATH names, but none that a change to a checkout could have put there. `root`: a repository, without links. */
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

/** How a program ended. `stopped`: it has said enough; `silent`: it did not end in time. */
export interface ProgramResult {
  readonly is: "ended" | "stopped" | "silent" | "not-run";
  readonly code?: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const mostOutput = 1024 * 1024;

/** Milliseconds; the index of the largest repositories is listed in a few seconds. */
export const gitTimeout = 30_000;

/** Without variables of git, which would name another repository, and without programs of the repository. Nothing throws. */
export function runGit(
  git: string,
  root: string,
  env: Host["env"],
  args: readonly string[],
  isWanted?: (part: string) => boolean,
): Promise<ProgramResult> {
  const others = Object.entries(env).filter(([name]) => !/^GIT_/iu.test(name));
  return new Promise((resolve) => {
    const said = { stdout: "", stderr: "" };
    const child = spawn(git, ["--no-pager", "-c", "core.fsmonitor=false", ...args], {
      cwd: root,
      env: { ...Object.fromEntries(others), LC_ALL: "C", GIT_OPTIONAL_LOCKS: "0", GIT_NO_LAZY_FETCH: "1" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const end = (is: ProgramResult["is"], code?: number | null) => {
      clearTimeout(timer);
      child.kill("SIGKILL");
      resolve({ is, ...(code === undefined ? {} : { code }), ...said });
    };
    const timer = setTimeout(() => end("silent"), gitTimeout);
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      said.stdout += text;
      if (isWanted !== undefined) {
        const parts = said.stdout.split("\0");
        said.stdout = parts.pop() ?? "";
        if (parts.some(isWanted)) end("stopped");
      } else if (said.stdout.length > mostOutput) end("silent");
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said.stderr = `${said.stderr}${text}`.slice(0, mostOutput);
    });
    child.on("error", () => end("not-run"));
    child.on("close", (code) => end("ended", code));
  });
}

export function lastLine({ stderr }: ProgramResult): string {
  const lines = stderr.split("\n").map((line) => line.trim());
  const last = lines.findLast((line) => line !== "") ?? "it gave no reason";
  return last.slice(0, 200).replace(/\.$/u, "");
}
