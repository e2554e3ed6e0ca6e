import type { Clock } from "../../src/ports/clock.ts";

/**
 * A clock for a command that has a deadline, for which it waits before anything else: the deadline comes when other waits have
 * passed it, and never by itself while nothing but a module is waited for.
 */
export function deadlineClock({ now, monotonic, wait }: Clock): Clock {
  const looks = new Set<() => void>();
  let ofDeadline: AbortSignal | undefined;

  function waitBeside(milliseconds: number, signal: AbortSignal): Promise<void> {
    const due = now() + milliseconds;
    return new Promise((resolve) => {
      const look = () => {
        if (!signal.aborted && now() < due) return;
        looks.delete(look);
        resolve();
      };
      looks.add(look);
      signal.addEventListener("abort", look, { once: true });
      look();
    });
  }

  return {
    now,
    monotonic,
    async wait(milliseconds, signal) {
      ofDeadline ??= signal;
      if (signal !== undefined && signal === ofDeadline) return waitBeside(milliseconds, signal);
      await wait(milliseconds, signal);
      for (const look of looks) look();
    },
  };
}
