import { type Failure, problem, type Result } from "../../model/result.ts";
import { isoTime } from "../../ports/clock.ts";
import type { RunInfo, StateSession, StateStore } from "../../ports/state-store.ts";
import { safe } from "../../report/safe.ts";
import { showDuration } from "../duration.ts";
import type { Host } from "../host.ts";
import type { LockWaitOptions } from "./lock-patience.ts";

/** Milliseconds between two tries, give or take a tenth, so that two who wait do not try in step. */
const retryInterval = 1000;

/** Milliseconds after which whoever waits is told again for whom. */
const noticeInterval = 15_000;

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
