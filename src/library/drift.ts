import type { DriftRecording } from "../model/drift.ts";
import type { LockHolder, LogHead, State } from "../model/state.ts";
import { computeDrift, findSubjectsInProgress } from "../plan/drift/compute-drift.ts";
import { type DriftFound, orThrow, rosterError, withoutSecrets } from "./error.ts";
import { activeRun, type LockOptions, lockChecks, lockLog, waitForRun } from "./lock.ts";
import { findTasks, recordOpenFindings } from "./open-findings.ts";
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
    const found = await compareWithLaterState(work, { planned, before, holder }, options);
    // The same object, by which `basisOf` knows what it rests on.
    return Object.assign(result, secrets.redactAll(found));
  });
}

/** Reads the state once more, since a run may have worked meanwhile. What cannot be recorded is reported all the same. */
/** Reads the state once more, since a run may have worked meanwhile: under the lock, under which the drift is recorded, where it can. */
async function compareWithLaterState(
  work: Work,
  {
    planned,
    before,
    holder,
  }: { readonly planned: Planned; readonly before: State; readonly holder?: LockHolder | undefined },
  options: DriftOptions,
): Promise<DriftFound & Pick<DriftResult, "head">> {
  const { log, policy, signal } = work;
  const find = (after: State, held: LockHolder | undefined) => {
    const moving = findSubjectsInProgress({ before, after, underWay: held !== undefined });
    const drift = computeDrift(planned.plan, planned.context, moving);
    return { drift, tasks: findTasks({ planned, drift, policy }, after, work) };
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
