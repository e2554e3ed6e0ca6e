import { isUnusedState } from "../codec/state.ts";
import { applyEvents } from "../log/fold.ts";
import { rebuildState } from "../log/observed-events.ts";
import type { Policy } from "../model/policy.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { emptyState } from "../model/state.ts";
import { observe } from "../observe/observe.ts";
import { accessSeen } from "../plan/drift/access-seen.ts";
import { isoTime } from "../ports/clock.ts";
import { orThrow, stopError } from "./error.ts";
import { type LockedLog, record } from "./log.ts";
import { type PlanOptions, portsFor } from "./plan.ts";

/** Fills a locked log after the former one was lost, from what the service shows of the roster, and returns that. Overwrites nothing. */
export async function rebuildLog(
  lock: LockedLog,
  planning: PlanOptions & { readonly policy: Policy },
): Promise<Snapshot> {
  const { address, clock } = lock.log;
  const { service, policy } = planning;
  const { roster } = planning.roster;
  const { serial, users: known } = lock.state;
  if (!isUnusedState(lock.state))
    throw stopError(
      "refused",
      "unwritable",
      `roster does not overwrite the log at ${address}: it has ${serial} events and ${known.size} users`,
      "Use this log. If it is damaged or for another service, give a new place with --state",
    );
  const empty = emptyState("");
  const everything = { roster, state: empty, everyone: "always" } as const;
  const snapshot = orThrow(await observe(everything, portsFor(service, clock, planning)));
  const at = isoTime(clock);
  const events = [...rebuildState(roster, snapshot, at)];
  if (snapshot.everyone.read !== "incomplete") {
    const state = applyEvents(empty, events);
    const seen = accessSeen({ roster, snapshot, state, at, policy, moving: new Set() });
    if (seen !== undefined) events.push(seen);
  }
  await record(lock, events, "nothing was rebuilt");
  return snapshot;
}
