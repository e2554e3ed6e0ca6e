/** Time, as an argument. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after so many milliseconds, or at once when the signal is aborted. Never rejects. */
  wait(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export function isoTime(clock: Clock): string {
  return new Date(clock.now()).toISOString();
}

/** The day in UTC, as in `2026-11-20`. */
export function isoDate(clock: Clock): string {
  return isoTime(clock).slice(0, 10);
}

/** Randomness, as an argument. */
export interface Randomness {
  /** Uniform in [0, 1). */
  fraction(): number;
  /** A new identifier, unique in practice. */
  identifier(): string;
}

/** A stable digest of a text, in lower-case hexadecimal: SHA-256 in production. */
export type Digest = (text: string) => string;
