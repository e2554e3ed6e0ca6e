import { setImmediate as turn } from "node:timers/promises";
import type { Clock } from "../ports/clock.ts";

interface Timer {
  readonly due: number;
  readonly ring: () => void;
}

/**
 * A clock that stands still while anything is under way and jumps to whatever is due next once nothing is: what waits for
 * minutes takes no time. Only for work that waits for this clock and for nothing outside the process.
 */
export function virtualClock(start: number): Clock {
  const timers = new Set<Timer>();
  let now = start;
  let isRunning = false;

  async function run(): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    while (timers.size > 0) {
      // Whatever was set going until now has come to a wait before the next turn of the event loop.
      await turn();
      ringDue();
    }
    isRunning = false;
  }

  /** All that are due at one moment, in the order in which they were set. */
  function ringDue(): void {
    const next = [...timers].reduce((first, { due }) => Math.min(first, due), Number.POSITIVE_INFINITY);
    if (timers.size > 0) now = Math.max(now, next);
    for (const timer of [...timers]) {
      if (timer.due > now) continue;
      timers.delete(timer);
      timer.ring();
    }
  }

  return {
    now: () => now,
    wait(milliseconds, signal) {
      if (signal?.aborted || milliseconds <= 0) return Promise.resolve();
      return new Promise((resolve) => {
        const timer = { due: now + milliseconds, ring };
        const stop = () => {
          timers.delete(timer);
          ring();
        };
        function ring(): void {
          signal?.removeEventListener("abort", stop);
          resolve();
        }
        timers.add(timer);
        signal?.addEventListener("abort", stop, { once: true });
        void run();
      });
    },
  };
}
