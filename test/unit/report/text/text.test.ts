import { describe, expect, test } from "vitest";
import { type CommandOutcome, plain } from "../../../../src/report/outcome.ts";
import { textFormat } from "../../../../src/report/text/text.ts";
import { samplePlan } from "../../../support/report-samples.ts";

const roster = { files: 12, users: 20, leavers: 0, teams: 4, keys: 1 };
const warning = { code: "w", severity: "warning", message: "m" } as const;

describe("standard output of a command holds", () => {
  const outcomes: readonly (readonly [string, CommandOutcome, string])[] = [
    [
      "the size of a valid roster",
      { command: "validate", exitCode: 0, diagnostics: [], roster },
      "12 files, 20 users, 4 teams, 1 key by prefix: valid.\n",
    ],
    [
      "the size of a valid roster and its warnings",
      {
        command: "validate",
        exitCode: 0,
        diagnostics: [warning],
        roster: { files: 1, users: 0, leavers: 2, teams: 1, keys: 0 },
      },
      "1 file, 0 users, 2 leavers, 1 team: valid, with 1 warning.\n",
    ],
    [
      "nothing where the roster is not valid",
      { command: "validate", exitCode: 3, diagnostics: [{ ...warning, severity: "error" }] },
      "",
    ],
    [
      "nothing where the plan could not be made",
      { command: "plan", exitCode: 1, diagnostics: [], roster, problem: { code: "unreachable", message: "no answer" } },
      "",
    ],
    [
      "nothing where somebody declined the plan that they had just read",
      {
        command: "apply",
        exitCode: 5,
        diagnostics: [],
        plan: samplePlan,
        problem: { code: "declined", message: "The plan was not approved" },
      },
      "",
    ],
  ];
  test.each(outcomes)("%s", async (_sentence, outcome, stdout) => {
    expect((await textFormat(outcome, { paint: plain })).stdout).toBe(stdout);
  });
});

test("a plan is printed although something went wrong after it", async () => {
  const problem = { code: "not-approved", message: "nobody can be asked" };
  const { stdout } = await textFormat(
    { command: "apply", exitCode: 5, diagnostics: [], plan: samplePlan, problem },
    { paint: plain },
  );
  expect(stdout.split("\n")[0]).toBe("Plan for https://accounts.acme.example");
  expect(stdout).not.toContain("Exit code");
});
