import { settlingTime } from "../model/settling.ts";
import type { Clock } from "../ports/clock.ts";
import type { Progress } from "../ports/progress.ts";

export interface WaitPorts {
  readonly clock: Clock;
  readonly progress: Progress;
  readonly signal?: AbortSignal;
}

/**
 * Waits until what was done at the youngest of these times must show, so that one shared wait is enough for all; says
 * whether there was anything to wait for.
 */
export async function waitForSettling(times: readonly string[], what: string, ports: WaitPorts): Promise<boolean> {
  const { clock, progress, signal } = ports;
  const began = clock.now();
  const youngest = times.reduce((latest, at) => Math.max(latest, startOf(at, began)), Number.NEGATIVE_INFINITY);
  const due = youngest + settlingTime;
  if (due <= began) return false;
  progress.report({ what: `waiting for ${times.length} ${what} to show`, done: 0 });
  // A timer may go off a little early.
  for (let tries = 0; tries < 3 && clock.now() < due && !signal?.aborted; tries += 1) {
    await clock.wait(due - clock.now(), signal);
  }
  return true;
}

/** A time to come, or none, is some other clock's: as if it were now. */
function startOf(at: string, now: number): number {
  const time = Date.parse(at);
  return Number.isNaN(time) ? now : Math.min(time, now);
}
