import { expect, test } from "vitest";
import { type Reason, reasonAt } from "../../../src/model/reason.ts";
import { renderLines } from "../../../src/report/lines.ts";
import { plain } from "../../../src/report/outcome.ts";
import { findingLines } from "../../../src/report/text-findings.ts";
import { samplePlan } from "../../support/report-samples.ts";

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
