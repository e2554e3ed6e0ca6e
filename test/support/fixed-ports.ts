import { createHash } from "node:crypto";
import type { Clock, Digest, Randomness } from "../../src/ports/clock.ts";

/** A clock that stands still until somebody waits, or a test moves it on. */
export interface MovableClock extends Clock {
  /** Every wait so far, in milliseconds. */
  readonly waits: readonly number[];
  move(milliseconds: number): void;
}

export function clockAt(start: string): MovableClock {
  let time = Date.parse(start);
  const waits: number[] = [];
  return {
    waits,
    now: () => time,
    async wait(milliseconds, signal) {
      if (signal?.aborted) return;
      waits.push(milliseconds);
      time += milliseconds;
    },
    move(milliseconds) {
      time += milliseconds;
    },
  };
}

/** Identifiers count up: `id-1`, `id-2`. */
export function countingRandomness(word = "id"): Randomness {
  let count = 0;
  return {
    fraction: () => 0.5,
    identifier() {
      count += 1;
      return `${word}-${count}`;
    },
  };
}

export const sha256: Digest = (text) => createHash("sha256").update(text).digest("hex");
