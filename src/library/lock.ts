import { ownName } from "../files/own-name.ts";
import { findEnd } from "../log/log.ts";
import { definedFields } from "../model/collections.ts";
import type { EventOf, LogEvent } from "../model/event.ts";
import { formatAllowanceCode, type Policy } from "../model/policy.ts";
import { formatHead, formatLockHolder, type LockHolder, type LogHead } from "../model/state.ts";
import { isoTime, stopwatch } from "../ports/clock.ts";
import type { LogSession, RosterLog } from "../ports/log.ts";
import { showDuration } from "./duration.ts";
import { errorFromFailure, orThrow, RosterError, stopError } from "./error.ts";
import type { Log } from "./open-log.ts";
import { is, type OptionChecks } from "./options.ts";

/** Who starts a run, from which commit, pipeline and change request, and who approved it: recorded in the log. */
export type StartedBy = {
  readonly [Name in "actor" | "commit" | "pipeline" | "changeRequest" | "approvers"]?:
    | EventOf<"command-started">[Name]
    | undefined;
};

/** How long a run waits for the lock of the log, and what it records there of itself. */
export interface LockOptions {
  /** How long to wait for the lock of the log. 0 where it is absent: another run's lock is an error at once. */
  readonly lockTimeoutMs?: number | undefined;
  /** After how much silence, at least 120000, another run's lock is broken. Absent: never. */
  readonly breakStaleAfterMs?: number | undefined;
  /** Called now and then: who holds the lock, and how many milliseconds are left to wait. */
  readonly waiting?: ((holder: string, left: number) => void) | undefined;
  /** A log that does not go on from this head of an earlier run is refused: it was restored from an older copy. */
  readonly expectHead?: LogHead | undefined;
  /** Who starts the run. The user of the system where it is absent. */
  readonly startedBy?: StartedBy | undefined;
  /** How somebody who does not wait can wait, to follow a hint. @internal */
  readonly howToWait?: string | undefined;
}

export const lockChecks: OptionChecks<LockOptions> = {
  lockTimeoutMs: is.count,
  breakStaleAfterMs: is.count,
  waiting: is.function,
  expectHead: is.shape({ position: is.required(is.count), hash: is.required(is.text) }),
  startedBy: { wants: "an object with an `actor`", takes: (value) => typeof value === "object" && value !== null },
  howToWait: is.text,
};

/** Milliseconds: a call may take up to 60 s with all that is tried, and its run may be silent for as long before and after it. */
export const minSilence = 120_000;

export interface LockedLog extends LogSession {
  readonly run: string;
  /** Milliseconds since it was locked, by the monotonic clock. */
  heldFor(): number;
  /** Closes it, unless that was done. Throws what could not be saved. */
  finish(): Promise<void>;
  /** Where it ends now, where this run has added something. */
  ownHead(): LogHead | undefined;
}

interface LockInput extends LockOptions {
  readonly signal: AbortSignal;
  readonly policy?: Pick<Policy, "allowed" | "reason"> | undefined;
}

/** Tries until the time is over. An aborted signal ends the waiting: then the error still says who holds the lock. */
export async function lockLog(log: Log, operation: string, options: LockInput): Promise<LockedLog> {
  const { store, clock, randomness, secrets } = log;
  const { startedBy = { actor: { name: ownName(), source: "os" } }, policy, breakStaleAfterMs, howToWait } = options;
  const { lockTimeoutMs = 0 } = options;
  const run = randomness.identifier();
  const allowed = policy?.allowed.length ? policy.allowed.map(formatAllowanceCode) : undefined;
  const said = secrets.redactAll({ ...startedBy, reason: policy?.reason });
  const info = { run, operation, ...definedFields({ ...said, allowed }) };
  const breakStaleAfter = breakStaleAfterMs === undefined ? undefined : Math.max(breakStaleAfterMs, minSilence);
  const attempt = () => store.lock({ ...info, at: isoTime(clock) }, { breakStaleAfter });
  const { last, left } = await untilFree(log, options, attempt, (tried) =>
    tried.ok || tried.error.code !== "locked" ? undefined : tried.error.message,
  );
  if (!last.ok) {
    const { error } = last;
    if (error.code !== "locked" || left > 0) throw errorFromFailure(error);
    const wait = howToWait ?? "`lockTimeoutMs` waits for it";
    throw errorFromFailure(
      lockTimeoutMs > 0
        ? { ...error, message: `${error.message}, still locked after ${showDuration(lockTimeoutMs)}` }
        : { ...error, hint: error.hint === undefined ? wait : `${error.hint}; ${wait}` },
    );
  }
  const held = last.value;
  const lockedAt = clock.monotonic();
  let isClosed = false;
  const close = () => {
    isClosed = true;
    return held.close();
  };
  await checkHead(options.expectHead, store, "stale").catch(async (error: unknown) => {
    await close().catch(() => undefined);
    throw error;
  });
  return {
    ...held,
    run,
    heldFor: () => clock.monotonic() - lockedAt,
    close,
    async finish() {
      if (!isClosed) orThrow(await close());
    },
    ownHead: () => (held.head().position > held.state.serial ? held.head() : undefined),
  };
}

/** Works with a locked log, and finishes it. What ended the work counts before what could not be saved. */
export async function underLock<T>(lock: LockedLog, work: () => Promise<T>): Promise<T> {
  let value: T;
  try {
    value = await work();
  } catch (error) {
    await lock.finish().catch(() => undefined);
    throw error instanceof RosterError ? error.after({ head: lock.ownHead() }) : error;
  }
  await lock.finish();
  return value;
}

/** Waits until no run works with the log, up to the timeout. Takes no lock. */
export async function waitForRun(log: Log, options: LockInput): Promise<void> {
  const { lockTimeoutMs = 0, signal } = options;
  if (lockTimeoutMs === 0) return;
  const { last, holder } = await untilFree(
    log,
    options,
    () => activeRun(log.store),
    (found) => found && `the log is locked ${formatLockHolder(found)}`,
  );
  if (last === undefined || signal.aborted) return;
  const message = `${holder}, still locked after ${showDuration(lockTimeoutMs)}`;
  const hint = "use a longer --lock-timeout, or none: then calls of that run show as pending";
  throw stopError("locked", "locked", message, hint);
}

const noticeInterval = 15_000;

/** Repeats an attempt until nobody holds the log, the time is over or the signal is aborted. `left`: milliseconds of the timeout. */
async function untilFree<Attempt>(
  { clock, randomness }: Log,
  { signal, waiting, lockTimeoutMs = 0 }: LockInput,
  attempt: () => Promise<Attempt>,
  heldBy: (last: Attempt) => string | undefined,
): Promise<{ readonly last: Attempt; readonly holder: string | undefined; readonly left: number }> {
  const elapsed = stopwatch(clock);
  let notified = Number.NEGATIVE_INFINITY;
  for (;;) {
    const last = await attempt();
    const left = lockTimeoutMs - elapsed();
    const holder = heldBy(last);
    if (holder === undefined || left <= 0 || signal.aborted) return { last, holder, left };
    if (elapsed() - notified >= noticeInterval) {
      notified = elapsed();
      waiting?.(holder, left);
    }
    // Two runs that wait do not try in step.
    await clock.wait(Math.min(left, 900 + randomness.fraction() * 200), signal);
  }
}

/** Makes events durable, or throws that the place of the log is lost. `meanwhile`: what has become of the rest, in a few words. */
export function record(session: LogSession, events: readonly LogEvent[], meanwhile: string): Promise<void> {
  return durably(session.append(events), meanwhile);
}

export async function durably(work: Promise<void>, meanwhile: string): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const hint = `${meanwhile}; repair the store of the log, and run again`;
    throw errorFromFailure({ code: "state", message: error.message, hint });
  }
}

/** The run that works with the log, if the store can tell. */
export async function activeRun(store: RosterLog): Promise<LockHolder | undefined> {
  const holder = await lockHolder(store);
  return holder === undefined || (holder.silentFor ?? 0) > minSilence ? undefined : holder;
}

/** The run that holds the lock, if the store can tell. */
export async function lockHolder(store: RosterLog): Promise<LockHolder | undefined> {
  const holder = await store.holder();
  return holder.ok && holder.value !== "nobody" ? holder.value : undefined;
}

/** Throws where a log does not go on from a head: it was restored from an older copy. */
export async function checkHead(
  known: LogHead | undefined,
  store: RosterLog,
  reason: "failed" | "stale",
): Promise<void> {
  if (known === undefined) return;
  const { head, hash, base } = orThrow(await findEnd(store.readEvents(), known.position));
  if (known.position === 0 || hash === known.hash) return;
  if (base !== undefined && known.position < base.head.position) {
    const message = `the log has no event at position ${known.position} any more: it was pruned up to position ${base.head.position}, before ${base.before}`;
    const hint = `check the export: \`roster audit verify --state file:EXPORT --expect-head ${formatHead(known)}\`, then this log with --expect-head ${formatHead(base.head)}`;
    throw stopError("failed", "state", message, hint);
  }
  const message = `the log does not go on from the head ${formatHead(known)}: it ends with ${formatHead(head)}`;
  const hint = "it was restored from an older copy, or cut off: find the newer one before anything is applied";
  throw stopError(reason, reason === "stale" ? "stale" : "state", message, hint);
}
