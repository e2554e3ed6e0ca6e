import { expect, test } from "vitest";
import type { LearnedOutcome, RunEvent } from "../../../src/model/event.ts";
import type { Intent } from "../../../src/model/recorded.ts";
import { emptyState } from "../../../src/model/state.ts";
import { RunKnowledge } from "../../../src/run/knowledge.ts";
import { aPlan } from "../../support/action-builders.ts";
import {
  added,
  addedTo,
  additionIntent,
  created,
  creationIntent,
  intended,
  noon,
  science,
  succeeded,
} from "../../support/event-builders.ts";
import { addressOf } from "../../support/roster-builders.ts";

function nothingKnown(): RunKnowledge {
  const state = emptyState("l");
  const session = { state, now: () => state };
  return new RunKnowledge({ plan: aPlan([]), run: "r1", session, former: new Set() });
}

test("the calls that were answered are sampled by kind and time: the latest first, three at the most", () => {
  const knowledge = nothingKnown();
  const answered = (action: string, intent: Intent, learned: LearnedOutcome, begun: number) => {
    knowledge.note(intended("r1", action, intent), begun);
    knowledge.note(succeeded(action, learned), 10_000);
  };
  for (const [index, name] of ["ada", "bo", "cy", "di", "ed"].entries()) {
    answered(`c-${name}`, creationIntent(name), created(name), index * 1000);
  }
  answered("a", additionIntent("fe"), addedTo(added("fe")), 4000);
  const since = (begun: number) => knowledge.neighboursOf(creationIntent("zoe"), begun).map(({ address }) => address);
  expect([0, 3000, 4000, 5001].map(since)).toEqual([
    ["ed", "di", "cy"].map(addressOf),
    ["ed", "di", "cy"].map(addressOf),
    ["ed", "di"].map(addressOf),
    [],
  ]);
});

test("a key is theirs once the call that was under way has its answer, also where the same action sends another one", () => {
  const knowledge = nothingKnown();
  const [address, prefix] = [addressOf("ada"), "k-1"];
  const events: readonly RunEvent[] = [
    intended("r1", "a", additionIntent("ada")),
    intended("r1", "b", additionIntent("bo", "cy")),
    succeeded("a", addedTo({ ...added("ada", prefix), provisional: true })),
    { type: "resolved", at: noon, run: "r1", action: "b", as: { done: true, learned: addedTo(added("bo")) } },
    intended("r1", "b", additionIntent("cy")),
  ];
  const known = events.map((event) => {
    knowledge.note(event, 0);
    return knowledge.givenKey(address, science)?.prefix;
  });
  expect(known).toEqual([undefined, undefined, undefined, prefix, prefix]);
});
