import type { Clock } from "../../src/ports/clock.ts";
import type { Randomness } from "../../src/ports/randomness.ts";

/** A clock that stands still and jumps ahead when somebody waits. Tells what was waited for. */
export interface ScriptedClock extends Clock {
  readonly waits: readonly number[];
}

export function scriptedClock(start = Date.parse("2026-11-20T10:00:00.000Z")): ScriptedClock {
  const waits: number[] = [];
  let now = start;
  return {
    waits,
    now: () => now,
    wait: async (milliseconds) => {
      waits.push(milliseconds);
      now += milliseconds;
    },
  };
}

/** Always the same fraction, and identifiers in a row. */
export function scriptedRandomness(fraction = 0): Randomness {
  let count = 0;
  return {
    fraction: () => fraction,
    identifier: () => {
      count += 1;
      return `id-${count}`;
    },
  };
}
