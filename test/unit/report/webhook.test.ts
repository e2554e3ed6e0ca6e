import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeSubject } from "../../../src/model/fact.ts";
import type { DriftItem } from "../../../src/model/plan.ts";
import { driftMessage } from "../../../src/report/webhook.ts";
import { anyToldOutcome } from "../../support/arbitrary-told.ts";
import { isWebhookMessage } from "../../support/webhook-message.ts";

const delivery = { delivery: "d-1", at: "2026-11-20T06:00:00.000Z", rosterVersion: "0.1.0" };

function item(index: number, parts: Partial<DriftItem> = {}): DriftItem {
  const finding = {
    kind: "task",
    code: "user-missing",
    fingerprint: `f${index}`,
    subject: decodeSubject(`user u${index}@acme.example`),
    message: "x".repeat(2000),
    because: [],
    restsOn: [],
  } as const;
  const { fingerprint, code, subject } = finding;
  const of = { is: "finding", finding } as const;
  return { fingerprint, class: "blocked", code, subject, counts: "blocking", of, ...parts };
}

function read(items: readonly DriftItem[]): Readonly<Record<string, unknown>> {
  const drift = { items, coverage: { users: { shown: 0, named: 0 } }, unusedAccepts: [] };
  const told = { drift, tasks: { open: [], closed: [] }, shows: "everything", record: { is: "recorded" } } as const;
  const text = driftMessage({ command: "drift", exitCode: 9, diagnostics: [], drift: told }, delivery);
  expect(Buffer.byteLength(text)).toBeLessThan(32 * 1024);
  return JSON.parse(text) as Readonly<Record<string, unknown>>;
}

test("of many items the first are told, cut to a length, and the others counted", () => {
  const { items, items_left_out, blocking } = read(Array.from({ length: 500 }, (_, index) => item(index)));
  expect({ many: (items as unknown[]).length, items_left_out, blocking }).toEqual({
    many: 20,
    items_left_out: 480,
    blocking: 500,
  });
  expect((items as readonly { message: string }[])[0]?.message).toBe(`${"x".repeat(499)}…`);
});

test("the worst class comes first, and what is new within it; what counts for nothing is counted alone", () => {
  const told = read([
    item(1, { since: "2026-11-01T06:00:00.000Z" }),
    item(2),
    item(3, { class: "tampered", counts: "change", since: "2026-11-01T06:00:00.000Z" }),
    item(4, { class: "unmanaged", counts: "nothing" }),
  ]);
  expect((told["items"] as readonly { fingerprint: string }[]).map(({ fingerprint }) => fingerprint)).toEqual([
    "f3",
    "f2",
    "f1",
  ]);
  expect(told["classes"]).toMatchObject({
    tampered: { new: 0, known: 1, accepted: 0 },
    blocked: { new: 1, known: 1, accepted: 0 },
    unmanaged: { new: 1, known: 0, accepted: 0 },
  });
});

test("whatever the texts hold, it is what its schema says, and bounded", () => {
  fc.assert(
    fc.property(anyToldOutcome, (outcome) => {
      const text = driftMessage({ ...outcome, exitCode: 9 }, delivery);
      expect(isWebhookMessage(JSON.parse(text)), JSON.stringify(isWebhookMessage.errors)).toBe(true);
      expect(Buffer.byteLength(text)).toBeLessThan(128 * 1024);
    }),
    { seed: 6, numRuns: 60 },
  );
});
