import { peopleSeen, rosterApplied, serviceLearned } from "../../journal/observed-events.ts";
import { refusalsReviewed } from "../../journal/refusals.ts";
import type { RosterApplied } from "../../model/event.ts";
import type { Policy } from "../../model/policy.ts";
import { type Roster, rosterDigest } from "../../model/roster.ts";
import type { PlanningEvent } from "../../model/saved-files.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { State } from "../../model/state.ts";
import { sha256 } from "../system.ts";
import type { Planned } from "./pipeline.ts";

/**
 * What planning has taught beyond the plan, as events that an apply records before anything is sent; the first tells who is
 * known under another address or name by now, the last whom the roster is about. `at` is ISO 8601.
 */
export function learnedEvents(
  { snapshot, state, moved }: Planned,
  { roster, policy, at }: { readonly roster: Roster; readonly policy: Policy; readonly at: string },
): readonly PlanningEvent[] {
  const seen = peopleSeen(roster, snapshot, state, { at, recreate: policy.recreate });
  const learned = serviceLearned(snapshot, state, at);
  const reviewed = refusalsReviewed(roster, snapshot, state, { at, digest: sha256 });
  const applied = isWhole(policy)
    ? rosterAppliedEvent(roster, snapshot, state, { at, released: policy.released })
    : undefined;
  return [moved, seen, learned, reviewed, applied].filter((event) => event !== undefined);
}

/** A run about a part of the roster applies none: whoever is not in that part was not dropped. */
function isWhole({ include, exclude }: Policy): boolean {
  return include.length + exclude.length === 0;
}

function rosterAppliedEvent(
  roster: Roster,
  snapshot: Snapshot,
  state: State,
  said: { readonly at: string; readonly released: Policy["released"] },
): RosterApplied | undefined {
  return rosterApplied(roster, snapshot, state, { ...said, digest: rosterDigest(roster, sha256) });
}
