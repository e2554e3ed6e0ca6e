import type { RunSummary } from "../../log/summary.ts";
import type { Drift, DriftClass, DriftRecording, Tasks } from "../../model/drift.ts";
import type { Policy } from "../../model/policy.ts";
import { problem, type Result, success } from "../../model/result.ts";
import type { Roster } from "../../model/roster.ts";
import type { LockHolder, State } from "../../model/state.ts";
import { repairPlan } from "../../plan/drift/classify.ts";
import { findSubjectsInProgress } from "../../plan/drift/compute-drift.ts";
import { isoTime } from "../../ports/clock.ts";
import type { RosterLog } from "../../ports/log.ts";
import { type Applied, type ApplyContext, type ApplySteps, planningEvents, runPlanned } from "../apply/apply.ts";
import { activeRun, type LockWaiting, type StateLock, waitForRun } from "../apply/lock.ts";
import { errorFromFailure, type RosterError } from "../error.ts";
import {
  allowancesUsed,
  type Planned,
  type PlanPorts,
  planFor,
  planFromReading,
  serviceDoubt,
} from "../planning/planning.ts";
import { findDrift, findTasks, fixedByRun, notRecorded, type Recorder, recordOpenFindings } from "./open-findings.ts";

/** What a check for drift works with. */
export interface DriftContext extends PlanPorts, Recorder {
  readonly roster: Roster;
  readonly policy: Policy;
  readonly store: RosterLog;
}

/** What happens between the steps of a check. */
export interface DriftSteps {
  /** How long to wait for a run that works with the state. */
  readonly wait: Omit<LockWaiting, "randomness">;
  /** Locks the log to record what is new; absent where nothing is to be recorded. */
  readonly lock?: () => Promise<Result<StateLock, RosterError>>;
  /** Hears who works with the state: unfinished work is no drift. */
  readonly holder?: (holder: LockHolder) => void;
  /** The plan is made. */
  readonly planned?: (planned: Planned) => void;
}

/** In what the service and the roster differ, and what was recorded of it. */
export interface DriftFound {
  readonly planned: Planned;
  readonly drift: Drift;
  /** What of it is left to people. */
  readonly tasks: Tasks;
  readonly record: DriftRecording;
}

/** Reads all users, says how the service and the roster differ, and records what is new where it may write. */
export async function checkDrift(context: DriftContext, steps: DriftSteps): Promise<Result<DriftFound, RosterError>> {
  const { store, roster, policy } = context;
  const locked = await waitForRun(store, steps.wait);
  if (locked !== undefined) return problem(locked);
  const before = await store.read();
  if (!before.ok) return problem(errorFromFailure(before.error));
  const holder = await activeRun(store);
  if (holder !== undefined) steps.holder?.(holder);
  const planned = await planFor({ roster, state: before.value, policy, everyone: "always" }, context);
  if (!planned.ok) return planned;
  steps.planned?.(planned.value);
  const doubt = serviceDoubt(planned.value);
  if (doubt !== undefined) return problem(doubt);
  const read = { planned: planned.value, before: before.value, holder };
  return success(await compareWithLaterState(context, read, steps));
}

interface DriftReading {
  readonly planned: Planned;
  readonly before: State;
  readonly holder: LockHolder | undefined;
}

/** Reads the state once more, since a run may have worked meanwhile. Best under the lock, under which the drift is recorded. */
async function compareWithLaterState(
  context: DriftContext,
  read: DriftReading,
  steps: DriftSteps,
): Promise<DriftFound> {
  const { store } = context;
  const locked = await lockToRecord(context, steps);
  if ("lock" in locked) return recordUnderLock(context, locked.lock, read);
  const again = await store.read();
  const holder = read.holder ?? (await activeRun(store));
  const after = again.ok ? again.value : read.before;
  return found(context, { ...read, holder, after, record: locked.record });
}

async function lockToRecord(
  { signal }: DriftContext,
  { lock }: DriftSteps,
): Promise<{ readonly lock: StateLock } | { readonly record: DriftRecording }> {
  if (lock === undefined || signal.aborted) return { record: { is: "not-wanted" } };
  const locked = await lock();
  return locked.ok
    ? { lock: locked.value }
    : { record: notRecorded(locked.error.problem ?? { message: "the log cannot be locked" }) };
}

/** What could not be saved was not recorded. The drift is reported all the same. */
async function recordUnderLock(context: DriftContext, lock: StateLock, read: DriftReading): Promise<DriftFound> {
  const { policy } = context;
  const { planned, before } = read;
  const record = (drift: Drift) => recordIfPossible(lock, { planned, drift, policy, before }, context);
  const recorded = await found(context, { ...read, after: lock.state, record });
  const closed = await lock.close();
  return closed.ok ? recorded : { ...recorded, record: notRecorded(closed.error) };
}

interface DriftReadAgain extends DriftReading {
  readonly after: State;
  /** How the drift is recorded, or why it is not. */
  readonly record: DriftRecording | ((drift: Drift) => Promise<DriftRecording>);
}

async function found(
  context: DriftContext,
  { planned, before, after, holder, record }: DriftReadAgain,
): Promise<DriftFound> {
  const { roster, policy } = context;
  const moving = findSubjectsInProgress({ before, after, underWay: holder !== undefined });
  const drift = findDrift(planned, { roster, policy, moving });
  const tasks = findTasks({ planned, drift, policy }, after, context);
  const recorded = typeof record === "function" ? await record(drift) : record;
  return { planned, drift, tasks, record: recorded };
}

/** A drift that cannot be recorded is reported all the same. */
async function recordIfPossible(...sighted: Parameters<typeof recordOpenFindings>): Promise<DriftRecording> {
  const recorded = await recordOpenFindings(...sighted);
  if (typeof recorded === "string") return { is: recorded };
  return notRecorded({ message: recorded.problem?.message ?? "the log cannot be written" });
}

/** What a repair came to; without `found` it ended before the drift was known. */
export interface Repaired extends Applied {
  readonly found?: DriftFound;
}

/** Applies the part of the plan that is of some classes, through the same guards, approval and log as an apply. */
export async function repairDrift(
  context: ApplyContext,
  classes: ReadonlySet<DriftClass>,
  steps: ApplySteps,
): Promise<Repaired> {
  const { roster, policy, lock, everyone } = context;
  const made = await planFor({ roster, state: lock.state, policy, everyone }, context);
  if (!made.ok) return { error: made.error };
  const planned = made.value;
  const doubt = serviceDoubt(planned);
  if (doubt !== undefined) return { planned, error: doubt };
  const drift = findDrift(planned, { roster, policy });
  const { keyInUse } = planned;
  const part = (plan: Planned["plan"]) => repairPlan(plan, drift, classes);
  const repair = planFromReading(planned, { roster, policy, keyInUse, part });
  if (!repair.ok) return { error: repair.error };
  // What was repaired is a part of the roster: it is not applied as a whole.
  const { learned } = planningEvents(context, planned);
  const applied = allowancesUsed(repair.value.plan, "part", isoTime(context.clock));
  const ended = await runPlanned(context, withoutIdleRefusal(repair.value), steps, { learned, applied });
  if (ended.error !== undefined) return ended;
  return recordRepair(ended, context, { planned, drift });
}

/** Guards have no say about a plan without actions. */
function withoutIdleRefusal(planned: Planned): Planned {
  if (planned.plan.actions.length > 0) return planned;
  const { refusal: _, ...rest } = planned;
  return rest;
}

async function recordRepair(
  ended: Applied,
  context: ApplyContext,
  { planned, drift }: { readonly planned: Planned; readonly drift: Drift },
): Promise<Repaired> {
  const { lock, policy } = context;
  const settled = fixedByRun(ended.run, drift);
  const left = { ...drift, items: drift.items.filter(({ fingerprint }) => !settled.has(fingerprint)) };
  const checked = { planned, drift, policy, settled };
  const tasks = findTasks(checked, lock.state, context);
  const recorded = await recordOpenFindings(lock, checked, context);
  const record: DriftRecording =
    typeof recorded === "string" ? { is: recorded } : { is: "not-recorded", why: "the state is lost" };
  const plan = shownPlan(ended.run, planned, ended.plan);
  const repaired = { ...ended, plan, found: { planned, drift: left, tasks, record } };
  return typeof recorded === "string" ? repaired : { ...repaired, error: recorded };
}

/** What was run; where nothing was, all that differs. */
function shownPlan(run: RunSummary | undefined, { plan }: Planned, ran: Planned["plan"] | undefined): Planned["plan"] {
  return run === undefined || ran === undefined ? plan : ran;
}
