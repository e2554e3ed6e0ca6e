import { execFileSync } from "node:child_process";
import { closeSync, constants, mkdirSync, openSync, readFileSync, readSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { planAgain } from "../../../src/cli/run-command.ts";
import type { FormatName } from "../../../src/report/formats.ts";
import { emptyDirectory } from "../../support/command.ts";
import { inside, insideHost } from "../../support/inside.ts";

const formats: readonly FormatName[] = ["text", "json", "ndjson", "github", "gitlab", "sarif", "markdown"];

test.each(formats)("what is wrong looks as standard error does, whatever the %s looks like", async (format) => {
  const options = { cwd: emptyDirectory() };
  const host = insideHost(options);
  const looks = { hasColours: true, isTerminal: true, columns: 61 };
  const command = ["validate", "not-here.yaml", "--format", format];
  const run = await inside(command, options, { ...host, stderr: { ...host.stderr, ...looks } });
  expect(run.stderr).toBe(`\
\u{1B}[31merror[unreadable-file]\u{1B}[39m: not-here.yaml does not exist.
  hint: Correct the path. Or set \`roster:\` in the settings
  file to the files or directories of the roster.
\u{1B}[1m1 error.\u{1B}[22m For details, run \`roster explain unreadable-file\`.
`);
  expect(run.stdout).not.toContain("\u{1B}");
});

test.each([
  ["at a terminal", {}, false],
  ["in CI", { CI: "true" }, true],
  ["in CI that trusts the checkout", { CI: "true", ROSTER_TRUST_SETTINGS: "1" }, false],
])("advice about the settings file says %s what CI refuses", async (_, env, isSaid) => {
  const cwd = emptyDirectory();
  writeFileSync(join(cwd, "roster.yaml"), roster);
  const { stderr } = await inside(
    ["plan", "roster.yaml", "--endpoint", "http://127.0.0.1:1", "--state", "file:log.jsonl"],
    { cwd, env },
  );
  const refused =
    "In CI, roster refuses most settings from a file in the repository. For CI, use a settings file outside the repository, and set " +
    "ROSTER_CONFIG to its path.\n";
  expect([/settings file/u.test(stderr), stderr.endsWith(refused)]).toEqual([true, isSaid]);
});

const roster = "version: 1\naccount: acc-1\nusers: [{ email: ada@acme.example, firstName: Ada, lastName: Lovelace }]\n";

test("the outputs of a step have the exit code of the command, also if its summary cannot be written", async () => {
  const cwd = emptyDirectory();
  writeFileSync(join(cwd, "roster.yaml"), roster);
  mkdirSync(join(cwd, "summary"));
  const env = { GITHUB_STEP_SUMMARY: join(cwd, "summary"), GITHUB_OUTPUT: join(cwd, "outputs") };
  const { code } = await inside(["validate", "roster.yaml", "--format", "github"], { cwd, env });
  const output = /^exit_code<<(\S+)\n(\d+)\n\1$/mu.exec(readFileSync(env.GITHUB_OUTPUT, "utf8"))?.[2];
  expect({ code, output }).toEqual({ code: 1, output: "1" });
});

test("an interrupt while results are written leaves them agreeing", async () => {
  const cwd = emptyDirectory();
  writeFileSync(join(cwd, "roster.yaml"), roster);
  const host = insideHost({ cwd });
  let asked = 0;
  const by = () => {
    asked += 1;
    return asked === 1 ? undefined : "SIGINT";
  };
  const command = ["validate", "roster.yaml", "--format", "json", "--report", "json=report.json"];
  const { code, stdout } = await inside(command, { cwd }, { ...host, interruption: { ...host.interruption, by } });
  const reported = JSON.parse(readFileSync(join(cwd, "report.json"), "utf8"));
  expect([code, JSON.parse(stdout).exit_code, reported.exit_code]).toEqual([0, 0, 0]);
});

test("a report to a pipe is written once, also if another report cannot be written", async () => {
  const cwd = emptyDirectory();
  writeFileSync(join(cwd, "roster.yaml"), roster);
  execFileSync("mkfifo", [join(cwd, "pipe")]);
  const reader = openSync(join(cwd, "pipe"), constants.O_RDONLY | constants.O_NONBLOCK);
  const reports = ["--report", "json=pipe", "--report", "markdown=not/there.md"];
  const { code } = await inside(["validate", "roster.yaml", ...reports], { cwd });
  const read = Buffer.alloc(65_536);
  const text = read.toString("utf8", 0, readSync(reader, read));
  closeSync(reader);
  expect({ code, documents: text.match(/"format_version"/gu)?.length }).toEqual({ code: 1, documents: 1 });
});

test.each([
  ["nothing", [], {}, "apply"],
  ["paths", ["roster", "-", "-x.yaml"], {}, "apply roster - ./-x.yaml"],
  [
    "the selection, quoted where a shell needs it",
    ["my files"],
    { include: ["user:ada@acme.example", "team:Data Science"], exclude: ["team:O'Brien $HOME"] },
    "apply 'my files' --include user:ada@acme.example --include 'team:Data Science' --exclude 'team:O'\\''Brien $HOME'",
  ],
  [
    "settings, the reason, and the file of a plan",
    [],
    {
      account: "acc-1",
      endpoint: "https://a.example",
      state: "file:x y",
      out: "p.json",
      reason: "INC-42",
      unmanaged: true,
      onlyNew: true,
    },
    "plan --unmanaged --account acc-1 --endpoint https://a.example --state 'file:x y' --out p.json --reason INC-42",
  ],
  [
    "a repair",
    ["people"],
    { repair: ["tampered", "unapplied"], unmanaged: true },
    "drift --repair tampered --repair unapplied people",
  ],
])("a printed command repeats %s", (_, paths, flags, words) => {
  expect(planAgain(paths, flags, insideHost({ cwd: "/" }))).toBe(`roster ${words}`);
});
