import type { LogEvent } from "../../model/event.ts";
import { type Failure, problem, type Result, success } from "../../model/result.ts";
import { formatLockHolder, type LockHolder } from "../../model/state.ts";
import { type Clock, isoTime, type Randomness, stopwatch } from "../../ports/clock.ts";
import type { LockOptions, LogSession, RosterLog, RunInfo } from "../../ports/log.ts";
import { showDuration } from "../duration.ts";
import { errorFromFailure, type RosterError, stopError } from "../error.ts";

/** How long a run waits for the lock of the log, and who hears of it. */
export interface LockWaiting extends LockOptions {
  /** Milliseconds to wait for the lock. 0: do not wait. */
  readonly timeout: number;
  readonly clock: Clock;
  readonly randomness: Pick<Randomness, "fraction">;
  readonly signal: AbortSignal;
  /** How somebody who does not wait can wait, to follow a hint. */
  readonly howToWait?: string | undefined;
  /** Hears now and then who holds the lock, and how many milliseconds are left to wait. */
  readonly waiting?: ((holder: string, left: number) => void) | undefined;
}

/** A locked log. It is ended and unlocked by `close`. */
export interface StateLock extends LogSession {
  readonly run: string;
  /** Closes it unless that was done. Says what could not be saved. */
  finish(): Promise<RosterError | undefined>;
}

/** Locks the log for one run. */
export async function lockForRun(
  store: RosterLog,
  command: Omit<RunInfo, "at">,
  wait: LockWaiting,
): Promise<Result<StateLock, RosterError>> {
  const taken = await takeLock(store, command, wait);
  if (!taken.ok) return problem(errorFromFailure(taken.error));
  const held = taken.value;
  let isClosed = false;
  const close = () => {
    isClosed = true;
    return held.close();
  };
  const finish = async () => {
    const closed = isClosed ? undefined : await close();
    return closed === undefined || closed.ok ? undefined : errorFromFailure(closed.error);
  };
  return success({ ...held, run: command.run, close, finish });
}

/** Waits until no run works with the log, up to the timeout in milliseconds. Takes no lock. */
export async function waitForRun(
  store: RosterLog,
  waiting: Omit<LockWaiting, "randomness">,
): Promise<RosterError | undefined> {
  const { timeout, signal } = waiting;
  if (timeout === 0) return undefined;
  const { last: holder } = await untilFree(() => activeRun(store), holderMessage, {
    ...waiting,
    interval: () => retryInterval,
  });
  return holder === undefined || signal.aborted ? undefined : stillLocked(holder, timeout);
}

function holderMessage(holder: LockHolder | undefined): string | undefined {
  return holder === undefined ? undefined : `the log is locked ${formatLockHolder(holder)}`;
}

function stillLocked(holder: LockHolder, timeout: number): RosterError {
  return stopError(
    "locked",
    "locked",
    `the log is locked ${formatLockHolder(holder)}, still locked after ${showDuration(timeout)}`,
    "use a longer --lock-timeout, or none: then calls of that run show as pending",
  );
}

/**
 * Locks the log for one run. Where another one holds it, tries until the timeout ends, and says now and then who holds
 * it. An aborted signal ends the waiting: then the failure still says who holds the lock. @internal
 */
export async function takeLock(
  store: RosterLog,
  run: Omit<RunInfo, "at">,
  { breakStaleAfter, randomness, ...waiting }: LockWaiting,
): Promise<Result<LogSession, Failure>> {
  const { clock } = waiting;
  // Two runs that wait do not try in step.
  const interval = () => retryInterval * (0.9 + randomness.fraction() / 5);
  const attempt = () => store.lock({ ...run, at: isoTime(clock) }, { breakStaleAfter });
  const { last, left } = await untilFree(attempt, lockedMessage, { ...waiting, interval });
  if (last.ok || last.error.code !== "locked") return last;
  return problem(lockFailure(last.error, { ...waiting, left }));
}

function lockedMessage(attempt: Result<LogSession, Failure>): string | undefined {
  return attempt.ok || attempt.error.code !== "locked" ? undefined : attempt.error.message;
}

function lockFailure(
  failure: Failure,
  { timeout, left, howToWait }: Pick<LockWaiting, "timeout" | "howToWait"> & { readonly left: number },
): Failure {
  const { message, hint } = failure;
  if (timeout > 0 && left <= 0)
    return { ...failure, message: `${message}, still locked after ${showDuration(timeout)}` };
  if (timeout > 0 || howToWait === undefined) return failure;
  return { ...failure, hint: hint === undefined ? howToWait : `${hint}; ${howToWait}` };
}

/** Milliseconds between two attempts. */
const retryInterval = 1000;

/** Milliseconds between two messages that say who holds the log. */
const noticeInterval = 15_000;

interface Waiting extends Omit<LockWaiting, "randomness"> {
  /** Milliseconds until the next attempt. */
  readonly interval: () => number;
}

/** Repeats an attempt until nobody holds the log, the time is over or the signal is aborted. `left`: milliseconds of the timeout. */
async function untilFree<Attempt>(
  attempt: () => Promise<Attempt>,
  heldBy: (last: Attempt) => string | undefined,
  { timeout, interval, clock, signal, waiting }: Waiting,
): Promise<{ readonly last: Attempt; readonly left: number }> {
  const elapsed = stopwatch(clock);
  let notified = Number.NEGATIVE_INFINITY;
  for (;;) {
    const last = await attempt();
    const left = timeout - elapsed();
    const holder = heldBy(last);
    if (holder === undefined || left <= 0 || signal.aborted) return { last, left };
    if (elapsed() - notified >= noticeInterval) {
      notified = elapsed();
      waiting?.(holder, left);
    }
    await clock.wait(Math.min(left, interval()), signal);
  }
}

/** Makes events durable, or says that the place of the log is lost. `meanwhile`: what has become of the rest, in a few words. */
export function recordEvents(
  session: LogSession,
  events: readonly LogEvent[],
  meanwhile: string,
): Promise<RosterError | undefined> {
  return durably(session.append(events), meanwhile);
}

/** The same of other work with a log. */
export async function durably(work: Promise<void>, meanwhile: string): Promise<RosterError | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const hint = `${meanwhile}; repair the store of the log, and run again`;
    return errorFromFailure({ code: "state", message: error.message, hint });
  }
}

/** Milliseconds after which a silent holder no longer counts as working. */
const maxSilence = 120_000;

/** The run that works with the log, if the store can tell. */
export async function activeRun(store: RosterLog): Promise<LockHolder | undefined> {
  const holder = await lockHolder(store);
  return holder === undefined || (holder.silentFor ?? 0) > maxSilence ? undefined : holder;
}

/** The run that holds the lock, if the store can tell. */
export async function lockHolder(store: RosterLog): Promise<LockHolder | undefined> {
  const holder = await store.holder();
  return holder.ok && holder.value !== "nobody" ? holder.value : undefined;
}
