import { expect, test } from "vitest";
import type { LearnedOutcome } from "../../../src/model/event.ts";
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
  succeeded,
} from "../../support/event-builders.ts";
import { addressOf } from "../../support/roster-builders.ts";

test("the calls that were answered are sampled by kind and time: the latest first, three at the most", () => {
  const state = emptyState("l");
  const session = { state, now: () => state };
  const knowledge = new RunKnowledge({ plan: aPlan([]), run: "r1", session, former: new Set() });
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
