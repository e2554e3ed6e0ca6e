import { describe, expect, test } from "vitest";
import type { Drift, DriftClass, DriftItem } from "../../../../src/model/drift.ts";
import { formatSubject } from "../../../../src/model/fact.ts";
import type { Plan } from "../../../../src/model/plan.ts";
import { repairPlan } from "../../../../src/plan/drift/compute-drift.ts";
import { splitAction } from "../../../../src/plan/drift/outside-changes.ts";
import { planned } from "../../../support/plan-inputs.ts";
import { partsOf } from "../../../support/scenes.ts";

/** Ada creates Red for Bo; Cy, who is there, joins Blue and has a key with a role too many. */
const plan = planned(
  partsOf(`
there: {cy: {keys: {k-cy-more: {roles: [ACCOUNT_ADMIN]}}}, di, ed: {in: {Blue}}}
users: {ada, bo, cy, di, ed}
teams:
  Red: {members: [ada, bo], admin: ada, firstMember: ada, roles: [TEAM_ROLE]}
  Blue: {identifier: t-blue, members: [cy, di, ed]}
keys: {k-cy-more: {roles: [TEAM_ROLE]}}
`),
);

/** Everything of the plan is to be applied, but for the parts that the test says are of another class. */
function driftOfPlan(plan: Plan, others: Readonly<Record<string, DriftClass>>): Drift {
  const items = plan.actions.flatMap(splitAction).map(({ action, person, subject }): DriftItem => {
    const name = formatSubject(subject);
    return {
      fingerprint: name,
      class: others[name] ?? "unapplied",
      code: action.kind,
      subject,
      counts: "change",
      of: { is: "action", action: action.id, ...(person === undefined ? {} : { person }) },
    };
  });
  return { items, coverage: { users: { shown: 0, named: 0 } }, unusedAccepts: [] };
}

function repaired(plan: Plan, classes: readonly DriftClass[], others: Readonly<Record<string, DriftClass>>) {
  const { actions, calls, id } = repairPlan(plan, driftOfPlan(plan, others), new Set(classes));
  const parts = actions.flatMap(splitAction).map(({ action, subject }) => `${action.kind} ${formatSubject(subject)}`);
  return { parts, atMost: calls.atMost, isSame: id === plan.id };
}

const all = plan.actions.flatMap(splitAction).map(({ action, subject }) => `${action.kind} ${formatSubject(subject)}`);

describe("repairing", () => {
  test("of every class there is does the whole plan", () => {
    expect(repaired(plan, ["unapplied"], {})).toEqual({ parts: all, atMost: plan.actions.length, isSame: true });
  });

  test("of what was tampered with leaves everything else", () => {
    const subject = "key k-cy-more";
    expect(repaired(plan, ["tampered"], { [subject]: "tampered" })).toEqual({
      parts: [`replace-roles ${subject}`],
      atMost: 1,
      isSame: false,
    });
  });

  test("adds whom it is about, and nobody else of the same call", () => {
    const subject = "member di@acme.example of team acc-1/blue";
    expect(repaired(plan, ["tampered"], { [subject]: "tampered" }).parts).toEqual([`add-members ${subject}`]);
  });

  test("creates no team without its people: the creation of a team waits until all of it can be done", () => {
    const subject = "member bo@acme.example of team acc-1/red";
    const { parts } = repaired(plan, ["unapplied"], { [subject]: "pending" });
    expect(all.filter((part) => !parts.includes(part))).toEqual([
      "create-user user ada@acme.example",
      "create-user user bo@acme.example",
      `add-members ${subject}`,
      "replace-roles key of member ada@acme.example of team acc-1/red",
      `replace-roles key of ${subject}`,
    ]);
  });

  test("of a class that no action is of does nothing", () => {
    expect(repaired(plan, ["tampered"], {})).toEqual({ parts: [], atMost: 0, isSame: false });
  });
});
