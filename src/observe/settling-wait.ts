import { promptReadTime } from "../model/consistency.ts";
import type { Clock } from "../ports/clock.ts";
import type { Progress } from "../ports/progress.ts";

export interface WaitPorts {
  readonly clock: Clock;
  readonly progress: Progress;
  readonly signal?: AbortSignal;
}

/** What is waited for. */
export interface PendingChanges {
  readonly what: string;
  readonly times: readonly string[];
  /** Milliseconds by which a time may be one to come; absent where it cannot be. */
  readonly ahead?: number;
  /** Milliseconds by which the clock that told a time may be behind; absent where it was this one. */
  readonly apart?: number;
}

/**
 * Waits until what was done at the youngest of these times must show, so that one shared wait is enough for all; says
 * whether there was anything to wait for.
 */
export async function waitForSettling(
  { what, times, ahead = 0, apart = 0 }: PendingChanges,
  ports: WaitPorts,
): Promise<boolean> {
  const { clock, progress, signal } = ports;
  const began = clock.now();
  const starts = times.map((at) => settlingStart(at, began, { ahead, apart }));
  const youngest = starts.reduce((latest, start) => Math.max(latest, start), Number.NEGATIVE_INFINITY);
  const due = youngest + promptReadTime;
  if (due <= began) return false;
  progress.report({ what: `waiting for ${times.length} ${what} to show`, done: 0 });
  // A timer may go off a little early.
  for (let tries = 0; tries < 3 && clock.now() < due && !signal?.aborted; tries += 1) {
    await clock.wait(due - clock.now(), signal);
  }
  return true;
}

/** A time too far to come, or none, is some other clock's: as if it were now. So is one that another clock may call now. */
function settlingStart(
  at: string,
  now: number,
  { ahead, apart }: Required<Pick<PendingChanges, "ahead" | "apart">>,
): number {
  const time = Date.parse(at);
  if (Number.isNaN(time) || time > now + ahead) return now;
  return time > now - apart ? Math.max(time, now) : time;
}
