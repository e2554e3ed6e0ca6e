import type { RunEvent } from "../../model/event.ts";
import { type Failure, problem, type Result, success } from "../../model/result.ts";
import { isoTime } from "../../ports/clock.ts";
import type { LockHolder, LockOptions, RunInfo, StateSession, StateStore } from "../../ports/state-store.ts";
import { safe } from "../../report/safe.ts";
import { formatLockHolder } from "../../report/state.ts";
import { type CommandError, errorFromFailure, invalidSetting } from "../command-error.ts";
import { durationOf, showDuration } from "../duration.ts";
import type { Host } from "../host.ts";
import type { CommandResult } from "../output/finish.ts";

/** The flags of every command that locks the state. */
export interface LockFlags {
  readonly lockTimeout?: string | undefined;
  readonly takeDeadLock?: string | undefined;
}

/** What a command does where another run holds the state. */
export interface LockWaitOptions {
  /** Milliseconds to wait for the lock; 0 says at once who holds it. */
  readonly timeout: number;
  readonly wishes: LockOptions;
}

/** Milliseconds: a call may take up to 60 s with all that is tried, and its run may be silent for as long before and after it. */
const minSilence = 120_000;

export function readLockOptions(
  { lockTimeout, takeDeadLock }: LockFlags,
  host: Host,
): Result<LockWaitOptions, CommandError> {
  const timeout = durationOf({ flag: "--lock-timeout", said: lockTimeout, name: "ROSTER_LOCK_TIMEOUT" }, host);
  if (!timeout.ok) return timeout;
  const takeDeadAfter = durationOf({ flag: "--take-dead-lock", said: takeDeadLock }, host);
  if (!takeDeadAfter.ok) return takeDeadAfter;
  if (takeDeadAfter.value === undefined) return success({ timeout: timeout.value ?? 0, wishes: {} });
  if (takeDeadAfter.value < minSilence) return problem(takeOverTooSoon(takeDeadLock ?? ""));
  return success({ timeout: timeout.value ?? 0, wishes: { takeDeadAfter: takeDeadAfter.value } });
}

function takeOverTooSoon(said: string): CommandError {
  return invalidSetting(
    "hasty-take-over",
    `--take-dead-lock ${said} is less than 2m: a call of the run that holds the lock may be under way for up to a minute, and must not be taken for dead with it.`,
    "Give it 2m or more; 15m is a careful choice.",
  );
}

/** Milliseconds between two looks at the lock. */
const pollInterval = 1000;

/** Milliseconds after which whoever waits is told again for whom. */
const noticeInterval = 15_000;

/** Waits until no run works with the state, for as long as the patience says; never takes the lock for it. */
export async function waitForRun(
  store: StateStore,
  timeout: number,
  { host, signal }: { readonly host: Host; readonly signal: AbortSignal },
): Promise<CommandError | undefined> {
  if (timeout === 0) return undefined;
  const { clock } = host;
  const began = clock.now();
  let told = Number.NEGATIVE_INFINITY;
  for (;;) {
    const holder = await activeRun(store);
    if (holder === undefined || signal.aborted) return undefined;
    const left = began + timeout - clock.now();
    if (left <= 0) return stillLocked(holder, timeout);
    if (clock.now() - told >= noticeInterval) {
      told = clock.now();
      host.stderr.write(`waiting for up to ${showDuration(left)}: the state is locked (${formatLockHolder(holder)})\n`);
    }
    await clock.wait(Math.min(left, pollInterval), signal);
  }
}

function stillLocked(holder: LockHolder, timeout: number): CommandError {
  const problem = {
    code: "locked",
    message: `the state is locked (${formatLockHolder(holder)}), and still was after ${showDuration(timeout)}`,
    hint: "give --lock-timeout more time, or leave it out: then what that run has announced is told as pending",
  };
  return { reason: "locked", problem };
}

/** Milliseconds between two tries, give or take a tenth, so that two who wait do not try in step. */
const retryInterval = 1000;

/**
 * Locks the state for one run; where another one holds it, tries until the patience ends, and tells now and then who holds
 * it. An aborted signal ends the waiting: then the failure still says who holds the lock.
 */
export async function takeLock(
  store: StateStore,
  run: Omit<RunInfo, "at">,
  { timeout, wishes }: LockWaitOptions,
  { host, signal }: { readonly host: Host; readonly signal: AbortSignal },
): Promise<Result<StateSession, Failure>> {
  const { clock, randomness } = host;
  const began = clock.now();
  let told = Number.NEGATIVE_INFINITY;
  for (;;) {
    const locked = await store.lock({ ...run, at: isoTime(clock) }, wishes);
    if (locked.ok || locked.error.code !== "locked") return locked;
    const left = began + timeout - clock.now();
    if (left <= 0 || signal.aborted) return problem(lockFailure(locked.error, timeout, left));
    if (clock.now() - told >= noticeInterval) {
      told = clock.now();
      host.stderr.write(`waiting for up to ${showDuration(left)}: ${safe(locked.error.message)}\n`);
    }
    await clock.wait(Math.min(left, retryInterval * (0.9 + randomness.fraction() / 5)), signal);
  }
}

function lockFailure(failure: Failure, timeout: number, left: number): Failure {
  const { message, hint } = failure;
  if (timeout > 0 && left <= 0)
    return { ...failure, message: `${message}, and still was after ${showDuration(timeout)}` };
  if (timeout > 0) return failure;
  const orWait = "--lock-timeout 5m waits for it";
  return { ...failure, hint: hint === undefined ? orWait : `${hint}; ${orWait}` };
}

/** Works on a locked state. Whatever happens in between, it is saved and unlocked; what stopped the work counts first. */
export async function underLock(session: StateSession, work: () => Promise<CommandResult>): Promise<CommandResult> {
  const { concluded, closed } = await runThenClose(session, work);
  return closed.ok ? concluded : { ...concluded, stop: concluded.stop ?? errorFromFailure(closed.error) };
}

/** What the work came to, and what became of the state that was saved and unlocked after it, also where the work has thrown. */
export async function runThenClose(
  session: StateSession,
  work: () => Promise<CommandResult>,
): Promise<{ readonly concluded: CommandResult; readonly closed: Awaited<ReturnType<StateSession["close"]>> }> {
  const outcome = await work().then(
    (concluded) => ({ concluded }),
    (thrown: unknown) => ({ thrown }),
  );
  const closed = await session.close();
  if ("thrown" in outcome) throw outcome.thrown;
  return { ...outcome, closed };
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
    if (!(error instanceof Error)) throw error;
    const hint = `${meanwhile}; mend the place of the state, and run again`;
    return errorFromFailure({ code: "state", message: error.message, hint });
  }
}

/** Milliseconds after which a holder who gives no sign of life is not taken to work any more. */
const maxSilence = 120_000;

/** Whoever holds the state and works with it, as far as its store can tell without being asked for the lock. */
export async function activeRun(store: StateStore): Promise<LockHolder | undefined> {
  const holder = await holderOf(store);
  return holder === undefined || (holder.silentFor ?? 0) > maxSilence ? undefined : holder;
}

/** Says on standard error that a run holds the state, so that its half-done work is not taken for drift. */
export async function reportActiveRun(store: StateStore, host: Host): Promise<void> {
  const holder = await holderOf(store);
  if (holder === undefined) return;
  host.stderr.write(
    `the state is locked (${formatLockHolder(holder)}): while that run is under way, what it has not done yet shows as a change\n`,
  );
}

async function holderOf(store: StateStore): Promise<LockHolder | undefined> {
  // The protocol of HTTP state servers tells who holds the lock only to whoever asks for it.
  if (/^https?:/u.test(store.address)) return undefined;
  const holder = await store.holder();
  return holder.ok && holder.value !== "nobody" ? holder.value : undefined;
}
