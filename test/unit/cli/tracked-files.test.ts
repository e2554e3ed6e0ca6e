import { execFileSync } from "node:child_process";
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isTracked } from "../../../src/cli/tracked-files.ts";
import { emptyDirectory } from "../../support/command.ts";
import { writeRoster } from "../../support/roster-directory.ts";

function git(cwd: string, ...args: readonly string[]): void {
  const env = { PATH: process.env["PATH"], HOME: cwd, GIT_CONFIG_NOSYSTEM: "1" };
  const who = ["-c", "user.name=a", "-c", "user.email=a@acme.example"];
  execFileSync("git", [...who, ...args], { cwd, env, stdio: "ignore" });
}

const isInstalled = (() => {
  try {
    git(process.cwd(), "--version");
    return true;
  } catch {
    return false;
  }
})();

/** A repository that keeps some files; `kept.json` has no state, but a journal beside it. */
async function repository(options: { readonly version?: string; readonly format?: string } = {}): Promise<string> {
  const at = await realpath(emptyDirectory());
  git(at, "init", "-q", `--object-format=${options.format ?? "sha1"}`);
  const kept = {
    ".roster/state.json": "{}",
    ".roster/states.json": "{}",
    "Big/State.json": "{}",
    "deep/kept.json.journal": "",
    "zürich/state.json": "{}",
    [`${"long/".repeat(40)}state.json`]: "{}",
  };
  await writeRoster(at, { ...kept, "new/state.json": "{}", "roster/state.json": "{}" });
  git(at, "update-index", "--index-version", options.version ?? "2");
  git(at, "add", ...Object.keys(kept));
  await writeRoster(at, { "later/state.json": "{}" });
  git(at, "add", "-N", "later/state.json");
  git(at, "update-index", "--skip-worktree", ".roster/states.json");
  return at;
}

describe.skipIf(!isInstalled)("what git keeps", () => {
  test.each([
    ["version 2", { version: "2" }],
    ["version 3", { version: "3" }],
    ["version 4", { version: "4" }],
    ["version 4 of long hashes", { version: "4", format: "sha256" }],
    ["version 2 of long hashes", { version: "2", format: "sha256" }],
  ])("is told by its index of %s", async (_, options) => {
    const at = await repository(options);
    const asked = [
      ".roster/state.json",
      ".roster/states.json",
      "big/state.json",
      "deep/kept.json",
      "zürich/state.json",
      `${"long/".repeat(40)}state.json`,
      "later/state.json",
      "new/state.json",
      "roster/state.json",
      "state.json",
      ".roster/state",
    ];
    const told = await Promise.all(asked.map(async (path) => `${await isTracked(join(at, path), "and-beside")}`));
    expect(told).toEqual([...Array<string>(7).fill("true"), "false", "false", "false", "true"]);
  });

  test("is told of a file itself, or of those beside it too", async () => {
    const at = await repository();
    const path = join(at, "deep/kept.json");
    expect([await isTracked(path, "itself"), await isTracked(path, "and-beside")]).toEqual([false, true]);
  });

  test("is told in a worktree", async () => {
    const at = await repository({ format: "sha256" });
    git(at, "commit", "-q", "-m", "all");
    git(at, "worktree", "add", "-q", "-b", "other", "tree");
    expect([
      await isTracked(join(at, "tree/.roster/state.json"), "itself"),
      await isTracked(join(at, "tree/new.json"), "itself"),
    ]).toEqual([true, false]);
  });
});

describe("nothing is kept", () => {
  test.each<[string, Readonly<Record<string, string>>]>([
    ["without a repository", {}],
    ["without an index", { ".git/HEAD": "x" }],
    ["by an index that is none", { ".git/index": "DIRC" }],
    ["by an index that was cut off", { ".git/index": `DIRC\0\0\0\u0002\0\0\0\u0009${"x".repeat(70)}` }],
    ["by a repository elsewhere that is gone", { ".git": "gitdir: /none\n" }],
  ])("%s", async (_, files) => {
    const at = await realpath(emptyDirectory());
    await writeRoster(at, files);
    expect(await isTracked(join(at, "state.json"), "and-beside")).toBe(false);
  });
});
