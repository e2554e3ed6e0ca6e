import type { Acknowledgement, Drift, DriftRecording, DueTimes, Todo } from "../../model/drift.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { checkDrift } from "../drift/check-drift.ts";
import { type LibraryError, libraryError } from "../error.ts";
import { type LockWaitOptions, lockFor } from "./apply.ts";
import { type PlanResult, planResult, readWork, type WorkOptions } from "./plan.ts";

export interface DriftOptions extends WorkOptions, LockWaitOptions {
  /** `nothing`: the state does not remember what was seen, and no lock is taken. `state` where it is absent. */
  readonly record?: "state" | "nothing";
  /** What people have accepted, each until a day. */
  readonly acknowledgements?: readonly Acknowledgement[];
  /** When what is left to people is due. */
  readonly due?: DueTimes;
}

/** In what the service and the roster differ. */
export interface DriftResult extends PlanResult {
  readonly drift: Drift;
  /** What of it is left to people. */
  readonly todo: Todo;
  /** Whether it was recorded in the state. */
  readonly record: DriftRecording;
}

/**
 * Reads everybody, and says in what the service and the roster differ, why and since when. Locks the state only to remember what it
 * saw, and only if that is possible at once.
 */
export async function drift(options: DriftOptions): Promise<Result<DriftResult, LibraryError>> {
  const work = readWork({ ...options, reportUnmanaged: true });
  if (!work.ok) return problem(libraryError(work.error, options.service.secrets));
  const { secrets, clock, signal } = work.value;
  const { acknowledgements = [], due = new Map(), lockTimeout: timeout = 0, record = "state" } = options;
  const context = {
    ...work.value,
    acknowledgements: async () => success({ acknowledgements, for: "everything" as const }),
    due,
  };
  const lock = () => lockFor("drift", options, work.value, options.state.openAuditPlace);
  const wait = { timeout, clock, signal };
  const found = await checkDrift(context, { wait, ...(record === "nothing" ? {} : { lock }) });
  if (!found.ok) return problem(libraryError(found.error, secrets));
  const { planned, ...rest } = found.value;
  return success({ ...planResult(planned, secrets), ...secrets.redactAll(rest) });
}
