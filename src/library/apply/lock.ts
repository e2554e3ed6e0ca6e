import type { AuditedRunStart } from "../../model/audit.ts";
import type { RunEvent } from "../../model/event.ts";
import { type Failure, problem, type Result, success } from "../../model/result.ts";
import { formatLockHolder, type LockHolder } from "../../model/state.ts";
import { type Clock, isoTime, type Randomness, stopwatch } from "../../ports/clock.ts";
import type { LockOptions, RunInfo, StateSession, StateStore } from "../../ports/state-store.ts";
import { showDuration } from "../duration.ts";
import { errorFromFailure, type RosterError, stopError } from "../error.ts";
import {
  type AuditedSession,
  AuditLostError,
  type AuditPlace,
  auditedSession,
  writeMissingRecords,
} from "./audited-session.ts";

/** How long a run waits for the lock of the state, and who hears of it. */
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

/** What the audit trail says of a run, besides what the run does. */
export interface RunAudit
  extends Pick<
    AuditedRunStart,
    "actor" | "commit" | "pipeline" | "changeRequest" | "approvers" | "allowed" | "reason"
  > {
  readonly place: AuditPlace;
}

/** Opens the place of the audit trail; `none` where none is kept. */
export type OpenAuditPlace = () => Promise<Result<AuditPlace | "none", RosterError>>;

/** A locked state. It is saved and unlocked by `close`. */
export interface StateLock extends StateSession {
  readonly run: string;
  /** To be asked before the first call: why it must not be sent, if so. */
  begin(): Promise<RosterError | undefined>;
  /** Closes it unless that was done. Says what could not be saved. */
  finish(): Promise<RosterError | undefined>;
}

/**
 * Locks the state for one run, and keeps what the run changes in the audit trail, if there is one. With a function for a trail,
 * what the run records changes nothing; what a run that died has changed is recorded before its journal goes.
 */
export async function lockForRun(
  store: StateStore,
  run: Omit<RunInfo, "at">,
  wait: LockWaiting,
  audit: RunAudit | OpenAuditPlace | "none",
): Promise<Result<StateLock, RosterError>> {
  const taken = await takeLock(store, run, wait);
  if (!taken.ok) return problem(errorFromFailure(taken.error));
  const audited = await withAudit(taken.value, run, audit, wait.clock);
  if (!audited.ok) {
    await taken.value.abandon();
    return audited;
  }
  const held = audited.value;
  const begin = async () => {
    const unwritten = await held.begin();
    return unwritten === undefined ? undefined : errorFromFailure(unwritten);
  };
  let isClosed = false;
  const close: StateSession["close"] = (rewrite) => {
    isClosed = true;
    return held.close(rewrite);
  };
  const finish = async () => {
    const closed = isClosed ? undefined : await close();
    return closed === undefined || closed.ok ? undefined : errorFromFailure(closed.error);
  };
  return success({ ...held, run: run.run, begin, close, finish });
}

async function withAudit(
  held: StateSession,
  { run, operation }: Omit<RunInfo, "at">,
  audit: RunAudit | OpenAuditPlace | "none",
  clock: Clock,
): Promise<Result<AuditedSession, RosterError>> {
  if (audit === "none") return success(unaudited(held));
  if (typeof audit === "function") return withoutAudit(held, audit);
  const { place, ...start } = audit;
  const audited = await auditedSession(held, { ...place, ...start, run, command: operation, clock });
  return audited.ok ? audited : problem(errorFromFailure(audited.error));
}

async function withoutAudit(held: StateSession, open: OpenAuditPlace): Promise<Result<AuditedSession, RosterError>> {
  const place = held.unfinished === undefined ? success("none" as const) : await open();
  if (!place.ok) return place;
  const recorded = place.value === "none" ? success(undefined) : await writeMissingRecords(held, place.value);
  return recorded.ok ? success(unaudited(held)) : problem(errorFromFailure(recorded.error));
}

function unaudited(held: StateSession): AuditedSession {
  return { ...held, begin: async () => undefined };
}

/** Waits until no run works with the state, up to the timeout in milliseconds. Takes no lock. */
export async function waitForRun(
  store: StateStore,
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
  return holder === undefined ? undefined : `the state is locked ${formatLockHolder(holder)}`;
}

function stillLocked(holder: LockHolder, timeout: number): RosterError {
  return stopError(
    "locked",
    "locked",
    `the state is locked ${formatLockHolder(holder)}, still locked after ${showDuration(timeout)}`,
    "use a longer --lock-timeout, or none: then calls of that run show as pending",
  );
}

/**
 * Locks the state for one run. Where another one holds it, tries until the timeout ends, and says now and then who holds
 * it. An aborted signal ends the waiting: then the failure still says who holds the lock. @internal
 */
export async function takeLock(
  store: StateStore,
  run: Omit<RunInfo, "at">,
  { breakStaleAfter, randomness, ...waiting }: LockWaiting,
): Promise<Result<StateSession, Failure>> {
  const { clock } = waiting;
  const options = breakStaleAfter === undefined ? {} : { breakStaleAfter };
  // Two runs that wait do not try in step.
  const interval = () => retryInterval * (0.9 + randomness.fraction() / 5);
  const attempt = () => store.lock({ ...run, at: isoTime(clock) }, options);
  const { last, left } = await untilFree(attempt, lockedMessage, { ...waiting, interval });
  if (last.ok || last.error.code !== "locked") return last;
  return problem(lockFailure(last.error, { ...waiting, left }));
}

function lockedMessage(attempt: Result<StateSession, Failure>): string | undefined {
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

/** Milliseconds between two messages that say who holds the state. */
const noticeInterval = 15_000;

interface Waiting extends Omit<LockWaiting, "randomness"> {
  /** Milliseconds until the next attempt. */
  readonly interval: () => number;
}

/** Repeats an attempt until nobody holds the state, the time is over or the signal is aborted. `left`: milliseconds of the timeout. */
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

/** Makes events durable, or says that the place of the state is lost. `meanwhile`: what has become of the rest, in a few words. */
export async function recordEvents(
  session: StateSession,
  events: readonly RunEvent[],
  meanwhile: string,
): Promise<RosterError | undefined> {
  try {
    await session.append(events);
    return undefined;
  } catch (error) {
    if (error instanceof AuditLostError) return errorFromFailure(error.failure);
    if (!(error instanceof Error)) throw error;
    const hint = `${meanwhile}; repair the state store, and run again`;
    return errorFromFailure({ code: "state", message: error.message, hint });
  }
}

/** Milliseconds after which a silent holder no longer counts as working. */
const maxSilence = 120_000;

/** The run that works with the state, if the store can tell. */
export async function activeRun(store: StateStore): Promise<LockHolder | undefined> {
  const holder = await lockHolder(store);
  return holder === undefined || (holder.silentFor ?? 0) > maxSilence ? undefined : holder;
}

/** The run that holds the lock, if the store can tell. */
export async function lockHolder(store: StateStore): Promise<LockHolder | undefined> {
  const holder = await store.holder();
  return holder.ok && holder.value !== "nobody" ? holder.value : undefined;
}
