import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commitAuthors } from "../../../../src/cli/approvals/check-approvals.ts";
import { emptyDirectory } from "../../../support/command.ts";
import { git } from "../../../support/git-repository.ts";
import { insideHost } from "../../../support/inside.ts";

const names = { ada: "Ada <ada@acme.example>", bo: "Bo <bo@acme.example>", cy: "Cy <cy@acme.example>" };

function commit(cwd: string, author: string, ...more: readonly string[]): void {
  git(cwd, "commit", "-q", "--allow-empty", "-m", "x", `--author=${author}`, ...more);
}

function repository(): string {
  const cwd = emptyDirectory();
  git(cwd, "init", "-q", "-b", "main");
  return cwd;
}

/** The authors as texts, or why they are not known. */
async function authors(cwd: string, env: Readonly<Record<string, string>> = {}) {
  const found = await commitAuthors(insideHost({ cwd, env }));
  if (!found.ok) return (found.error.diagnostics ?? []).map(({ code, message }) => `${code}: ${message}`);
  return found.value.map(({ name = "", email = "" }) => `${name} <${email}>`);
}

describe("the authors of the commit", () => {
  test("are nobody without a repository, and before the first commit", async () => {
    expect([await authors(emptyDirectory()), await authors(repository())]).toEqual([[], []]);
  });

  test("are who wrote the last commit, not who wrote the ones before", async () => {
    const cwd = repository();
    commit(cwd, names.ada);
    commit(cwd, names.bo);
    expect(await authors(cwd)).toEqual([names.bo]);
  });

  test("are those of a merge and of all that it merges", async () => {
    const cwd = repository();
    commit(cwd, "Old <old@acme.example>");
    git(cwd, "checkout", "-q", "-b", "change");
    commit(cwd, names.ada);
    commit(cwd, names.bo);
    git(cwd, "checkout", "-q", "main");
    git(cwd, "merge", "-q", "--no-ff", "-m", "merge", "change");
    expect(await authors(cwd)).toEqual(["a <a@acme.example>", "a <a@acme.example>", names.bo, names.ada]);
  });

  test("are those whom a message names as co-authors, too", async () => {
    const cwd = repository();
    commit(cwd, names.ada, "-m", `Co-Authored-By: ${names.bo}\nCo-authored-by:  ${names.cy} `);
    expect(await authors(cwd)).toEqual([names.ada, names.bo, names.cy]);
    git(cwd, "checkout", "-q", "-b", "change");
    commit(cwd, names.ada, "-m", `co-authored-by: ${names.cy}`);
    git(cwd, "checkout", "-q", "main");
    git(cwd, "merge", "-q", "--no-ff", "-m", "merge", "change");
    expect(await authors(cwd)).toEqual(["a <a@acme.example>", "a <a@acme.example>", names.ada, names.cy]);
  });

  test("are unknown where the author line is damaged", async () => {
    const cwd = repository();
    commit(cwd, names.ada);
    const whole = execFileSync("git", ["cat-file", "commit", "HEAD"], { cwd, encoding: "utf8" });
    const input = whole.replace(/^author (.*) \d+ (.*)$/mu, "author $1 -1 $2");
    const args = ["hash-object", "-t", "commit", "-w", "--literally", "--stdin"];
    git(cwd, "reset", "-q", "--hard", execFileSync("git", args, { cwd, input, encoding: "utf8" }).trim());
    expect(await authors(cwd)).toEqual([
      "unknown-author: The author of the commit is unknown: the commit has a damaged author line.",
    ]);
  });

  test("are unknown where a shallow checkout does not have what is merged", async () => {
    const cwd = repository();
    commit(cwd, "Old <old@acme.example>");
    git(cwd, "checkout", "-q", "-b", "change");
    commit(cwd, names.ada);
    git(cwd, "checkout", "-q", "main");
    git(cwd, "merge", "-q", "--no-ff", "-m", "merge", "change");
    const shallow = join(emptyDirectory(), "shallow");
    execFileSync("git", ["clone", "-q", "--depth", "1", `file://${cwd}`, shallow], { stdio: "ignore" });
    expect(await authors(shallow)).toEqual([
      "unknown-author: The author of the commit is unknown: the commits that it merges cannot be listed.",
    ]);
  });

  test("are not what a file or a variable of the checkout makes of them", async () => {
    const cwd = repository();
    writeFileSync(join(cwd, ".mailmap"), "Eve <eve@acme.example> <ada@acme.example>\n");
    commit(cwd, names.ada);
    mkdirSync(join(cwd, "other"));
    expect(await authors(cwd, { GIT_DIR: join(cwd, "other") })).toEqual([names.ada]);
  });

  test("are those that the pipeline names too", async () => {
    const cwd = repository();
    commit(cwd, names.ada);
    expect(await authors(cwd, { GITLAB_CI: "true", CI_COMMIT_AUTHOR: names.bo })).toEqual([names.bo, names.ada]);
    const buildkite = {
      BUILDKITE: "true",
      BUILDKITE_BUILD_AUTHOR: "Cy",
      BUILDKITE_BUILD_AUTHOR_EMAIL: "CY@acme.example",
    };
    expect(await authors(cwd, buildkite)).toEqual([names.cy, names.ada]);
  });

  test("are unknown where git is not installed", async () => {
    const cwd = repository();
    expect(await authors(cwd, { PATH: emptyDirectory() })).toEqual([
      "unknown-author: The author of the commit is unknown: the program git is not installed.",
    ]);
  });
});
