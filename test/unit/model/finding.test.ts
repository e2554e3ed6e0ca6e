import { expect, test } from "vitest";
import { createFinding, type FindingInput } from "../../../src/model/finding.ts";
import { userSubject } from "../../../src/model/subject.ts";

import { addressOf } from "../../support/roster-builders.ts";

function found(parts: Partial<FindingInput>) {
  const subject = userSubject(addressOf("ada"));
  return createFinding({ code: "leaver-remains", subject, message: "m", because: [], restsOn: [], ...parts });
}

test("a notice and another aspect of the same code and subject are other findings, so that what was accepted of one is not of the other", () => {
  const inputs: readonly Partial<FindingInput>[] = [{}, { notice: true }, { aspect: "unproven" }];
  const findings = inputs.map(found);
  expect(new Set(findings.map(({ fingerprint }) => fingerprint)).size).toBe(3);
  expect(findings.map(({ class: of, blocking }) => [of, blocking])).toEqual([
    ["blocked", true],
    ["information", false],
    ["blocked", true],
  ]);
  expect(findings.map(Object.keys)).toEqual(findings.map(() => Object.keys(findings[0] ?? {})));
});

test("a call that is waited for stays the same finding", () => {
  const [shown, waited] = [found({ code: "write-pending" }), found({ code: "write-pending", waits: true })];
  expect([shown.blocking, waited.blocking, waited.fingerprint]).toEqual([false, true, shown.fingerprint]);
});
