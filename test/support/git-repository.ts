import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gitTrackingOf } from "../../src/cli/trust.ts";
import { insideHost } from "./inside.ts";

const emptyFile = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";

/** Runs git in a directory, with no configuration but the repository's. */
export function git(cwd: string, ...args: readonly string[]): void {
  const env = { PATH: process.env["PATH"], HOME: cwd, GIT_CONFIG_NOSYSTEM: "1" };
  const who = ["-c", "user.name=a", "-c", "user.email=a@acme.example"];
  execFileSync("git", [...who, ...args], { cwd, env, stdio: "ignore" });
}

/** Makes a directory a repository that keeps files at these paths, whether or not they are there. */
export function gitRepository(directory: string, ...kept: readonly string[]): void {
  // As `git init` does it: to start a process costs more than most tests.
  for (const part of ["objects", "refs"]) mkdirSync(join(directory, ".git", part), { recursive: true });
  writeFileSync(join(directory, ".git/HEAD"), "ref: refs/heads/main\n");
  if (kept.length > 0) writeFileSync(join(directory, ".git/index"), indexOf(kept.toSorted()));
}

export async function isTracked(
  path: string,
  which: "itself" | "and-beside",
  env: Readonly<Record<string, string>> = {},
) {
  return (await gitTrackingOf(path, which, insideHost({ cwd: "/", env }))).is;
}

/** The index of a repository that keeps empty files at these paths, in version 2: https://git-scm.com/docs/index-format. */
function indexOf(paths: readonly string[]): Buffer {
  const header = Buffer.from("DIRC\0\0\0\x02\0\0\0\0");
  header.writeUInt32BE(paths.length, 8);
  const entries = paths.map((path) => {
    const name = Buffer.from(path);
    const entry = Buffer.alloc(Math.ceil((62 + name.length + 1) / 8) * 8);
    entry.writeUInt32BE(0o100644, 24);
    entry.write(emptyFile, 40, "hex");
    entry.writeUInt16BE(name.length, 60);
    name.copy(entry, 62);
    return entry;
  });
  const index = Buffer.concat([header, ...entries]);
  return Buffer.concat([index, createHash("sha1").update(index).digest()]);
}
