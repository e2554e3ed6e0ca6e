import type { Intent, RunEvent } from "../model/event.ts";
import { sameRoles } from "../model/role-set.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { decidedFrom, type OpenIntent, type State } from "../model/state.ts";
import { assessAddition } from "./judge-addition.ts";
import { assessCreation, assessDeclinedCreation } from "./judge-creation.ts";
import { remainingIntent } from "./left-open.ts";
import { type CallEvidence, type CallVerdict, evidenceFromSnapshot, type IntentAge } from "./settling-evidence.ts";
import { derivedEvents } from "./taught.ts";

type ReplacementIntent = Extract<Intent, { readonly kind: "replace-roles" }>;

/** What reading has to say of the calls whose outcome was never learned. */
export interface Settlement {
  /** `settled` events, each followed by what else reading has taught of it. */
  readonly events: readonly RunEvent[];
  readonly unsettled: readonly OpenIntent[];
}

/** `consistency`: milliseconds within which reads may not show a write, where a person has set them. */
export interface SettlingTimes {
  /** ISO 8601, now. */
  readonly at: string;
  readonly consistency: number | undefined;
}

/**
 * Settles open intents by the facts of a snapshot, never by sending again: what is shown was done; what complete
 * reads do not show once the consistency window is over was not done; the rest stays open.
 */
export function settleOpen(state: State, snapshot: Snapshot, { at, consistency }: SettlingTimes): Settlement {
  if (state.open.length === 0) return { events: [], unsettled: [] };
  const evidence = evidenceFromSnapshot(snapshot);
  const events: RunEvent[] = [];
  const unsettled: OpenIntent[] = [];
  for (const open of state.open) {
    const verdict = assessOpenIntent(open, evidence, intentAge(open, state, { readAt: snapshot.readAt, consistency }));
    const left = verdict === undefined ? open : remainingIntent(open, verdict.except);
    if (left !== undefined) unsettled.push(left);
    if (verdict !== undefined) events.push(...settledEvents(open, verdict, at));
  }
  return { events, unsettled };
}

function settledEvents({ run, action, intent }: OpenIntent, verdict: CallVerdict, at: string): readonly RunEvent[] {
  const { as } = verdict;
  return [{ type: "settled", at, run, action, ...verdict }, ...(as.done ? derivedEvents(intent, as.learned, at) : [])];
}

function intentAge(
  open: OpenIntent,
  state: State,
  { readAt, consistency }: { readonly readAt: string; readonly consistency: number | undefined },
): IntentAge {
  return Date.parse(readAt) >= decidedFrom(open, state, consistency) ? "settled" : "fresh";
}

function assessOpenIntent(
  { intent, declined }: OpenIntent,
  evidence: CallEvidence,
  age: IntentAge,
): CallVerdict | undefined {
  if (intent.kind === "create-user" && declined !== undefined)
    return assessDeclinedCreation(intent, declined, evidence, age);
  return assessCall(intent, evidence, age);
}

/** What reading says of a call of unknown outcome; undefined where it cannot tell yet. */
export function assessCall(intent: Intent, evidence: CallEvidence, age: IntentAge): CallVerdict | undefined {
  switch (intent.kind) {
    case "create-user":
      return assessCreation(intent, evidence, age);
    case "add-members":
      return assessAddition(intent, evidence, age);
    case "replace-roles":
      return assessReplacement(intent, evidence);
  }
}

/** Asking for the same roles again does no harm: the plan does so where they are not as wanted. */
function assessReplacement({ owner, prefix, roles }: ReplacementIntent, evidence: CallEvidence): CallVerdict {
  const users = owner === undefined ? [] : evidence.usersAt(owner);
  const keys = users.flatMap((user) => user.keys ?? []);
  const shown = keys.find((key) => key.prefix === prefix)?.roles;
  if (shown === undefined || !sameRoles(shown, roles)) return { as: { done: false } };
  return { as: { done: true, learned: { kind: "replace-roles", prefix, roles: shown } } };
}
