import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyEvents } from "../../../src/journal/fold.ts";
import { goneFor } from "../../../src/journal/record-events.ts";
import type { FoldedAddress } from "../../../src/model/address.ts";
import type { RunEvent } from "../../../src/model/event.ts";
import { emptyState, type State } from "../../../src/model/state.ts";
import { creationIntent, intended } from "../../support/event-builders.ts";
import { runs } from "../../support/property-runs.ts";
import { addressOf, emailOf } from "../../support/roster-builders.ts";

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
