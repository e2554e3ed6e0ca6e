import { safe } from "../safe.ts";

/** Whoever holds the lock of a state, as far as its store can tell. */
export interface LockHolder {
  readonly id: string;
  readonly who?: string;
  readonly operation?: string;
  readonly since?: string;
  /** Milliseconds. */
  readonly silentFor?: number;
  readonly fence?: number;
}

/** Safe words, to stand in a sentence: `apply by ada@build-7 since 2026-11-20T09:00:00Z, silent for 12 s`. */
export function formatLockHolder({ who, operation, since, silentFor }: LockHolder): string {
  const whose = who === undefined ? "somebody" : who;
  const what = operation === undefined ? `by ${whose}` : `${operation} by ${whose}`;
  const long = since === undefined ? "" : ` since ${since}`;
  const silent = silentFor === undefined ? "" : `, silent for ${Math.round(silentFor / 1000)} s`;
  return safe(`${what}${long}${silent}`);
}
