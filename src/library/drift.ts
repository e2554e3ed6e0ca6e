import type { DriftRecording } from "../model/drift.ts";
import type { LockHolder, LogHead, State } from "../model/state.ts";
import { findSubjectsInProgress } from "../plan/drift/compute-drift.ts";
import { type DriftFound, orThrow, RosterError, withoutSecrets } from "./error.ts";
import { activeRun, type LockOptions, lockChecks, lockLog, waitForRun } from "./lock.ts";
import { findDrift, findTasks, recordOpenFindings } from "./open-findings.ts";
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
  /** Hears who works with the log: unfinished work is no drift. */
  readonly holder?: ((holder: LockHolder) => void) | undefined;
  /** Hears the plan from which the drift follows. */
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
    const found = await compareWithLaterState(work, { planned, before, holder }, options);
    return { ...result, ...secrets.redactAll(found) };
  });
}

interface DriftReading {
  readonly planned: Planned;
  readonly before: State;
  readonly holder: LockHolder | undefined;
}

/** Reads the state once more, since a run may have worked meanwhile. Best under the lock, under which the drift is recorded. */
async function compareWithLaterState(
  work: Work,
  read: DriftReading,
  options: DriftOptions,
): Promise<DriftFound & Pick<DriftResult, "head">> {
  const { log, policy, signal } = work;
  const unlocked = async (recording: DriftRecording): Promise<DriftFound> => {
    const again = await log.store.read();
    const holder = read.holder ?? (await activeRun(log.store));
    const found = findFrom(work, { ...read, holder }, again.ok ? again.value : read.before);
    return { ...found, record: recording };
  };
  if (options.record === "nothing" || signal.aborted) return unlocked({ is: "not-wanted" });
  const locked = await lockLog(log, "drift", { ...options, policy, signal }).catch(unrecorded);
  if ("is" in locked) return unlocked(locked);
  const found = findFrom(work, read, locked.state);
  const sighted = { ...read, drift: found.drift, policy };
  // What cannot be saved is reported all the same.
  const recorded = await recordOpenFindings(locked, sighted, work).then((is) => ({ is }), unsaid);
  const unsaved = await locked.finish().then(() => undefined, unrecorded);
  return { ...found, record: unsaved ?? recorded, head: locked.ownHead() };
}

function unrecorded(error: unknown): DriftRecording {
  if (!(error instanceof RosterError)) throw error;
  const { message, hint } = error;
  return { is: "not-recorded", why: hint === undefined ? message : `${message} (${hint})` };
}

/** The hint is about an apply. */
function unsaid(error: unknown): DriftRecording {
  if (!(error instanceof RosterError)) throw error;
  return { is: "not-recorded", why: error.message };
}

function findFrom(
  work: Work,
  { planned, before, holder }: DriftReading,
  after: State,
): Pick<DriftFound, "drift" | "tasks"> {
  const moving = findSubjectsInProgress({ before, after, underWay: holder !== undefined });
  const drift = findDrift(planned, { ...work, moving });
  return { drift, tasks: findTasks({ planned, drift, policy: work.policy }, after, work) };
}
