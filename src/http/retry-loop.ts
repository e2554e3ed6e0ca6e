import { type Clock, stopwatch } from "../ports/clock.ts";

/** How often and how late something is tried. */
export interface RetryRule<T> {
  readonly clock: Clock;
  /** Milliseconds to wait before the next attempt; undefined where the result of this one holds. */
  readonly pauseAfter: (result: T, so: Attempts) => number | undefined;
  /** Ends a pause early. */
  readonly signal?: AbortSignal | undefined;
  /** After a pause, which may have been long for a process that slept: false where there is no further attempt. */
  readonly isStillWanted?: (so: Attempts) => boolean;
}

export interface Attempts {
  /** How many there were. */
  readonly tries: number;
  /** Milliseconds since the first one began. */
  readonly elapsed: number;
}

/** Attempts something until its result holds, and returns the last result. */
export async function retry<T>(
  attempt: () => Promise<T>,
  { clock, pauseAfter, signal, isStillWanted = () => true }: RetryRule<T>,
): Promise<T> {
  const elapsed = stopwatch(clock);
  for (let tries = 1; ; tries += 1) {
    const result = await attempt();
    const pause = pauseAfter(result, { tries, elapsed: elapsed() });
    if (pause === undefined) return result;
    await clock.wait(pause, signal);
    if (!isStillWanted({ tries, elapsed: elapsed() })) return result;
  }
}

/** Milliseconds before the next attempt: doubled after each, and shortened by up to a half, so that clients do not come all at once. */
export function backoff(
  tries: number,
  {
    first,
    max = Number.POSITIVE_INFINITY,
    fraction,
  }: { readonly first: number; readonly max?: number; readonly fraction: number },
): number {
  return Math.min(max, first * 2 ** (tries - 1)) * (0.5 + fraction / 2);
}

/** Milliseconds that a `Retry-After` asks for, in seconds or as an HTTP date; `undefined` where it says nothing. */
export function retryAfter(value: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  // A bare or negative number is no date, though Date.parse would make one of it.
  if (!/[a-z]/i.test(text)) return undefined;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
