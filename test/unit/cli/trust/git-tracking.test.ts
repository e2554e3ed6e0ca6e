import { chmod, mkdir, realpath, symlink } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkPathTrust, gitTrackingOf, planFile } from "../../../../src/cli/trust.ts";
import { casesOf, layOut, pairsOf } from "../../../support/cases.ts";
import { emptyDirectory } from "../../../support/command.ts";
import { gitRepository, isTracked } from "../../../support/git-repository.ts";
import { insideHost } from "../../../support/inside.ts";
import { writeRoster } from "../../../support/roster-directory.ts";
import { settled } from "../../../support/settled.ts";

test.each(
  casesOf([
    "a plan outside the checkout | ../out/plan.json | roster.yaml | | | none",
    "a plan that a job put into the checkout | plan.json | roster.yaml | | CI=1 | none",
    "a plan beside whose name git keeps another | plan.json | plan.json.md | | | none",
    "standard input | - | - | | | none",
    "a plan that git keeps | plan.json | plan.json | | | kept in git",
    "a plan in the place of the roster's directory | roster | roster | | | kept in git",
    "a plan behind a link of the checkout | p | roster.yaml | co/p=../out/plan.json | | symbolic link",
    "a plan that git keeps, where the checkout is trusted | plan.json | plan.json | | ROSTER_TRUST_SETTINGS=1 | none",
  ]),
)("%s", async (_, path = "", kept = "", links = "", env = "", told = "") => {
  const at = await layOut({ "co/plan.json": "{}", "out/plan.json": "{}" });
  gitRepository(join(at, "co"), kept);
  for (const [link, target] of Object.entries(pairsOf(links))) await symlink(target, join(at, link));
  const host = insideHost({ cwd: join(at, "co"), env: pairsOf(env) });
  const trusted = await settled(() => checkPathTrust(path, planFile, host));
  if (trusted.ok) return expect(told).toBe("none");
  expect(trusted.error.code).toBe("untrusted");
  expect(trusted.error.message).toContain(told);
});

/** A program in the place of git that says so many words and ends so. */
async function programAt(directory: string, script: string): Promise<void> {
  await writeRoster(directory, { git: `#!/bin/sh\n${script}\n` });
  await chmod(join(directory, "git"), 0o755);
}

describe("a git that PATH names", () => {
  test("counts only outside of what a change to the checkout could put there", async () => {
    const at = await realpath(emptyDirectory());
    const co = join(at, "co");
    gitRepository(co, "log.jsonl");
    const lie = "printf ''";
    await programAt(join(co, "bin"), lie);
    await programAt(co, lie);
    await mkdir(join(at, "out"));
    await symlink(join(co, "bin/git"), join(at, "out/git"));
    const path = ["bin", ".", "", join(co, "bin"), join(at, "out"), process.env["PATH"]].join(delimiter);
    const host = insideHost({ cwd: co, env: { PATH: path } });
    expect((await gitTrackingOf(join(co, "log.jsonl"), "itself", host)).is).toBe("tracked");
  });

  test.each([
    [
      "fatal: detected dubious ownership in repository at 'x'\nTo add an exception, call: git config --global --add safe.directory x",
      {
        why: "git refuses to read the repository AT, which belongs to another user",
        hint: "If its owner is trusted, run `git config --global --add safe.directory AT`.",
      },
    ],
    [
      "fatal: index file corrupt",
      {
        why: "git could not list the files of AT: fatal: index file corrupt",
        hint: "Run `git ls-files` there.",
      },
    ],
  ])("and that refuses (%s) is told, and believed in nothing", async (words, told) => {
    const at = await realpath(emptyDirectory());
    const co = join(at, "co");
    gitRepository(co, "log.jsonl");
    await programAt(join(at, "bin"), `printf '%s' "${words}" >&2; exit 128`);
    const host = insideHost({ cwd: co, env: { PATH: join(at, "bin") } });
    const { why, hint } = told;
    expect(await gitTrackingOf(join(co, "log.jsonl"), "itself", host)).toEqual({
      is: "unknown",
      why: why.replace("AT", co),
      hint: hint.replace("AT", co),
    });
  });
});

describe("nothing is kept", () => {
  test.each<[string, Readonly<Record<string, string>>]>([
    ["without a repository", {}],
    ["by a repository that is none", { ".git/index": "DIRC" }],
    ["by a repository elsewhere that is gone", { ".git": "gitdir: /none\n" }],
  ])("%s", async (_, files) => {
    const at = await realpath(emptyDirectory());
    await writeRoster(at, files);
    expect(await isTracked(join(at, "log.jsonl"), "and-beside")).toBe("untracked");
  });

  test("where git is not installed", async () => {
    const at = await realpath(emptyDirectory());
    gitRepository(at, "log.jsonl");
    expect(await isTracked(join(at, "log.jsonl"), "itself", { PATH: join(at, "bin") })).toBe("untracked");
  });
});
