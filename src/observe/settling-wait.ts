import { settlingTime } from "../model/settling.ts";
import type { OpenIntent } from "../model/state.ts";
import type { Clock } from "../ports/clock.ts";
import type { Progress } from "../ports/progress.ts";

/** Waits until what the youngest open call may have done must show, so that one shared wait lets reading settle them all. */
export async function waitForSettling(
  open: readonly OpenIntent[],
  ports: { readonly clock: Clock; readonly progress: Progress; readonly signal?: AbortSignal },
): Promise<void> {
  const { clock, progress, signal } = ports;
  const began = clock.now();
  const youngest = open.reduce((latest, { at }) => Math.max(latest, startOf(at, began)), Number.NEGATIVE_INFINITY);
  const due = youngest + settlingTime;
  if (due <= began) return;
  progress.report({ what: `waiting for ${open.length} unsettled calls to show`, done: 0 });
  // A timer may go off a little early.
  for (let tries = 0; tries < 3 && clock.now() < due && !signal?.aborted; tries += 1) {
    await clock.wait(due - clock.now(), signal);
  }
}

/** A time to come, or none, is some other clock's: as if it were now. */
function startOf(at: string, now: number): number {
  const time = Date.parse(at);
  return Number.isNaN(time) ? now : Math.min(time, now);
}
