import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { pseudonymize } from "../../../src/codec/pseudonymize.ts";
import { rewriteAuditRecord } from "../../../src/codec/rewrite-addresses.ts";
import { newAuditFold } from "../../../src/journal/audit-records.ts";
import { applyEvents } from "../../../src/journal/fold.ts";
import { goneFor } from "../../../src/journal/record-events.ts";
import type { FoldedAddress } from "../../../src/model/address.ts";
import type { BreakGlassBegun, RunEvent } from "../../../src/model/event.ts";
import { emptyState, type State } from "../../../src/model/state.ts";
import { teamKeyOf } from "../../../src/model/team.ts";
import { creationIntent, intended } from "../../support/event-builders.ts";
import { runs } from "../../support/property-runs.ts";
import { addressOf, emailOf } from "../../support/roster-builders.ts";
import { testSeal } from "../../support/snapshot-file.ts";

const [ada, bo] = [addressOf("ada"), addressOf("bo")];
const day = (number: number) => new Date(Date.UTC(2026, 0, 1 + number)).toISOString();

function noted(at: number, gone: readonly FoldedAddress[], back: readonly FoldedAddress[] = []): RunEvent {
  return { type: "people-gone", at: day(at), gone, back };
}

function goneAfter(...events: readonly RunEvent[]): State["gone"] {
  return applyEvents(emptyState("l"), events).gone;
}

describe("since when a person is gone", () => {
  test("is the first proof, for each of them", () => {
    expect(goneAfter(noted(0, [ada]), noted(5, [ada, bo]))).toEqual(
      new Map([
        [ada, { since: day(0) }],
        [bo, { since: day(5) }],
      ]),
    );
  });

  test("is forgotten where they are back, and counts anew where they go again", () => {
    expect(applyEvents(emptyState("l"), [noted(0, [ada]), noted(1, [], [ada])])).toEqual(emptyState("l"));
    expect(goneAfter(noted(0, [ada, bo]), noted(1, [], [ada]))).toEqual(new Map([[bo, { since: day(0) }]]));
    expect(goneAfter(noted(0, [ada]), noted(1, [], [ada]), noted(9, [ada]))).toEqual(
      new Map([[ada, { since: day(9) }]]),
    );
  });

  const service = "https://s.example";
  const person = { address: ada, email: emailOf("ada"), account: "acc-1" };
  test.each<readonly [string, RunEvent]>([
    ["shown", { type: "people-seen", at: day(1), service, people: [person], teams: [] }],
    ["in the roster that is applied", { type: "roster-applied", at: day(1), digest: "d", people: [person] }],
    ["about to be created", intended("r", "a", creationIntent("ada"))],
    [
      "shown under another address",
      { type: "records-moved", at: day(1), people: [{ from: ada, to: addressOf("cy"), email: "" }], teams: [] },
    ],
    [
      "who a person with another address is now",
      { type: "records-moved", at: day(1), people: [{ from: addressOf("cy"), to: ada, email: "" }], teams: [] },
    ],
  ])("is forgotten of somebody who is %s", (_name, event) => {
    expect(goneAfter(noted(0, [ada, bo]), event)).toEqual(new Map([[bo, { since: day(0) }]]));
  });

  test("is the time of the last return, or the first proof after it, whatever happens", () => {
    const step = fc.record({ gone: fc.subarray([ada, bo]), back: fc.subarray([ada, bo]) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const known = goneAfter(...steps.map(({ gone, back }, at) => noted(at, gone, back)));
        for (const address of [ada, bo]) {
          const returned = steps.findLastIndex(({ back }) => back.includes(address));
          const since = steps.findIndex(({ gone }, at) => at > returned && gone.includes(address));
          expect(known?.get(address)).toEqual(since < 0 ? undefined : { since: day(since) });
        }
      }),
      { seed: 20261123, numRuns: runs(300) },
    );
  });
});

test("people are gone for longer than a time, if the proof is older; without a time they are not", () => {
  const gone = new Map([ada, bo].map((one, index) => [one, { since: day(index) }]));
  const at = (now: number, milliseconds: number) =>
    goneFor([ada, bo, addressOf("cy")], { gone }, { now, milliseconds });
  const days = 86_400_000;
  expect(at(Date.parse(day(90)), 90 * days)).toEqual([]);
  expect(at(Date.parse(day(90)) + 1, 90 * days)).toEqual([ada]);
  expect(at(Date.parse(day(92)), 90 * days)).toEqual([ada, bo]);
  expect(at(Date.parse(day(-5)), 90 * days)).toEqual([]);
});

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
