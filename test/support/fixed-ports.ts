import type { Clock, Randomness, ServerTimes, Timer } from "../../src/ports/clock.ts";
import type { AccountService } from "../../src/service/port.ts";

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
    monotonic: () => time,
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

/** A server that tells its time exactly, and whose clock is this one. */
export function timesBy({ now }: Pick<Clock, "now">): ServerTimes {
  return {
    latest: now,
    reading() {
      const began = now();
      return () => began;
    },
  };
}

export function tellingTime<Service extends AccountService>(service: Service, clock: Pick<Clock, "now">): Service {
  return Object.create(service, { times: { value: timesBy(clock) } });
}

/** What measures time by a wall clock alone, as where a machine slept. */
export function timerBy(now: () => number = Date.now): Timer {
  return { now, monotonic: () => 0 };
}

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
