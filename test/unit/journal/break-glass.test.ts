import { expect, test } from "vitest";
import { pseudonymize } from "../../../src/codec/pseudonymize.ts";
import { rewriteAuditRecord } from "../../../src/codec/rewrite-addresses.ts";
import { newAuditFold } from "../../../src/journal/audit-records.ts";
import { applyEvents } from "../../../src/journal/fold.ts";
import type { BreakGlassBegun, RunEvent } from "../../../src/model/event.ts";
import { emptyState } from "../../../src/model/state.ts";
import { teamKeyOf } from "../../../src/model/team.ts";
import { addressOf } from "../../support/roster-builders.ts";
import { testSeal } from "../../support/snapshot-file.ts";

const red = { key: teamKeyOf("acc-1", "Red"), name: "Red" };
const ofAda = { what: "roles", address: addressOf("ada"), team: red, roles: ["ACCOUNT_ADMIN"] } as const;
const ofBo = { what: "member", address: addressOf("bo"), team: red } as const;
const begun: BreakGlassBegun = {
  type: "break-glass-begun",
  at: "2026-11-20T09:00:00.000Z",
  run: "r1",
  plan: "p1",
  reason: "INC-42",
  until: "2026-11-20T13:00:00.000Z",
  actor: { name: "olga", source: "os" },
  allowed: ["privileged-roles@3f2a90c1d4e5b678"],
  gives: [ofAda, ofBo],
};
const finished: RunEvent = { type: "run-finished", at: "2026-11-20T09:01:00.000Z", ended: "completed" };
const { type: _, ...record } = begun;

function after(...events: readonly RunEvent[]) {
  return [...(applyEvents(emptyState("l"), events).breakGlass?.values() ?? [])];
}

test("what an emergency gives is remembered, and when its run had ended: the first end counts", () => {
  expect(after(begun)).toEqual([record]);
  expect(after(begun, finished, { ...finished, at: "2026-11-21T00:00:00.000Z" })).toEqual([
    { ...record, endedAt: finished.at },
  ]);
});

test("an emergency that gives nothing leaves nothing to take back", () => {
  expect(after({ ...begun, gives: [] })).toEqual([]);
});

test("what is taken back is forgotten, and nothing else", () => {
  const closed = (gone: BreakGlassBegun["gives"]): RunEvent => ({
    type: "break-glass-closed",
    at: finished.at,
    run: "r1",
    gone,
  });
  expect(after(begun, closed([ofAda]))).toEqual([{ ...record, gives: [ofBo] }]);
  expect(after(begun, { ...closed([ofAda]), run: "another" } as RunEvent)).toEqual([record]);
  expect(applyEvents(emptyState("l"), [begun, closed([ofAda, ofBo])])).toEqual(emptyState("l"));
});

test("a person and a team are known under their new names", () => {
  const crimson = { key: teamKeyOf("acc-1", "Crimson"), name: "Crimson" };
  const moved: RunEvent = {
    type: "records-moved",
    at: finished.at,
    people: [{ from: addressOf("ada"), to: addressOf("eda"), email: "eda@acme.example" }],
    teams: [{ from: red.key, to: crimson.key, name: "Crimson" }],
  };
  expect(after(begun, moved)).toEqual([
    {
      ...record,
      gives: [
        { ...ofAda, address: addressOf("eda"), team: crimson },
        { ...ofBo, team: crimson },
      ],
    },
  ]);
});

test("the audit trail has why, until when and what, and later what was taken back", () => {
  const recordsOf = newAuditFold("r1", emptyState("l"));
  expect(recordsOf(begun)).toEqual([
    {
      kind: "break-glass",
      at: begun.at,
      run: "r1",
      plan: "p1",
      reason: "INC-42",
      until: begun.until,
      allowed: begun.allowed,
      gives: [
        { what: "roles", person: addressOf("ada"), team: "Red", prefix: undefined, roles: ["ACCOUNT_ADMIN"] },
        { what: "member", person: addressOf("bo"), team: "Red", prefix: undefined, roles: undefined },
      ],
    },
  ]);
  const later = newAuditFold("r2", emptyState("l"));
  expect(later({ type: "break-glass-closed", at: finished.at, run: "r1", gone: [ofBo] })).toEqual([
    {
      kind: "break-glass-closed",
      at: finished.at,
      run: "r2",
      of: "r1",
      gone: [{ what: "member", person: addressOf("bo"), team: "Red", prefix: undefined, roles: undefined }],
    },
  ]);
});

test("an audit trail with pseudonyms names nobody of an emergency", () => {
  const [record] = newAuditFold("r1", emptyState("l"))({ ...begun, reason: "INC-42 for ada@acme.example" });
  if (record === undefined) throw new Error("there is no record");
  const written = rewriteAuditRecord(record, pseudonymize(testSeal, [addressOf("ada"), addressOf("bo")]));
  expect(JSON.stringify(written)).not.toContain("@acme.example");
});
