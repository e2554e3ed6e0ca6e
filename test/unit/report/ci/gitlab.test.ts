import { expect, test } from "vitest";
import { roleSet } from "../../../../src/model/values.ts";
import { gitlabFormat, gitlabTerraformFormat } from "../../../../src/report/ci/gitlab.ts";
import { plain } from "../../../../src/report/document/tree.ts";
import { samplePlan } from "../../../support/report-samples.ts";

const planned = { command: "plan", exitCode: 0, diagnostics: [], plan: samplePlan } as const;

test("GitLab's code quality report has an entry for each finding, at its first line", () => {
  const { stdout } = gitlabFormat(planned, { paint: plain });
  expect(JSON.parse(stdout).slice(0, 1)).toEqual([
    {
      description:
        "team acc-1/sales: Team Sales cannot be created: it competes with team Ops for one new user, dee@acme.example, and each team needs a new user of its own; make the team by hand and give its identifier, or add a new user.",
      check_name: "cannot-create-team",
      fingerprint: "f00d",
      severity: "critical",
      location: { path: "teams.yaml", lines: { begin: 20 } },
    },
  ]);
});

test("the fingerprint of a fault stays where its line moves, and two faults never share one", () => {
  const at = (line: number) => ({
    code: "unknown-key",
    severity: "error" as const,
    message: "A user has no field `x`.",
    place: { file: "a.yaml", line, column: 1 },
  });
  const fingerprints = (...lines: readonly number[]) => {
    const outcome = { command: "validate", exitCode: 3, diagnostics: lines.map(at) } as const;
    const report = JSON.parse(gitlabFormat(outcome, { paint: plain }).stdout) as { fingerprint: string }[];
    return report.map(({ fingerprint }) => fingerprint);
  };
  const [first, second] = fingerprints(3, 9);
  expect(first).not.toBe(second);
  expect(fingerprints(4, 12)).toEqual([first, second]);
});

test("GitLab's report of a plan counts users, teams and memberships as created, keys as updated, emptied keys as deleted", () => {
  expect(gitlabTerraformFormat(planned).stdout).toBe('{"create":5,"update":2,"delete":1}\n');
  const actions = samplePlan.actions.map((action) =>
    action.kind === "replace-roles" ? { ...action, roles: roleSet([]) } : action,
  );
  const emptied = { ...planned, plan: { ...samplePlan, actions } };
  expect(gitlabTerraformFormat(emptied).stdout).toBe('{"create":5,"update":0,"delete":3}\n');
});

test("without a plan there is no such report, in place of one that says that nothing changes", () => {
  const outcome = { command: "plan", exitCode: 1, diagnostics: [] } as const;
  expect(gitlabTerraformFormat(outcome).stdout).toBe("{}\n");
});
