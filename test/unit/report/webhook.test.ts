import fc from "fast-check";
import { expect, test } from "vitest";
import type { DriftItem, TodoEntry } from "../../../src/model/drift.ts";
import { createFinding } from "../../../src/model/finding.ts";
import { decodeSubject, userSubject } from "../../../src/model/subject.ts";
import { driftMessage, routeOutcome } from "../../../src/report/webhook.ts";
import { anyToldOutcome } from "../../support/arbitrary-told.ts";
import { sha256 } from "../../support/plan-inputs.ts";
import { addressOf } from "../../support/roster-builders.ts";
import { isWebhookMessage } from "../../support/webhook-message.ts";

const delivery = { id: "d-1", at: "2026-11-20T06:00:00.000Z", version: "0.1.0" };

function item(index: number, parts: Partial<DriftItem> = {}): DriftItem {
  const finding = {
    class: "blocked",
    blocking: true,
    code: "user-missing",
    fingerprint: `f${index}`,
    subject: decodeSubject(`user u${index}@acme.example`),
    message: "x".repeat(2000),
    because: [],
    restsOn: [],
  } as const;
  const { fingerprint, code, subject } = finding;
  const of = { is: "finding", finding } as const;
  return { fingerprint, class: "blocked", code, subject, counts: "blocking", guarded: false, of, ...parts };
}

function read(items: readonly DriftItem[]): Readonly<Record<string, unknown>> {
  const drift = { items, coverage: { users: { shown: 0, named: 0 } }, idle: [] };
  const told = { drift, todo: { open: [], closed: [] }, shows: "everything", record: { is: "recorded" } } as const;
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
    tampered: { new: 0, known: 1, acknowledged: 0 },
    blocked: { new: 1, known: 1, acknowledged: 0 },
    unmanaged: { new: 1, known: 0, acknowledged: 0 },
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

function ownedItem(name: string, parts: Partial<DriftItem> = {}): DriftItem {
  const subject = userSubject(addressOf(name));
  const finding = createFinding({ code: "user-missing", subject, message: "", because: [], restsOn: [] }, sha256);
  const of = { is: "finding", finding } as const;
  const { fingerprint, code } = finding;
  return { fingerprint, class: "blocked", code, subject, counts: "blocking", guarded: false, of, ...parts };
}

function todoEntry(one: DriftItem): TodoEntry {
  if (one.of.is !== "finding") throw new Error("a finding");
  return { item: one, finding: one.of.finding, status: "opened", since: "2026-11-20T09:00:00.000Z" };
}

/** Who is told of which items, things to do and things done. */
function routed(items: readonly DriftItem[], owners: readonly string[]) {
  const closed = [{ fingerprint: "f", code: "user-missing", subject: "user x", since: "", owner: "data-team" }];
  const drift = {
    drift: { items, coverage: { users: { shown: 0, named: 0 } }, idle: [] },
    todo: { open: items.map(todoEntry), closed },
    shows: "everything",
    record: { is: "recorded" },
  } as const;
  const outcome = { command: "drift", exitCode: 9, diagnostics: [], drift } as const;
  const names = (all: readonly DriftItem[] = []) =>
    all.map(({ subject }) => (subject.kind === "user" ? subject.address.replace(/@.*/u, "") : "")).join(" ");
  return routeOutcome(outcome, owners).map(({ owner = "default", outcome: { drift: told } }) =>
    [owner, names(told?.drift.items), names(told?.todo.open.map((one) => one.item)), told?.todo.closed.length].join(
      ": ",
    ),
  );
}

const ada = ownedItem("ada", { owner: "platform-team" });
const bo = ownedItem("bo", { owner: "data-team" });
const cy = ownedItem("cy");

test("each owner gets their own items, and the default webhook the rest", () => {
  expect(routed([ada, bo, cy], ["platform-team", "data-team", "nobody"])).toEqual([
    "default: cy: cy: 0",
    "platform-team: ada: ada: 0",
    "data-team: bo: bo: 1",
  ]);
  expect(routed([ada, bo, cy], [])).toEqual(["default: ada bo cy: ada bo cy: 1"]);
});

test("what is about privileged roles or guards goes to the default webhook as well", () => {
  expect(routed([ownedItem("ada", { owner: "platform-team", guarded: true })], ["platform-team"])).toEqual([
    "default: ada: ada: 1",
    "platform-team: ada: ada: 0",
  ]);
});

test("nobody is told of what does not count alone; where nothing counts, the default webhook is told", () => {
  const notice = ownedItem("di", { owner: "platform-team", counts: "nothing" });
  expect(routed([notice, bo], ["platform-team", "data-team"])).toEqual(["data-team: bo: bo: 1"]);
  expect(routed([notice], ["platform-team"])).toEqual(["default: : : 1"]);
});

test("addresses are compared folded, names exactly", () => {
  const owned = [ownedItem("ada", { owner: "Olga@acme.example" }), ownedItem("bo", { owner: "Data-Team" })];
  expect(routed(owned, ["olga@ACME.example", "data-team"])).toEqual([
    "default: bo: bo: 0",
    "olga@ACME.example: ada: ada: 0",
  ]);
});

test("a drift that failed goes to the default webhook", () => {
  const outcome = { command: "drift", exitCode: 1, diagnostics: [] } as const;
  expect(routeOutcome(outcome, ["platform-team"])).toEqual([{ outcome }]);
});
