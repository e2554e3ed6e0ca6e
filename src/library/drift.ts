import { applyEvents } from "../log/fold.ts";
import { findingsSeen, peopleGone, usersObserved } from "../log/observed-events.ts";
import type { LockHolder, LogSession } from "../log/port.ts";
import { definedFields } from "../model/collections.ts";
import type { RunEvent } from "../model/event.ts";
import type { Drift, DriftRecording, Plan, Tasks } from "../model/plan.ts";
import type { Policy } from "../model/policy.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { LogHead, State } from "../model/state.ts";
import { accessSeen, type SeenPolicy } from "../plan/drift/access-seen.ts";
import { computeDrift, findSubjectsInProgress } from "../plan/drift/compute-drift.ts";
import { provesGone, tasksOf } from "../plan/drift/tasks.ts";
import { isoTime } from "../ports/clock.ts";
import { type DriftFound, orThrow, rosterError, withoutSecrets } from "./error.ts";
import { activeRun, type LockOptions, lockChecks, lockLog, record, waitForRun } from "./log.ts";
import { checkOptions, is, type OptionChecks } from "./options.ts";
import {
  checkServiceDoubt,
  type Planned,
  type PlanOptions,
  type PlanResult,
  planChecks,
  planFor,
  planResult,
  type Work,
  workOf,
} from "./plan.ts";
import { readPolicy } from "./policy.ts";

export interface DriftOptions extends PlanOptions, LockOptions {
  /** `nothing`: the log does not remember what was seen, and no lock is taken. `log` where it is absent. */
  readonly record?: "log" | "nothing" | undefined;
  /** Called with the run that holds the log: its unfinished work is no drift. */
  readonly holder?: ((holder: LockHolder) => void) | undefined;
  /** Called with the plan of which the drift is computed. */
  readonly planned?: ((planned: PlanResult) => void) | undefined;
}

const driftChecks: OptionChecks<DriftOptions> = {
  ...planChecks,
  ...lockChecks,
  record: is.oneOf("log", "nothing"),
  holder: is.function,
  planned: is.function,
};

/** In what the service and the roster differ. */
export interface DriftResult extends PlanResult, DriftFound {
  /** Where the log ends, if something was recorded. */
  readonly head?: LogHead | undefined;
}

/**
 * Reads everybody, and says in what the service and the roster differ, why and since when. Locks the log only to remember what it
 * saw, and only if that is possible at once.
 */
export async function drift(options: DriftOptions): Promise<DriftResult> {
  checkOptions("drift", driftChecks, options);
  const { policy = readPolicy() } = options;
  const work = workOf({ ...options, policy: { ...policy, reportUnmanaged: true } });
  const { log, secrets } = work;
  return withoutSecrets(secrets, async () => {
    await waitForRun(log, { ...options, signal: work.signal });
    const before = orThrow(await log.store.read());
    const holder = await activeRun(log.store);
    if (holder !== undefined) options.holder?.(holder);
    const planned = await planFor(work, before);
    const result = planResult(planned, secrets);
    options.planned?.(result);
    checkServiceDoubt(planned);
    const found = await compareWithLaterState(work, planned, before, holder, options);
    // The same object, by which `basisOf` knows what it rests on.
    return Object.assign(result, secrets.redactAll(found));
  });
}

/** Reads the state once more, since a run may have worked meanwhile: under the lock, under which the drift is recorded, where it can. What cannot be recorded is reported all the same. */
async function compareWithLaterState(
  work: Work,
  planned: Planned,
  before: State,
  holder: LockHolder | undefined,
  options: DriftOptions,
): Promise<DriftFound & Pick<DriftResult, "head">> {
  const { log, policy, signal } = work;
  const find = (after: State, held: LockHolder | undefined) => {
    const moving = findSubjectsInProgress({ before, after, underWay: held !== undefined });
    const drift = computeDrift(planned.plan, planned.context, { moving });
    return { drift, tasks: findTasks({ planned, drift, policy }, after, work.roster) };
  };
  const unlocked = async (record: DriftRecording): Promise<DriftFound> => {
    const again = await log.store.read();
    return { ...find(again.ok ? again.value : before, holder ?? (await activeRun(log.store))), record };
  };
  if (options.record === "nothing" || signal.aborted) return unlocked({ is: "not-wanted" });
  const lock = await lockLog(log, "drift", { ...options, policy, signal }).catch(unrecorded);
  if ("is" in lock) return unlocked(lock);
  const found = find(lock.state, holder);
  const checked = { planned, before, drift: found.drift, policy };
  const recorded = await recordOpenFindings(lock, checked, work).then((is) => ({ is }), unrecorded);
  const unsaved = await lock.finish().then(() => undefined, unrecorded);
  return { ...found, record: unsaved ?? recorded, head: lock.ownHead() };
}

function unrecorded(error: unknown): DriftRecording & { readonly is: "not-recorded" } {
  const { message, hint } = rosterError(error);
  return { is: "not-recorded", why: hint === undefined ? message : `${message} (${hint})` };
}

type Recorder = Pick<Work, "roster" | "clock">;

interface CheckedDrift {
  readonly planned: Planned;
  readonly drift: Drift;
  readonly policy: Policy;
  readonly closed?: ReadonlySet<string>;
  /** As it was when the service was read, where the plan rests on more. */
  readonly before?: State;
}

/** Records in a locked log what was seen for the first time. */
export async function recordSeen(
  session: LogSession,
  read: { readonly snapshot: Snapshot; readonly policy: SeenPolicy },
  recorder: Recorder,
): Promise<void> {
  const events = newlySeen({ ...read, allowed: undefined, before: session.state }, session.state, recorder);
  if (events.length > 0) await record(session, events, "what roster saw was not recorded");
}

/** What a clean read makes known of people, members and keys that the roster names. `before`: the state when the service was read. */
function newlySeen(
  read: Parameters<typeof recordSeen>[1] & { readonly allowed: Plan["allowed"]; readonly before: State },
  state: State,
  { clock, roster }: Recorder,
): readonly RunEvent[] {
  const { snapshot, policy, allowed, before } = read;
  if (snapshot.everyone.read === "incomplete") return [];
  const at = isoTime(clock);
  const people = usersObserved(roster, snapshot, state, { at, allowed });
  const known = people === undefined ? state : applyEvents(state, [people]);
  // What a run works on, or has written since the read, is known by what it did.
  const moving = findSubjectsInProgress({ before, after: state, underWay: true });
  const access = accessSeen({ roster, snapshot, state: known, policy, moving, at });
  return [people, access].filter((event) => event !== undefined);
}

/** Records in a locked log what was seen for the first time, which differences are new and which are gone. */
export async function recordOpenFindings(
  session: LogSession,
  checked: CheckedDrift,
  recorder: Recorder,
): Promise<"recorded" | "known"> {
  const state = { ...session.state, openFindings: session.now().openFindings };
  const { planned, policy, before = planned.state } = checked;
  const { snapshot, plan } = planned;
  const read = { snapshot, policy, allowed: plan.allowed, before };
  const repaired = changesRepaired(checked, session.state);
  const known = repaired === undefined ? state : applyEvents(state, [repaired]);
  const at = checked.closed === undefined ? snapshot.readAt : isoTime(recorder.clock);
  const gone = peopleGone(snapshot, state);
  const events = [repaired, newOpenFindings(checked, known, at), gone, ...newlySeen(read, state, recorder)];
  const news = events.filter((event) => event !== undefined);
  if (news.length === 0) return "known";
  await record(session, news, "what roster saw was not recorded");
  return "recorded";
}

/** What others had changed and a run has put right: the log tells of it also where no drift was run before. */
function changesRepaired({ planned, drift, closed }: CheckedDrift, state: State) {
  const { readAt: at, service } = planned.snapshot;
  const items = drift.items.filter((item) => item.class === "tampered" && closed?.has(item.fingerprint) === true);
  return findingsSeen({ ...drift, items }, state, { at, service, proves: () => false });
}

/** What the state does not know yet of a drift, and what it knows that is proven to be gone. */
function newOpenFindings({ planned, drift, policy, closed }: CheckedDrift, state: State, at: string) {
  const { snapshot } = planned;
  const check = { at, service: snapshot.service, proves: provesGone(snapshot, policy, state) };
  return findingsSeen(drift, state, { ...check, ...definedFields({ closed }) });
}

/** What of a drift is left to people, and what of it is done since the state was saved. */
export function findTasks(checked: CheckedDrift, state: State, roster: Work["roster"]): Tasks {
  const { gone = [] } = newOpenFindings(checked, state, checked.planned.snapshot.readAt) ?? {};
  return tasksOf(checked.drift, gone, { state, roster });
}
