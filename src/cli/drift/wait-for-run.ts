import type { LockHolder, StateStore } from "../../ports/state-store.ts";
import { formatLockHolder } from "../../report/state.ts";
import { showDuration } from "../duration.ts";
import type { Host } from "../host.ts";
import type { CommandError } from "../stop.ts";
import { activeRun } from "../stores/run-under-way.ts";

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
