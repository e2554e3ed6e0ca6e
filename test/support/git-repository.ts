import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

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
  if (kept.length === 0) return;
  git(directory, "update-index", "--add", ...kept.flatMap((path) => ["--cacheinfo", `100644,${emptyFile},${path}`]));
}
