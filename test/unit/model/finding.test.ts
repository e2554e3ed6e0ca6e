import { expect, test } from "vitest";
import { userSubject } from "../../../src/model/fact.ts";
import { createFinding, type FindingInput, findingClass } from "../../../src/model/finding.ts";
import { addressOf } from "../../support/roster-builders.ts";

function found(parts: Partial<FindingInput>) {
  const subject = userSubject(addressOf("ada"));
  return createFinding({ code: "leaver-remains", subject, message: "m", because: [], restsOn: [], ...parts });
}

test("a notice and another aspect of the same code and subject are other findings, so that what was accepted of one is not of the other", () => {
  const inputs: readonly Partial<FindingInput>[] = [{}, { kind: "notice" }, { aspect: "unproven" }];
  const findings = inputs.map(found);
  expect(new Set(findings.map(({ fingerprint }) => fingerprint)).size).toBe(3);
  expect(findings.map((one) => [one.kind, findingClass(one)])).toEqual([
    ["task", "blocked"],
    ["notice", "information"],
    ["task", "blocked"],
  ]);
});

test("a call that is waited for stays the same finding", () => {
  const [shown, waited] = [found({ code: "write-pending" }), found({ code: "write-pending", kind: "task" })];
  expect([shown.kind, waited.kind, waited.fingerprint]).toEqual(["notice", "task", shown.fingerprint]);
  expect([findingClass(shown), findingClass(waited)]).toEqual(["pending", "pending"]);
});

test.each(["__proto__", "constructor", "toString"])(
  "a code that every object has, such as %s of a saved plan, has the usual class",
  (code) => {
    const hostile = JSON.parse(JSON.stringify({ code, kind: "task" }));
    expect([findingClass(hostile), findingClass({ ...hostile, kind: "notice" })]).toEqual(["blocked", "information"]);
  },
);
