import type { KeyedHash } from "../../codec/pseudonymize.ts";
import type { AuditedApproval } from "../../model/audit.ts";
import type { RunEvent } from "../../model/event.ts";
import { formatAllowance } from "../../model/policy.ts";
import { type Failure, problem, type Result, success } from "../../model/result.ts";
import { formatLockHolder, type LockHolder } from "../../model/state.ts";
import type { AuditTrail } from "../../ports/audit-trail.ts";
import { isoTime } from "../../ports/clock.ts";
import type { LockOptions, RunInfo, StateSession, StateStore } from "../../ports/state-store.ts";
import { safe } from "../../report/safe.ts";
import { type AuditedSession, AuditLostError, auditedSession } from "../audit/audited-session.ts";
import { auditHash, openAuditTrail } from "../audit/open-trail.ts";
import { runContextOf } from "../audit/run-context.ts";
import { type CommandError, errorFromFailure, invalidSetting } from "../command-error.ts";
import type { Host } from "../host.ts";
import type { Session } from "../session.ts";
import { sha256 } from "../system.ts";
import { durationOf, showDuration } from "../time-limits.ts";

/** The flags of every command that locks the state. */
export interface LockFlags {
  readonly lockTimeout?: string | undefined;
  readonly breakStaleLock?: string | undefined;
}

/** What a command does while another run holds the state. */
export interface LockWaitOptions extends LockOptions {
  /** `none`: what the command records changes nothing. */
  readonly audit?: "none";
  /** Who has signed the plan that the run applies. */
  readonly approvals?: readonly AuditedApproval[];
  /** Milliseconds to wait for the lock. 0: do not wait. */
  readonly timeout: number;
}

/** Milliseconds: a call may take up to 60 s with all that is tried, and its run may be silent for as long before and after it. */
const minSilence = 120_000;

export function readLockOptions(
  { lockTimeout, breakStaleLock }: LockFlags,
  host: Host,
): Result<LockWaitOptions, CommandError> {
  const timeout = durationOf({ flag: "--lock-timeout", said: lockTimeout, name: "ROSTER_LOCK_TIMEOUT" }, host);
  if (!timeout.ok) return timeout;
  const breakStaleAfter = durationOf({ flag: "--break-stale-lock", said: breakStaleLock }, host);
  if (!breakStaleAfter.ok) return breakStaleAfter;
  const wait = { timeout: timeout.value ?? 0 };
  if (breakStaleAfter.value === undefined) return success(wait);
  if (breakStaleAfter.value < minSilence) return problem(staleTooSoon(breakStaleLock ?? ""));
  return success({ ...wait, breakStaleAfter: breakStaleAfter.value });
}

function staleTooSoon(said: string): CommandError {
  return invalidSetting(
    "stale-lock-too-soon",
    `--break-stale-lock ${said} is less than 2m. One call of the other run can take up to a minute.`,
    "Use 2m or more, such as 15m.",
  );
}

/** A locked state. It is saved and unlocked when its session is closed, or before by `close`. */
export interface StateLock extends StateSession {
  readonly run: string;
  /** To be asked before the first call: why it must not be sent, if so. */
  begin(): Promise<CommandError | undefined>;
}

/** A session whose state is locked for its run. */
export type Locked<Opened extends Session> = Opened & { readonly lock: StateLock };

/** Locks the state for one run of the session, and keeps what the run changes in the audit trail. */
export async function lockState<Opened extends Session<"store">>(
  session: Opened,
  operation: string,
  options: LockWaitOptions,
): Promise<Result<Locked<Opened>, CommandError>> {
  const { store, host, cancellation } = session;
  const run = host.randomness.identifier();
  const trail = options.audit === "none" ? success("none" as const) : await openAuditTrail(session.settings, host);
  if (!trail.ok) return trail;
  const hash = trail.value === "none" ? success(undefined) : await auditHash(host);
  if (!hash.ok) return hash;
  session.onClose(async () => {
    if (trail.value !== "none") await trail.value.close();
    return undefined;
  });
  const { signal } = cancellation;
  const taken = await takeLock(store, { run, operation }, options, { host, signal });
  if (!taken.ok) return problem(errorFromFailure(taken.error));
  const audited = await withAudit(trail.value, taken.value, {
    run,
    operation,
    session,
    approvals: options.approvals,
    hash: hash.value,
  });
  if (!audited.ok) {
    await taken.value.close();
    return problem(errorFromFailure(audited.error));
  }
  const held = audited.value;
  let isClosed = false;
  const close: StateSession["close"] = (rewrite) => {
    isClosed = true;
    return held.close(rewrite);
  };
  session.onClose(async () => {
    const closed = isClosed ? undefined : await close();
    return closed === undefined || closed.ok ? undefined : errorFromFailure(closed.error);
  });
  const begin = async () => {
    const unwritten = await held.begin();
    return unwritten === undefined ? undefined : errorFromFailure(unwritten);
  };
  return success({ ...session, lock: { ...held, run, begin, close } });
}

interface RunToAudit {
  readonly run: string;
  readonly operation: string;
  readonly approvals: readonly AuditedApproval[] | undefined;
  readonly hash: KeyedHash | undefined;
  readonly session: Session & Partial<Pick<Session<"policy">, "policy">>;
}

async function withAudit(
  trail: AuditTrail | "none",
  held: StateSession,
  { run, operation, session, approvals, hash }: RunToAudit,
): Promise<Result<AuditedSession, Failure>> {
  if (trail === "none") return success({ ...held, begin: async () => undefined });
  const { host, policy } = session;
  const allowed = (policy?.allowed ?? []).map(formatAllowance);
  const { clock } = host;
  return auditedSession(held, {
    run,
    command: operation,
    ...host.secrets.redactAll(runContextOf(host)),
    allowed,
    ...(approvals === undefined ? {} : { approvals: host.secrets.redactAll(approvals) }),
    trail,
    hash,
    clock,
    digest: sha256,
  });
}

/** Waits until no run works with the state, up to the timeout in milliseconds. Takes no lock. */
export async function waitForRun(
  store: StateStore,
  timeout: number,
  { host, signal }: Pick<Waiting, "host" | "signal">,
): Promise<CommandError | undefined> {
  if (timeout === 0) return undefined;
  const { last: holder } = await untilFree(() => activeRun(store), holderMessage, {
    timeout,
    interval: () => retryInterval,
    host,
    signal,
  });
  return holder === undefined || signal.aborted ? undefined : stillLocked(holder, timeout);
}

function holderMessage(holder: LockHolder | undefined): string | undefined {
  return holder === undefined ? undefined : safe(`the state is locked ${formatLockHolder(holder)}`);
}

function stillLocked(holder: LockHolder, timeout: number): CommandError {
  const problem = {
    code: "locked",
    message: `the state is locked ${formatLockHolder(holder)}, still locked after ${showDuration(timeout)}`,
    hint: "use a longer --lock-timeout, or none: then calls of that run show as pending",
  };
  return { reason: "locked", problem };
}

/**
 * Locks the state for one run. Where another one holds it, tries until the timeout ends, and says now and then who holds
 * it. An aborted signal ends the waiting: then the failure still says who holds the lock. @internal
 */
export async function takeLock(
  store: StateStore,
  run: Omit<RunInfo, "at">,
  { timeout, audit: _audit, approvals: _approvals, ...options }: LockWaitOptions,
  { host, signal }: Pick<Waiting, "host" | "signal">,
): Promise<Result<StateSession, Failure>> {
  const { clock, randomness } = host;
  // Two runs that wait do not try in step.
  const interval = () => retryInterval * (0.9 + randomness.fraction() / 5);
  const attempt = () => store.lock({ ...run, at: isoTime(clock) }, options);
  const { last, left } = await untilFree(attempt, lockedMessage, { timeout, interval, host, signal });
  if (last.ok || last.error.code !== "locked") return last;
  return problem(lockFailure(last.error, timeout, left));
}

function lockedMessage(attempt: Result<StateSession, Failure>): string | undefined {
  return attempt.ok || attempt.error.code !== "locked" ? undefined : safe(attempt.error.message);
}

function lockFailure(failure: Failure, timeout: number, left: number): Failure {
  const { message, hint } = failure;
  if (timeout > 0 && left <= 0)
    return { ...failure, message: `${message}, still locked after ${showDuration(timeout)}` };
  if (timeout > 0) return failure;
  const orWait = "--lock-timeout 5m waits for it";
  return { ...failure, hint: hint === undefined ? orWait : `${hint}; ${orWait}` };
}

/** Milliseconds between two attempts. */
const retryInterval = 1000;

/** Milliseconds between two messages that say who holds the state. */
const noticeInterval = 15_000;

interface Waiting {
  /** Milliseconds. */
  readonly timeout: number;
  /** Milliseconds until the next attempt. */
  readonly interval: () => number;
  readonly host: Host;
  readonly signal: AbortSignal;
}

/** Repeats an attempt until nobody holds the state, the time is over or the signal is aborted. `left`: milliseconds of the timeout. */
async function untilFree<Attempt>(
  attempt: () => Promise<Attempt>,
  heldBy: (last: Attempt) => string | undefined,
  { timeout, interval, host, signal }: Waiting,
): Promise<{ readonly last: Attempt; readonly left: number }> {
  const { clock, stderr } = host;
  const end = clock.now() + timeout;
  let notified = Number.NEGATIVE_INFINITY;
  for (;;) {
    const last = await attempt();
    const left = end - clock.now();
    const holder = heldBy(last);
    if (holder === undefined || left <= 0 || signal.aborted) return { last, left };
    if (clock.now() - notified >= noticeInterval) {
      notified = clock.now();
      stderr.write(`waiting for up to ${showDuration(left)}: ${holder}\n`);
    }
    await clock.wait(Math.min(left, interval()), signal);
  }
}

/** Makes events durable, or says that the place of the state is lost. `meanwhile`: what has become of the rest, in a few words. */
export async function recordEvents(
  session: StateSession,
  events: readonly RunEvent[],
  meanwhile: string,
): Promise<CommandError | undefined> {
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

/** The run that works with the state, if the store can tell without taking the lock. */
export async function activeRun(store: StateStore): Promise<LockHolder | undefined> {
  const holder = await holderOf(store);
  return holder === undefined || (holder.silentFor ?? 0) > maxSilence ? undefined : holder;
}

/** Says on standard error that a run holds the state: its unfinished work is no drift. */
export async function reportActiveRun(store: StateStore, host: Host): Promise<void> {
  const holder = await holderOf(store);
  if (holder === undefined) return;
  const held = safe(formatLockHolder(holder));
  host.stderr.write(`The state is locked ${held}. Changes that this run has not made yet show as planned.\n`);
}

async function holderOf(store: StateStore): Promise<LockHolder | undefined> {
  // An HTTP state server says who holds the lock only when the lock is requested.
  if (/^https?:/u.test(store.address)) return undefined;
  const holder = await store.holder();
  return holder.ok && holder.value !== "nobody" ? holder.value : undefined;
}
