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

/** The time of another machine, as its answers tell it. It may jump, stand still or be cached: bounds are careful. */
export interface ServerTimes {
  /** Its time now, in milliseconds since the epoch, at the latest; undefined as long as nothing has told it. */
  latest(): number | undefined;
  /** Begins to read. The function ends that, and tells what the time was when it began, at the earliest, by all answers since then. */
  reading(): () => number | undefined;
}
