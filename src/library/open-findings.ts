import { applyEvents } from "../log/fold.ts";
import { findingsSeen, peopleGone, usersObserved } from "../log/observed-events.ts";
import { type RunSummary, refusedMembers } from "../log/summary.ts";
import { definedFields } from "../model/collections.ts";
import type { Drift, DriftItem, Tasks } from "../model/drift.ts";
import type { RunEvent } from "../model/event.ts";
import type { Plan } from "../model/plan.ts";
import type { Policy } from "../model/policy.ts";
import type { RoleSet } from "../model/role-set.ts";
import type { Roster } from "../model/roster.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { State } from "../model/state.ts";
import { findSubjectsInProgress } from "../plan/drift/compute-drift.ts";
import { accessSeen } from "../plan/drift/seen.ts";
import { provesGone, tasksOf } from "../plan/drift/tasks.ts";
import { type Clock, isoTime } from "../ports/clock.ts";
import type { LogSession } from "../ports/log.ts";
import { record } from "./lock.ts";
import type { Planned } from "./plan.ts";

interface Recorder {
  readonly roster: Roster;
  readonly clock: Clock;
}

interface CheckedDrift {
  readonly planned: Planned;
  readonly drift: Drift;
  readonly policy: Policy;
  readonly closed?: ReadonlySet<string>;
  /** As it was when the service was read, where the plan rests on more. */
  readonly before?: State;
}

export async function recordSeen(
  session: LogSession,
  read: { readonly snapshot: Snapshot; readonly privilegedRoles: RoleSet },
  recorder: Recorder,
): Promise<void> {
  const events = newlySeen({ ...read, allowed: undefined, before: session.state }, session.state, recorder);
  if (events.length > 0) await record(session, events, "what was seen is not remembered");
}

/** What a clean read makes known of people, members and keys that the roster names. `before`: the state when the service was read. */
function newlySeen(
  read: Parameters<typeof recordSeen>[1] & { readonly allowed: Plan["allowed"]; readonly before: State },
  state: State,
  { clock, roster }: Recorder,
): readonly RunEvent[] {
  const { snapshot, privilegedRoles, allowed, before } = read;
  if (snapshot.everyone.read === "incomplete") return [];
  const at = isoTime(clock);
  const people = usersObserved(roster, snapshot, state, { at, allowed });
  const known = people === undefined ? state : applyEvents(state, [people]);
  // What a run works on, or has written since the read, is known by what it did.
  const moving = findSubjectsInProgress({ before, after: state, underWay: true });
  const access = accessSeen({ roster, snapshot, state: known, privilegedRoles, moving, at });
  return [people, access].filter((event) => event !== undefined);
}

/** Records in a locked log what was seen for the first time, which differences are new and which are gone. */
export async function recordOpenFindings(
  session: LogSession,
  checked: CheckedDrift,
  recorder: Recorder,
): Promise<"recorded" | "known"> {
  const { state } = session;
  const { planned, policy, before = planned.state } = checked;
  const { snapshot, plan } = planned;
  const read = { snapshot, privilegedRoles: policy.privilegedRoles, allowed: plan.allowed, before };
  const gone = peopleGone(snapshot, state);
  const events = [newOpenFindings(checked, state, recorder.clock), gone, ...newlySeen(read, state, recorder)];
  const news = events.filter((event) => event !== undefined);
  if (news.length === 0) return "known";
  await record(session, news, "what was seen is not remembered");
  return "recorded";
}

/** What the state does not know yet of a drift, and what it knows that is proven to be gone. */
function newOpenFindings({ planned, drift, policy, closed }: CheckedDrift, state: State, clock: Clock) {
  const { snapshot } = planned;
  const check = { at: isoTime(clock), service: snapshot.service, proves: provesGone(snapshot, policy, state) };
  return findingsSeen(drift, state, { ...check, ...definedFields({ closed }) });
}

/** What of a drift is left to people, and what of it is done since the state was saved. */
export function findTasks(checked: CheckedDrift, state: State, { roster, clock }: Recorder): Tasks {
  const { gone = [] } = newOpenFindings(checked, state, clock) ?? {};
  return tasksOf(checked.drift, gone, { state, roster });
}

/** Fingerprints of what a run has put right: what it did, and what came to be as wanted without it. */
export function fixedByRun(run: RunSummary | undefined, { items }: Drift): ReadonlySet<string> {
  return new Set(items.filter((item) => isFixed(item, run)).map(({ fingerprint }) => fingerprint));
}

function isFixed({ of }: DriftItem, run: RunSummary | undefined): boolean {
  const outcome = of.is === "action" ? run?.outcomes.get(of.action) : undefined;
  if (of.is === "finding" || outcome === undefined) return false;
  if (outcome.is !== "succeeded") return outcome.is === "unneeded";
  if (outcome.learned.kind !== "add-members" || of.person === undefined) return true;
  const refused = refusedMembers(outcome).some(({ address }) => address === of.person);
  return !refused && outcome.learned.members.some(({ address }) => address === of.person);
}
