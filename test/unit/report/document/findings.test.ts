import { describe, expect, test } from "vitest";
import { observed, type Reason, reasonAt } from "../../../../src/model/fact.ts";
import type { Finding } from "../../../../src/model/finding.ts";
import { decodeSubject } from "../../../../src/model/subject.ts";
import { findingLines } from "../../../../src/report/document/findings.ts";
import { plain, viewNames } from "../../../../src/report/outcome.ts";
import { renderLines } from "../../../../src/report/text/lines.ts";
import { renderPlan } from "../../../../src/report/text/text.ts";
import { aPlan, aReplacement, person } from "../../../support/action-builders.ts";
import { samplePlan } from "../../../support/report-samples.ts";

const memberIn = (line: number): Reason => reasonAt({ file: "t.yaml", line, column: 3 }, "member");

function seeAlso(...lines: readonly number[]): string | undefined {
  const [sample] = samplePlan.findings;
  if (sample === undefined) throw new Error("no finding");
  const text = renderLines(findingLines({ ...sample, because: lines.map(memberIn) }), plain);
  return /see also (.*(?:\n {6}t\.yaml.*)*)/u.exec(text)?.[1];
}

test.each([
  ["nothing where a finding has one place", [1], undefined],
  ["nothing where it has that place twice", [1, 1], undefined],
  ["every other place once", [1, 2, 2, 1], "t.yaml:2:3"],
  ["six", [1, 2, 3, 4, 5, 6, 7], "t.yaml:2:3, t.yaml:3:3, t.yaml:4:3, t.yaml:5:3, t.yaml:6:3, t.yaml:7:3"],
  [
    "of more the first five, and how many there are",
    Array.from({ length: 3000 }, (_, index) => index + 1),
    "t.yaml:2:3, t.yaml:3:3, t.yaml:4:3, t.yaml:5:3, t.yaml:6:3 and 2994 more",
  ],
])("a finding names beside its first place %s", (_, lines, places) => {
  expect(seeAlso(...lines)).toBe(places);
});

describe("a finding of access that no call can take says which keys the plan empties all the same", () => {
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
    about("ada", "leaver-remains"),
    about("bo", "leaver-remains"),
    about("cy", "leaver-remains"),
    about("di", "leaver-remains"),
    about("ada", "conflicting-roles"),
  ];
  const plan = { ...aPlan([emptied("k1", "ada"), emptied("k2", "ada"), emptied("k3", "bo"), ...many]), findings };

  test.each(viewNames)("with --view %s", (view) => {
    const text = renderPlan(plan, { paint: plain, view });
    expect(text.match(/(?<=by hand\.\n {6})This(?:.|\n {6})*/gu)).toEqual([
      "This plan leaves the keys k1 and k2 without roles.",
      "This plan leaves the key k3 without roles.",
      "This plan leaves the keys c0, c1, c2, c3, c4, c5, c6, c7, c8, c9 and 3 more without roles.",
    ]);
  });
});
