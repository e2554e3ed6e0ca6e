import { chmod, realpath } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { emptyDirectory } from "../support/command.ts";
import { git, gitRepository, isTracked } from "../support/git-repository.ts";
import { outsideProgram } from "../support/outside-program.ts";
import { writeRoster } from "../support/roster-directory.ts";

/** A repository that keeps some files; `kept.json` has no state, but a journal beside it. */
async function repository(options: { readonly version?: string; readonly format?: string } = {}): Promise<string> {
  const at = await realpath(emptyDirectory());
  git(at, "init", "-q", `--object-format=${options.format ?? "sha1"}`);
  const kept = {
    ".roster/log.jsonl": "{}",
    ".roster/logs.jsonl": "{}",
    "Big/Log.jsonl": "{}",
    "deep/kept.jsonl.checkpoint": "",
    "zürich/log.jsonl": "{}",
    [`${"long/".repeat(40)}log.jsonl`]: "{}",
  };
  await writeRoster(at, { ...kept, "new/log.jsonl": "{}", "roster/log.jsonl": "{}" });
  git(at, "update-index", "--index-version", options.version ?? "2");
  git(at, "add", ...Object.keys(kept));
  await writeRoster(at, { "later/log.jsonl": "{}" });
  git(at, "add", "-N", "later/log.jsonl");
  git(at, "update-index", "--skip-worktree", ".roster/logs.jsonl");
  return at;
}

describe.skipIf(outsideProgram("git") === undefined)("what git keeps", () => {
  test.each([
    ["version 2", { version: "2" }],
    ["version 3", { version: "3" }],
    ["version 4", { version: "4" }],
    ["version 4 of long hashes", { version: "4", format: "sha256" }],
    ["version 2 of long hashes", { version: "2", format: "sha256" }],
  ])("is told by its index of %s", async (_, options) => {
    const at = await repository(options);
    const asked = [
      ".roster/log.jsonl",
      ".roster/logs.jsonl",
      "big/log.jsonl",
      "deep/kept.jsonl",
      "zürich/log.jsonl",
      `${"long/".repeat(40)}log.jsonl`,
      "later/log.jsonl",
      "new/log.jsonl",
      "roster/log.jsonl",
      "log.jsonl",
      ".roster/log",
    ];
    const told = await Promise.all(asked.map((path) => isTracked(join(at, path), "and-beside")));
    expect(told).toEqual([...Array<string>(7).fill("tracked"), "untracked", "untracked", "untracked", "tracked"]);
  });

  test("is told of a file itself, or of those beside it too", async () => {
    const at = await repository();
    const path = join(at, "deep/kept.jsonl");
    expect([await isTracked(path, "itself"), await isTracked(path, "and-beside")]).toEqual(["untracked", "tracked"]);
  });

  test("is told in a worktree", async () => {
    const at = await repository({ format: "sha256" });
    git(at, "commit", "-q", "-m", "all");
    git(at, "worktree", "add", "-q", "-b", "other", "tree");
    expect([
      await isTracked(join(at, "tree/.roster/log.jsonl"), "itself"),
      await isTracked(join(at, "tree/new.json"), "itself"),
    ]).toEqual(["tracked", "untracked"]);
  });

  test("is told by an index that was split", async () => {
    const at = await repository();
    git(at, "update-index", "--split-index");
    expect(await isTracked(join(at, ".roster/log.jsonl"), "itself")).toBe("tracked");
  });

  test("is told in a submodule, and beside one", async () => {
    const at = await repository();
    const inner = await repository();
    git(inner, "commit", "-q", "-m", "all");
    git(at, "-c", "protocol.file.allow=always", "submodule", "add", "-q", inner, "sub");
    const told = ["sub/.roster/log.jsonl", "sub/new.json", "sub"].map((path) => isTracked(join(at, path), "itself"));
    expect(await Promise.all(told)).toEqual(["tracked", "untracked", "tracked"]);
  });

  test.each([
    ":(exclude)log.jsonl",
    ":/log.jsonl",
    "l*.jsonl",
    "[l]og.jsonl",
    "-z",
    "--others",
    "a\nb.json",
    '"q".json',
  ])("is told of the name %j as it is", async (name) => {
    const at = await realpath(emptyDirectory());
    gitRepository(at, name, "log.jsonl");
    const others = [join(at, name), join(at, `${name}x`)].map((path) => isTracked(path, "itself"));
    expect(await Promise.all(others)).toEqual(["tracked", "untracked"]);
  });

  test("is told whatever variables of git say, and no program of the repository is run", async () => {
    const at = await realpath(emptyDirectory());
    gitRepository(at, "log.jsonl");
    await writeRoster(at, { "other/keep": "", "hook.sh": `#!/bin/sh\ntouch ${at}/ran\n` });
    await chmod(join(at, "hook.sh"), 0o755);
    gitRepository(join(at, "other"));
    git(at, "config", "core.fsmonitor", join(at, "hook.sh"));
    const env = {
      GIT_DIR: join(at, "other/.git"),
      GIT_INDEX_FILE: "/nothing",
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "core.fsmonitor",
      GIT_CONFIG_VALUE_0: join(at, "hook.sh"),
    };
    expect(await isTracked(join(at, "log.jsonl"), "itself", env)).toBe("tracked");
    await expect(realpath(join(at, "ran"))).rejects.toThrow("ENOENT");
  });
});
