import { setImmediate as turn } from "node:timers/promises";
import type { Clock } from "../../src/ports/clock.ts";

/**
 * Time that stands still while anything is under way and jumps to the next timer once nothing is: what waits for seconds
 * takes no time, and no call takes longer because something beside it waits.
 */
export interface VirtualTime {
  now(): number;
  /** A clock that ends with the process that it was made for: from then on its waits are over at once, in no time. */
  clock(): { readonly clock: Clock; end(): void };
  move(milliseconds: number): void;
}

interface Timer {
  readonly due: number;
  readonly ring: () => void;
}

/** Turns of the event loop without anything under way after which nothing is: a byte on loopback needs one or two. */
const calmTurns = 4;

/** `isBusy`: whether a request is under way. Calls to the file system are seen without being told of. */
export function virtualTime(start: number, isBusy: () => boolean): VirtualTime {
  let time = start;
  const timers = new Set<Timer>();
  let isRunning = false;

  async function run(): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    for (let calm = 0; timers.size > 0; calm += 1) {
      await turn();
      if (isBusy() || filesAreUnderWay()) calm = -1;
      if (calm >= calmTurns) {
        ringNext();
        calm = -1;
      }
    }
    isRunning = false;
  }

  function ringNext(): void {
    const next = [...timers].reduce((first, timer) => (timer.due < first.due ? timer : first));
    timers.delete(next);
    time = Math.max(time, next.due);
    next.ring();
  }

  function wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = { due: time + Math.max(0, milliseconds), ring: resolve };
      timers.add(timer);
      signal?.addEventListener("abort", () => timers.delete(timer) && resolve(), { once: true });
      void run();
    });
  }

  return {
    now: () => time,
    move(milliseconds) {
      time += milliseconds;
    },
    clock() {
      let ended: number | undefined;
      const own = new Set<() => void>();
      const clock: Clock = {
        now: () => ended ?? time,
        async wait(milliseconds, signal) {
          if (ended !== undefined) return;
          let release: () => void = () => undefined;
          const released = new Promise<void>((resolve) => {
            release = resolve;
          });
          own.add(release);
          await Promise.race([wait(milliseconds, signal), released]);
          own.delete(release);
        },
      };
      return {
        clock,
        end() {
          ended = time;
          for (const release of own) release();
        },
      };
    },
  };
}

function filesAreUnderWay(): boolean {
  return process.getActiveResourcesInfo().some((name) => name.startsWith("FSReq"));
}
