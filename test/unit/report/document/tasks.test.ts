import { describe, expect, test } from "vitest";
import { decodeSubject, observed, type Reason, reasonAt } from "../../../../src/model/fact.ts";
import type { Finding } from "../../../../src/model/finding.ts";
import { plain, viewNames } from "../../../../src/report/outcome.ts";
import { renderPlan } from "../../../../src/report/text/text.ts";
import { aPlan, aReplacement, person } from "../../../support/action-builders.ts";
import { aPlanInput, aState, planned } from "../../../support/plan-inputs.ts";
import { samplePlan } from "../../../support/report-samples.ts";
import { addressOf, aRoster, aUser } from "../../../support/roster-builders.ts";

const memberIn = (line: number): Reason => reasonAt({ file: "t.yaml", line, column: 3 }, "member");

function seeAlso(...lines: readonly number[]): string | undefined {
  const findings = samplePlan.findings.slice(0, 1).map((finding) => ({ ...finding, because: lines.map(memberIn) }));
  const text = renderPlan({ ...samplePlan, findings }, { paint: plain });
  return /see also (.*(?:\n {6}t\.yaml.*)*)/u.exec(text)?.[1];
}

test.each([
  ["nothing where a finding has one place", [1], undefined],
  ["nothing where it has that place twice", [1, 1], undefined],
  ["every other place once", [1, 2, 2, 1], "t.yaml:2:3"],
  ["six", [1, 2, 3, 4, 5, 6, 7], "t.yaml:2:3, t.yaml:3:3, t.yaml:4:3, t.yaml:5:3, t.yaml:6:3 and t.yaml:7:3"],
  [
    "of more the first five, and how many there are",
    Array.from({ length: 3000 }, (_, index) => index + 1),
    "t.yaml:2:3, t.yaml:3:3, t.yaml:4:3, t.yaml:5:3, t.yaml:6:3 and 2994 more",
  ],
])("a finding names beside its first place %s", (_, lines, places) => {
  expect(seeAlso(...lines)).toBe(places);
});

describe("a task about access that no call can take says which keys the plan empties all the same", () => {
  const about = (name: string, code: Finding["code"]): Finding => ({
    kind: "task",
    code,
    fingerprint: name,
    subject: decodeSubject(`user ${name}@acme.example`),
    message: "Have it done by hand.",
    because: [],
    restsOn: [],
  });
  const emptied = (prefix: string, name: string) =>
    aReplacement(prefix, { of: "prefix", prefix: observed(prefix, "users") }, [], { owner: person(name) });
  const many = Array.from({ length: 13 }, (_, index) => emptied(`c${index}`, "cy"));
  const findings = [
    about("ada", "conflicting-roles"),
    about("ada", "leaver-remains"),
    about("bo", "leaver-remains"),
    about("cy", "leaver-remains"),
    about("di", "leaver-remains"),
  ];
  const plan = { ...aPlan([emptied("k1", "ada"), emptied("k2", "ada"), emptied("k3", "bo"), ...many]), findings };

  test.each(viewNames)("with --view %s, and stands before other tasks", (view) => {
    const text = renderPlan(plan, { paint: plain, view });
    expect(text.match(/(?<=by hand\.\n {6})This(?:.|\n {6})*/gu)).toEqual([
      "This plan leaves the keys k1 and k2 without roles.",
      "This plan leaves the key k3 without roles.",
      "This plan leaves the keys c0, c1, c2, c3, c4, c5, c6, c7, c8, c9 and 3 more without roles.",
    ]);
    expect(text.match(/! user .*: \S+/gu)?.at(-1)).toBe("! user ada@acme.example: conflicting-roles");
  });
});

test("one command allows all that is left, besides what is allowed already, with the paths and the selection", () => {
  const record = (name: string) => {
    const address = addressOf(name);
    return [address, { address, email: address, account: "acc-1", createdAt: "2026-11-01T00:00:00.000Z" }] as const;
  };
  const roster = aRoster({ users: [aUser("ada"), aUser("bo")] });
  const users = new Map([record("ada"), record("bo")]);
  const plan = planned(aPlanInput({ roster, state: aState({ users }) }));
  const codes = plan.findings.flatMap(({ allow = [] }) => allow);
  const allowed = [{ code: "refused:cy@acme.example#0123456789ab", covers: ["user"] }];
  const planAgain = "roster apply roster.yaml --include team:Data";
  const last = (text: string) => text.split("\n").slice(-3);
  expect(last(renderPlan({ ...plan, allowed }, { paint: plain, planAgain }))).toEqual([
    "To allow both exceptions:",
    `  ${planAgain} --allow ${[allowed[0]?.code, ...codes].join(" --allow ")}`,
    "",
  ]);
});
