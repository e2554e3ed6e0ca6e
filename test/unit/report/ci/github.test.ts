import { describe, expect, test } from "vitest";
import type { Diagnostic } from "../../../../src/model/failure.ts";
import { githubFormat } from "../../../../src/report/ci/github.ts";
import { plain } from "../../../../src/report/document/tree.ts";
import type { CommandOutcome } from "../../../../src/report/outcome.ts";
import { samplePlan, sampleRun } from "../../../support/report-samples.ts";

async function annotationsOf(outcome: CommandOutcome): Promise<readonly string[]> {
  const { stdout } = await githubFormat(outcome, { paint: plain });
  return stdout.split("\n").filter((line) => line.startsWith("::"));
}

function diagnostic(message: string, more: Partial<Diagnostic> = {}): Diagnostic {
  return { code: "unknown-key", severity: "error", message, ...more };
}

const validate = { command: "validate", exitCode: 3 } as const;

describe("annotations for GitHub", () => {
  test("stand on the lines that ask, most severe first; what is merely to be done has none", async () => {
    const diagnostics = [diagnostic("Late.", { severity: "warning", place: { file: "a/b.yaml", line: 2, column: 7 } })];
    expect(await annotationsOf({ command: "plan", exitCode: 0, diagnostics, plan: samplePlan })).toEqual([
      "::error file=teams.yaml,line=20,col=5,title=cannot-create-team%3A team acc-1/sales::Team Sales cannot be created: it competes with team Ops for one new user, dee@acme.example, and each team needs a new user of its own; make the team by hand and give its identifier, or add a new user.",
      "::warning file=a/b.yaml,line=2,col=7,title=unknown-key::Late.",
      "::notice file=teams.yaml,line=3,col=5,title=temporary-privilege%3A user ada@acme.example::The key carries ACCOUNT_ADMIN until its roles are made exact.",
    ]);
  });

  test("tell what failed of a run, where the roster asks for it", async () => {
    const told = await annotationsOf({
      command: "apply",
      exitCode: 7,
      diagnostics: [],
      plan: samplePlan,
      run: sampleRun,
    });
    expect(told).toContain(
      "::error file=people/cy.yaml,line=3,col=5,title=conflict%3A create user cy@acme.example::the service says that cy@acme.example is there already: User exists. Plan again: somebody created this user a moment ago.",
    );
  });

  test("are ten of a level, and the rest is counted", async () => {
    const diagnostics = Array.from({ length: 13 }, (_, index) => diagnostic(`Number ${index}.`));
    const { stdout } = await githubFormat({ ...validate, diagnostics }, { paint: plain });
    const lines = stdout.trimEnd().split("\n");
    expect([lines.length, lines[9], lines[10]?.startsWith("and 3 more, ")]).toEqual([
      11,
      "::error title=unknown-key::Number 9.",
      false,
    ]);
  });

  test.each<[string, Diagnostic, string]>([
    [
      "a line break",
      diagnostic("a\r\n::error::forged"),
      "::error title=unknown-key::a\\u{d}\\u{a}\\u{3a}:error::forged.",
    ],
    ["an escape", diagnostic("100%0A::error::x"), "::error title=unknown-key::100%250A::error::x."],
    [
      "what ends a property",
      diagnostic("x", { code: "a,file=b:c", place: { file: "x,line=7::y%.yaml", line: 1, column: 2 } }),
      "::error file=x%2Cline=7%3A%3Ay%25.yaml,line=1,col=2,title=a%2Cfile=b%3Ac::x.",
    ],
    [
      "a file outside the repository",
      diagnostic("x", { place: { file: "../x.yaml", line: 1, column: 2 } }),
      "::error title=unknown-key::../x.yaml:1: x.",
    ],
  ])("cannot be forged by %s", async (_, hostile, told) => {
    expect(await annotationsOf({ ...validate, diagnostics: [hostile] })).toEqual([told]);
  });
});

test("later steps read the plan in numbers, and the code", async () => {
  const { outputs } = await githubFormat(
    { command: "plan", exitCode: 2, diagnostics: [], plan: samplePlan },
    { paint: plain },
  );
  expect(Object.fromEntries(outputs ?? [])).toEqual({
    exit_code: "2",
    means: "there are changes to apply",
    plan_id: "9f8e",
    changes: "6",
    blocking: "1",
    findings: "2",
    create_users: "2",
    create_teams: "1",
    add_members: "1",
    replace_roles: "3",
    mails: "2",
  });
});
