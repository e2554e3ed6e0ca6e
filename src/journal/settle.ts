import type { Intent, RunEvent } from "../model/run-event.ts";
import { laterSettlingTime, longestAnnounced, settlingTime } from "../model/settling.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { OpenIntent, State } from "../model/state.ts";
import { judgeAddition } from "./judge-addition.ts";
import { judgeCreation, judgeDeclined } from "./judge-creation.ts";
import { leftOpen } from "./left-open.ts";
import { type Age, type Evidence, evidenceOf, type Verdict } from "./settling-evidence.ts";
import { taughtBy } from "./taught.ts";

/** What reading has to say of the calls whose outcome was never learned. */
export interface Settlement {
  /** `settled` events, each followed by what else reading has taught of it. */
  readonly events: readonly RunEvent[];
  readonly unsettled: readonly OpenIntent[];
}

/**
 * Settles open intents by the facts of a snapshot, never by sending again: what is shown was done; what complete
 * reads do not show once the settling time is over was not done; the rest stays open.
 */
export function settleOpen(state: State, snapshot: Snapshot, at: string): Settlement {
  if (state.open.length === 0) return { events: [], unsettled: [] };
  const evidence = evidenceOf(snapshot);
  const events: RunEvent[] = [];
  const unsettled: OpenIntent[] = [];
  for (const open of state.open) {
    const verdict = judgeOpen(open, evidence, ageOf(open, state, snapshot));
    const left = verdict === undefined ? open : leftOpen(open, verdict.except);
    if (left !== undefined) unsettled.push(left);
    if (verdict !== undefined) events.push(...settled(open, verdict, at));
  }
  return { events, unsettled };
}

function settled({ run, action, intent }: OpenIntent, verdict: Verdict, at: string): readonly RunEvent[] {
  const { as } = verdict;
  return [{ type: "settled", at, run, action, ...verdict }, ...(as.done ? taughtBy(intent, as.learned, at) : [])];
}

function ageOf(open: OpenIntent, { queues }: State, snapshot: Snapshot): Age {
  // A run that died may have been told that the call is taken for later, and have recorded nothing of it; a refusal is told at once.
  const mayBeDoneLater = open.accepted === true || (queues !== undefined && open.declined === undefined);
  const needed = mayBeDoneLater ? laterSettlingTime : settlingTime;
  const age = Date.parse(snapshot.readAt) - Date.parse(open.at);
  // No announcement reaches so far: another clock is ahead, and whoever reads has waited for the settling time.
  const isOfAnotherClock = !mayBeDoneLater && age < settlingTime - longestAnnounced;
  return age >= needed || isOfAnotherClock ? "settled" : "fresh";
}

function judgeOpen({ intent, declined }: OpenIntent, evidence: Evidence, age: Age): Verdict | undefined {
  const isDeclined = intent.kind === "create-user" && declined !== undefined;
  return isDeclined ? judgeDeclined(intent, evidence, age) : judgeCall(intent, evidence, age);
}

/** What reading says of a call of unknown outcome; undefined where it cannot tell yet. */
export function judgeCall(intent: Intent, evidence: Evidence, age: Age): Verdict | undefined {
  switch (intent.kind) {
    case "create-user":
      return judgeCreation(intent, evidence, age);
    case "add-members":
      return judgeAddition(intent, evidence, age);
    case "replace-roles":
      // Asking for the same roles again does no harm: the plan does so where they are not as wanted.
      return { as: { done: false } };
  }
}
