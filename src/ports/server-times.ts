import { elapsedSince, type Moment, momentOf, type Timer } from "./clock.ts";

/**
 * The time of another machine, as its answers tell it. It may be set back or ahead, stand still or come from a cache: each bound
 * is the careful one of all that was told.
 */
export interface ServerTimes {
  /** Its time now, in milliseconds since the epoch, at the latest; undefined as long as nothing has told it. */
  latest(): number | undefined;
  /** Begins to read. The function ends that, and tells what the time was when it began, at the earliest, by all answers since then. */
  reading(): () => number | undefined;
}

export type ServerTimesTracker = ReturnType<typeof trackServerTimes>;

export function trackServerTimes(clock: Timer) {
  let last: { readonly time: number; readonly at: Moment } | undefined;
  let first: { readonly time: number; readonly at: Moment } | undefined;
  const readings = new Set<{ readonly began: Moment; earliest: number }>();
  return {
    latest: () => (last === undefined ? undefined : last.time + elapsedSince(last.at, clock)),
    reading() {
      const began = momentOf(clock);
      const earliest =
        first === undefined ? Number.POSITIVE_INFINITY : first.time + (began.monotonic - first.at.monotonic);
      const reading = { began, earliest };
      readings.add(reading);
      return () => {
        readings.delete(reading);
        return Number.isFinite(reading.earliest) ? reading.earliest : undefined;
      };
    },
    /** An answer named a time, rounded down to so many milliseconds. `sent`: when it was asked for. */
    told(time: number, { sent, roundedTo }: { readonly sent: Moment; readonly roundedTo: number }) {
      const at = momentOf(clock);
      // A time that goes on slower than ours was told by a clock that stands still, or by a cache.
      const before = last === undefined ? Number.NEGATIVE_INFINITY : last.time + (at.monotonic - last.at.monotonic);
      const later = first === undefined ? time : first.time + elapsedSince(first.at, clock);
      first = { time: Math.min(time, later), at };
      last = { time: Math.max(before, time + roundedTo + elapsedSince(sent, clock)), at };
      for (const reading of readings) {
        // One that goes on faster was told by another clock.
        reading.earliest = Math.min(reading.earliest, time - elapsedSince(reading.began, clock));
      }
    },
  };
}
