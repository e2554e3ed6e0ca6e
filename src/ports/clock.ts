import type { HttpResponse } from "./http-client.ts";

export interface Clock {
  /** Milliseconds since the epoch. A person, or the time service of the machine, may set it back or ahead. */
  now(): number;
  /** Milliseconds that only grow, from any start. On Linux they stand still while the machine sleeps. */
  monotonic(): number;
  /** Resolves after so many milliseconds, or at once when the signal is aborted. Never rejects. */
  wait(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export type Timer = Pick<Clock, "now" | "monotonic">;

export interface Moment {
  readonly wall: number;
  readonly monotonic: number;
}

export function momentOf(clock: Timer): Moment {
  return { wall: clock.now(), monotonic: clock.monotonic() };
}

/** Milliseconds since a moment, by the count that says more: one stands still while a machine sleeps, the other can be set back. */
export function elapsedSince({ wall, monotonic }: Moment, clock: Timer): number {
  return Math.max(clock.now() - wall, clock.monotonic() - monotonic);
}

export function stopwatch(clock: Timer): () => number {
  const start = momentOf(clock);
  return () => elapsedSince(start, clock);
}

export function isoTime(clock: Clock): string {
  return new Date(clock.now()).toISOString();
}

/** The day in UTC, as in `2026-11-20`. */
export function isoDate(clock: Clock): string {
  return isoTime(clock).slice(0, 10);
}

export interface Randomness {
  /** Uniform in [0, 1). */
  fraction(): number;
  identifier(): string;
}

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

/** When an answer of success was made, in milliseconds since the epoch, by the server's clock: by its `Date`, unless it comes from a cache. */
export function uncachedDate({ status, headers }: Pick<HttpResponse, "status" | "headers">): number | undefined {
  if (status < 200 || status > 299 || headers.has("age")) return undefined;
  if ([...headers].some(([name, value]) => /cache/u.test(name) && /\bhit\b/iu.test(value))) return undefined;
  const written = headers.get("date") ?? "";
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/u.test(written)) return undefined;
  const time = Date.parse(written);
  return Number.isNaN(time) ? undefined : time;
}
