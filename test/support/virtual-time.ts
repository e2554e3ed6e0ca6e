import { setMaxListeners } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import type { Clock } from "../../src/ports/clock.ts";

/**
 * Time that jumps to the next timer once nothing is under way: what waits for seconds takes no time, and no call takes
 * longer because something beside it waits.
 */
export interface VirtualTime {
  now(): number;
  /** A clock that ends with the process that it was made for: from then on its waits are over at once, in no time. */
  clock(wall?: WallDraw): { readonly clock: Clock; end(): void };
  /** Lets time pass: whatever is due until then comes in its order. */
  pass(milliseconds: number): Promise<void>;
}

/** How the wall clock of a machine goes: so many milliseconds ahead, and more of it once so many have passed. */
export interface WallDraw {
  readonly ahead: number;
  readonly step?: { readonly after: number; readonly by: number } | undefined;
}

/** What such a clock shows at a time, on a machine that began to work at another. */
export function wallTime({ ahead, step }: WallDraw, began: number): (time: number) => number {
  return (time) => time + ahead + (step === undefined || time < began + step.after ? 0 : step.by);
}

interface Timer {
  readonly due: number;
  readonly ring: () => void;
}

/** Turns of the event loop without anything under way after which nothing is: a byte on loopback needs one or two. */
const calmWithSockets = 10;

/**
 * `base`: milliseconds since the epoch without the jumps, such as a fixed time. `isBusy`: whether a request is under way;
 * calls to the system are seen without being told of. `calmTurns`: fewer where no socket is waited for.
 */
export function virtualTime(
  base: () => number,
  isBusy: () => boolean,
  calmTurns: number = calmWithSockets,
): VirtualTime {
  let jumped = 0;
  const timers = new Set<Timer>();
  let isRunning = false;
  const now = () => base() + jumped;

  async function run(): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    for (let calm = 0; timers.size > 0; calm += 1) {
      await turn();
      if (isBusy() || systemIsBusy()) calm = -1;
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
    jumped += Math.max(0, next.due - now());
    next.ring();
  }

  function clock({ ahead, step }: WallDraw = { ahead: 0 }) {
    const wall = wallTime({ ahead, step }, now());
    let ended: number | undefined;
    const own = new Set<Timer>();

    function ring(timer: Timer): void {
      timers.delete(timer);
      timer.ring();
    }

    const lived: Clock = {
      now: () => wall(ended ?? now()),
      monotonic: () => ended ?? now(),
      wait(milliseconds, signal) {
        if (ended !== undefined || signal?.aborted) return Promise.resolve();
        return new Promise((resolve) => {
          const abort = () => ring(timer);
          const timer = {
            due: now() + Math.max(0, milliseconds),
            ring() {
              own.delete(timer);
              signal?.removeEventListener("abort", abort);
              resolve();
            },
          };
          own.add(timer);
          timers.add(timer);
          if (signal !== undefined) setMaxListeners(0, signal);
          signal?.addEventListener("abort", abort);
          void run();
        });
      },
    };
    return {
      clock: lived,
      end() {
        ended = now();
        for (const timer of own) ring(timer);
      },
    };
  }

  return {
    now,
    clock,
    pass: (milliseconds) => clock().clock.wait(milliseconds),
  };
}

/** Files, connections that are being made, bytes that are being written. */
function systemIsBusy(): boolean {
  return process.getActiveResourcesInfo().some((name) => /^(?:FSReq|FileHandle|TCPConnect|Write|Shutdown)/u.test(name));
}
