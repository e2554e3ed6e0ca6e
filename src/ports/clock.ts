/** Time, as an argument. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after so many milliseconds, or at once when the signal is aborted. Never rejects. */
  wait(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** Many things happen in one millisecond: its text is made once. */
let last = { at: Number.NaN, text: "" };

export function isoTime(clock: Clock): string {
  const at = clock.now();
  if (at !== last.at) last = { at, text: new Date(at).toISOString() };
  return last.text;
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
