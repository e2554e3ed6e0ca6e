import { type LockWaiting, lockForRun, lockHolder, type StateLock } from "../../library/apply/lock.ts";
import { showDuration } from "../../library/duration.ts";
import { invalidSetting, type RosterError } from "../../library/error.ts";
import { formatAllowanceCode } from "../../model/allowance.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { definedFields } from "../../model/role-set.ts";
import { formatLockHolder, type LogHead } from "../../model/state.ts";
import type { LockOptions, RosterLog } from "../../ports/log.ts";
import { safe } from "../../report/safe.ts";
import type { Host } from "../host.ts";
import { runContextOf } from "../run-context.ts";
import type { Session } from "../session.ts";
import { durationOf } from "../time-limits.ts";
import { type HeadFlags, headMissing, readExpectedHead } from "./head.ts";

/** The flags of every command that locks the log. */
export interface LockFlags extends HeadFlags {
  readonly lockTimeout?: string | undefined;
  readonly breakStaleLock?: string | undefined;
}

/** What a command does while another run holds the log. */
export interface LockWaitOptions extends LockOptions {
  /** A head that the log must go on from. */
  readonly expectedHead?: LogHead | undefined;
  /** Milliseconds to wait for the lock. 0: do not wait. */
  readonly timeout: number;
}

/** Milliseconds: a call may take up to 60 s with all that is tried, and its run may be silent for as long before and after it. */
const minSilence = 120_000;

export function readLockOptions({
  lockTimeout,
  breakStaleLock,
  ...flags
}: LockFlags): Result<LockWaitOptions, RosterError> {
  const timeout = durationOf("--lock-timeout", lockTimeout);
  if (!timeout.ok) return timeout;
  const breakStaleAfter = durationOf("--break-stale-lock", breakStaleLock);
  if (!breakStaleAfter.ok) return breakStaleAfter;
  const expectedHead = readExpectedHead(flags);
  if (!expectedHead.ok) return expectedHead;
  const silence = breakStaleAfter.value;
  if (silence !== undefined && silence < minSilence) return problem(staleTooSoon(breakStaleLock ?? ""));
  return success({ timeout: timeout.value ?? 0, expectedHead: expectedHead.value, breakStaleAfter: silence });
}

function staleTooSoon(said: string): RosterError {
  return invalidSetting(
    "bad-flag-value",
    `--break-stale-lock ${said} is less than 2m. One call of the other run can take up to a minute.`,
    "Use 2m or more, such as 15m.",
  );
}

/** A session whose log is locked for its run. */
export type Locked<Opened extends Session> = Opened & { readonly lock: StateLock };

/** Locks the log for one run of the session. */
export async function lockState<Opened extends Session<"store">>(
  session: Opened & Partial<Pick<Session<"policy">, "policy">>,
  operation: string,
  options: LockWaitOptions,
): Promise<Result<Locked<Opened>, RosterError>> {
  const { store, host, cancellation, heads, onClose } = session;
  const run = host.randomness.identifier();
  const { allowed = [], reason } = session.policy ?? {};
  const info = host.secrets.redactAll({ ...runContextOf(host), reason });
  const allowances = allowed.length === 0 ? undefined : allowed.map(formatAllowanceCode);
  const command = { run, operation, ...definedFields({ ...info, allowed: allowances }) };
  const wait = { ...waitingWith(options, host), randomness: host.randomness, signal: cancellation.signal };
  const taken = await lockForRun(store, command, wait);
  if (!taken.ok) return taken;
  const lock = taken.value;
  onClose(async () => {
    const unsaved = await lock.finish();
    if (lock.head().position > lock.state.serial) heads.push(lock.head());
    return unsaved;
  });
  const older = await headMissing(options.expectedHead, store, "stale");
  if (older !== undefined) return problem(older);
  return success({ ...session, lock });
}

/** How a command waits: what it waits for is said on standard error. */
export function waitingWith(
  { timeout, breakStaleAfter }: LockWaitOptions,
  { clock, stderr }: Host,
): Omit<LockWaiting, "randomness" | "signal"> {
  return {
    timeout,
    breakStaleAfter,
    clock,
    howToWait: "--lock-timeout 5m waits for it",
    waiting: (holder, left) => stderr.write(`waiting for up to ${showDuration(left)}: ${safe(holder)}\n`),
  };
}

/** Says on standard error that a run holds the log: its unfinished work is no drift. */
export async function reportActiveRun(store: RosterLog, host: Host): Promise<void> {
  const holder = await lockHolder(store);
  if (holder === undefined) return;
  const held = safe(formatLockHolder(holder));
  host.stderr.write(`The log is locked ${held}. Changes that this run has not made yet show as planned.\n`);
}
