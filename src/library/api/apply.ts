import { ownName } from "../../log/lease.ts";
import type { RunSummary } from "../../log/summary.ts";
import { formatAllowanceCode } from "../../model/allowance.ts";
import type { Drift, DriftRecording, Tasks } from "../../model/drift.ts";
import type { RunEvent } from "../../model/event.ts";
import type { Plan } from "../../model/plan.ts";
import { problem, type Result, success } from "../../model/result.ts";
import type { RunInfo } from "../../ports/log.ts";
import { type Applied, type ApplyContext, type ApplySteps, applyUnderLock, otherPlan } from "../apply/apply.ts";
import { lockForRun, type StateLock } from "../apply/lock.ts";
import { checkDrift } from "../drift/check-drift.ts";
import { abortedBefore, type LibraryError, libraryError, type RosterError, stopError } from "../error.ts";
import { aCount, aFunction, aText, either, type OptionChecks, oneOf, required, shapeOf } from "../options.ts";
import { type PlanResult, planResult, readWork, type Work, type WorkOptions, workChecks, workError } from "./plan.ts";

/** How long a run waits for the lock of the log. */
export interface LockWaitOptions {
  /** How long to wait for the lock of the log. 0 where it is absent: another run's lock is an error at once. */
  readonly lockTimeoutMs?: number;
  /** After how much silence, at least 120000, another run's lock is broken. Absent: never. */
  readonly breakStaleAfterMs?: number;
}

export interface ApplyOptions extends WorkOptions, LockWaitOptions {
  /**
   * Which plan may run. `{ id }`: the plan with this ID alone, as `plan` returned it. A function: the plan that it says yes to;
   * nothing was sent by then. `any`: every plan that its guards let pass.
   */
  readonly approve: { readonly id: string } | ((planned: PlanResult) => boolean | Promise<boolean>) | "any";
  /** A number that only grows, such as that of a pipeline's run: a lower one than was applied before is refused. */
  readonly sequence?: number;
  /** Who starts the run, for the log. The user of the system where it is absent. */
  readonly actor?: string;
}

const lockWaitChecks: OptionChecks<LockWaitOptions> = { lockTimeoutMs: aCount, breakStaleAfterMs: aCount };

/** Nothing but a plain yes approves a plan: no flag, and nothing that is missing. */
const approval = {
  wants: '`"any"`, `{ id }` with the ID of a plan, or a function',
  takes: either(oneOf("any"), either(shapeOf({ id: required(aText) }), aFunction)).takes,
};

const applyChecks: OptionChecks<ApplyOptions> = {
  ...workChecks,
  ...lockWaitChecks,
  approve: required(approval),
  sequence: aCount,
  actor: aText,
};

/** A run that has started. */
export interface ApplyRun {
  /** Each event of the run, durable in the state by then. Everybody who iterates gets all of them. Nothing waits for it. */
  readonly events: AsyncIterable<RunEvent>;
  /** Settles when the state is saved and unlocked. It rejects only for a defect. */
  readonly result: Promise<Result<ApplyResult, ApplyError>>;
}

/** What an apply came to. Single actions may have failed all the same: `run.outcomes` has what became of each. */
export interface ApplyResult {
  /** As it stands after the run. */
  readonly plan: Plan;
  /** Absent where there was nothing to do. */
  readonly run?: RunSummary;
  /** Addresses of people whose records were removed. */
  readonly removed?: readonly string[];
}

/** Why an apply ended before its work was done. */
export interface ApplyError extends LibraryError {
  /** The plan, if one was made. */
  readonly planned?: PlanResult;
  /** Present where calls were sent before the error. */
  readonly run?: RunSummary;
}

/**
 * Makes the service match the roster: locks the log, plans, asks `approve`, runs the plan, and saves what was learned. What a call
 * is about is durable before the call. An aborted signal starts no new call, and lets calls in progress finish.
 */
export function apply(options: ApplyOptions): ApplyRun {
  const events = new EventLog<RunEvent>();
  const result = run(options, events).finally(() => events.end());
  return { events, result };
}

async function run(options: ApplyOptions, events: EventLog<RunEvent>): Promise<Result<ApplyResult, ApplyError>> {
  const wrong = workError("apply", applyChecks, options);
  if (wrong !== undefined) return problem(wrong);
  const work = readWork(options);
  if (!work.ok) return problem(libraryError(work.error, options.service.secrets));
  const { secrets } = work.value;
  const lock = await lockFor("apply", options, work.value, commandInfo(options, work.value));
  if (!lock.ok) return problem(libraryError(lock.error, secrets));
  return underLock(options, work.value, lock.value, events);
}

async function underLock(
  options: ApplyOptions,
  work: Work,
  lock: StateLock,
  events: EventLog<RunEvent>,
): Promise<Result<ApplyResult, ApplyError>> {
  let applied: Applied;
  let unsaved: RosterError | undefined;
  try {
    applied = await applyUnderLock(applyContext(work, lock), applySteps(options, work, events));
  } finally {
    unsaved = await lock.finish();
  }
  return applyResult(unsaved === undefined ? applied : { error: unsaved, ...applied }, work);
}

function applyContext(work: Work, lock: StateLock): ApplyContext {
  return {
    ...work,
    lock,
    whyAborted: () => abortedBefore,
  };
}

function applySteps({ approve, sequence }: ApplyOptions, { secrets }: Work, events: EventLog<RunEvent>): ApplySteps {
  return {
    sequence,
    unexpected: (plan) => (typeof approve === "object" ? otherPlan(plan, approve) : undefined),
    approve: async (planned) => {
      if (typeof approve !== "function") return undefined;
      // A copy: whatever the function does to it, the plan that it was asked about is run.
      const answer: unknown = await approve(structuredClone(planResult(planned, secrets)));
      return answer === true ? undefined : declined;
    },
    event: (event) => events.add(secrets.redactAll(event)),
  };
}

const declined: RosterError = stopError("refused", "declined", "Cancelled. Nothing was changed");

function applyResult(
  { error, planned, plan, run: summary }: Applied,
  { secrets, signal }: Work,
): Result<ApplyResult, ApplyError> {
  const ran = summary === undefined ? {} : { run: secrets.redactAll(summary) };
  const shown = planned === undefined ? {} : { planned: planResult(planned, secrets) };
  const stopped = error ?? (signal.aborted ? abortedAt(summary) : undefined);
  if (stopped !== undefined) return problem(Object.assign(libraryError(stopped, secrets), shown, ran));
  const last = plan ?? planned?.plan;
  if (last === undefined) throw new Error("An apply has neither a plan nor an error.");
  return success({ plan: secrets.redactAll(last), ...ran });
}

/** Undefined where the signal came too late to end anything. */
function abortedAt(summary: RunSummary | undefined): RosterError | undefined {
  if (summary === undefined) return abortedBefore;
  return summary.ended?.ended === "interrupted" ? abortedWithin : undefined;
}

const abortedWithin = stopError("aborted", "aborted", "the signal was aborted before every action was done");

/** Locks the log for a run of the library. */
function lockFor(
  operation: string,
  { lockTimeoutMs = 0, breakStaleAfterMs }: LockWaitOptions,
  { store, clock, randomness, signal }: Work,
  info: Omit<RunInfo, "run" | "operation" | "at">,
): Promise<Result<StateLock, RosterError>> {
  const stale = breakStaleAfterMs === undefined ? {} : { breakStaleAfter: Math.max(breakStaleAfterMs, minSilence) };
  const howToWait = "`lockTimeoutMs` waits for it";
  const wait = { timeout: lockTimeoutMs, ...stale, clock, randomness, signal, howToWait };
  return lockForRun(store, { run: randomness.identifier(), operation, ...info }, wait);
}

/** Milliseconds: one call of the other run may take so long. */
const minSilence = 120_000;

/** What the log says of the run besides what it does. */
function commandInfo({ actor }: Pick<ApplyOptions, "actor">, { policy, secrets }: Work) {
  const who = { name: secrets.redactAll(actor ?? ownName()), source: actor === undefined ? "os" : "library" };
  const { allowed, reason } = policy;
  const why = reason === undefined ? {} : { reason: secrets.redactAll(reason) };
  return { actor: who, allowed: allowed.map(formatAllowanceCode), ...why };
}

/** Events that are kept for everybody who iterates over them, from the first one on, until the last one was added. */
class EventLog<Event> implements AsyncIterable<Event> {
  readonly #events: Event[] = [];
  #waiting: (() => void)[] = [];
  #ended = false;

  add(event: Event): void {
    this.#events.push(event);
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event, void> {
    for (let next = 0; ; next += 1) {
      while (next >= this.#events.length && !this.#ended) await new Promise<void>((wake) => this.#waiting.push(wake));
      const event = this.#events[next];
      if (event === undefined) return;
      yield event;
    }
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}

export interface DriftOptions extends WorkOptions, LockWaitOptions {
  /** `nothing`: the state does not remember what was seen, and no lock is taken. `state` where it is absent. */
  readonly record?: "state" | "nothing";
}

const driftChecks: OptionChecks<DriftOptions> = {
  ...workChecks,
  ...lockWaitChecks,
  record: oneOf("state", "nothing"),
};

/** In what the service and the roster differ. */
export interface DriftResult extends PlanResult {
  readonly drift: Drift;
  /** What of it is left to people. */
  readonly tasks: Tasks;
  /** Whether it was recorded in the state. */
  readonly record: DriftRecording;
}

/**
 * Reads everybody, and says in what the service and the roster differ, why and since when. Locks the log only to remember what it
 * saw, and only if that is possible at once.
 */
export async function drift(options: DriftOptions): Promise<Result<DriftResult, LibraryError>> {
  const wrong = workError("drift", driftChecks, options);
  if (wrong !== undefined) return problem(wrong);
  const work = readWork({ ...options, reportUnmanaged: true });
  if (!work.ok) return problem(libraryError(work.error, options.service.secrets));
  const { secrets, clock, signal } = work.value;
  const { lockTimeoutMs: timeout = 0, record = "state" } = options;
  const lock = () => lockFor("drift", options, work.value, commandInfo({}, work.value));
  const wait = { timeout, clock, signal };
  const found = await checkDrift(work.value, { wait, ...(record === "nothing" ? {} : { lock }) });
  if (!found.ok) return problem(libraryError(found.error, secrets));
  const { planned, ...rest } = found.value;
  return success({ ...planResult(planned, secrets), ...secrets.redactAll(rest) });
}
