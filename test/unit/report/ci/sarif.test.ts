import { expect, test } from "vitest";
import { sarifFormat } from "../../../../src/report/ci/sarif.ts";
import { plain } from "../../../../src/report/document/tree.ts";
import { samplePlan } from "../../../support/report-samples.ts";

interface Log {
  readonly runs: readonly [{ readonly results: readonly unknown[]; readonly invocations: readonly unknown[] }];
}

test("SARIF has a result for each finding, with its lines, its rank and its fingerprint", () => {
  const outcome = { command: "plan", exitCode: 0, diagnostics: [], plan: samplePlan } as const;
  const { runs } = JSON.parse(sarifFormat(outcome, { paint: plain }).stdout) as Log;
  expect(runs[0].results.slice(0, 1)).toEqual([
    {
      ruleId: "cannot-create-team",
      ruleIndex: 0,
      level: "error",
      message: {
        text: "team acc-1/sales: Team Sales cannot be created: it competes with team Ops for one new user, dee@acme.example, and each team needs a new user of its own; make the team by hand and give its identifier, or add a new user.",
      },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: "teams.yaml", uriBaseId: "SRCROOT" },
            region: { startLine: 20, startColumn: 5 },
          },
        },
      ],
      relatedLocations: [
        {
          id: 0,
          physicalLocation: {
            artifactLocation: { uri: "teams.yaml", uriBaseId: "SRCROOT" },
            region: { startLine: 31, startColumn: 5 },
          },
        },
      ],
      partialFingerprints: { "rosterMatter/v1": "f00d" },
    },
  ]);
});

test("SARIF tells what ended the command as a notification of the tool", () => {
  const problem = { code: "unreachable", message: "no answer", hint: "Try again." };
  const { runs } = JSON.parse(
    sarifFormat({ command: "plan", exitCode: 1, diagnostics: [], problem }, { paint: plain }).stdout,
  ) as Log;
  expect(runs[0].invocations).toEqual([
    {
      executionSuccessful: false,
      exitCode: 1,
      exitCodeDescription: "failed",
      toolExecutionNotifications: [
        { level: "error", message: { text: "no answer. Try again." }, descriptor: { id: "unreachable" } },
      ],
    },
  ]);
});

test.each([
  ["a b/ü#1.yaml", { uri: "a%20b/%C3%BC%231.yaml", uriBaseId: "SRCROOT" }],
  ["/srv/x.yaml", { uri: "file:///srv/x.yaml" }],
  ["-", { uri: ".", uriBaseId: "SRCROOT" }],
])("SARIF names %s so that it can be found", (file, artifactLocation) => {
  const diagnostics = [{ code: "x", severity: "error" as const, message: "y", place: { file, line: 1, column: 1 } }];
  const { stdout } = sarifFormat({ command: "validate", exitCode: 3, diagnostics }, { paint: plain });
  const [result] = (JSON.parse(stdout) as Log).runs[0].results;
  expect(result).toMatchObject({ locations: [{ physicalLocation: { artifactLocation } }] });
});

test.each([
  ["[x](https://evil.example)", "[x]\\u{28}https://evil.example)."],
  ["![x](0) and a[0] (b)", "![x]\\u{28}0) and a[0] (b)."],
])("SARIF links nothing that %s would link", (message, text) => {
  const told = { code: "x", severity: "error" as const, message };
  const problem = { code: "unreachable", message };
  const { stdout } = sarifFormat({ command: "validate", exitCode: 3, diagnostics: [told], problem }, { paint: plain });
  const { results, invocations } = (JSON.parse(stdout) as Log).runs[0];
  expect(results[0]).toMatchObject({ message: { text } });
  expect(invocations[0]).toMatchObject({ toolExecutionNotifications: [{ message: { text } }] });
});
