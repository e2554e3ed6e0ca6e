import { problem, type Result, success } from "../../model/result.ts";
import type { LockOptions } from "../../ports/state-store.ts";
import { durationOf } from "../duration-flag.ts";
import type { Host } from "../host.ts";
import { type CommandError, invalidSetting } from "../stop.ts";

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
