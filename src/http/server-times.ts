import { elapsedSince, type Moment, momentOf, type Timer } from "../ports/clock.ts";
import type { HttpResponse } from "./http-client.ts";

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
  for (const [name, value] of headers) if (name.includes("cache") && /\bhit\b/iu.test(value)) return undefined;
  const written = headers.get("date") ?? "";
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/u.test(written)) return undefined;
  const time = Date.parse(written);
  return Number.isNaN(time) ? undefined : time;
}
