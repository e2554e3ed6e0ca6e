import type { Place } from "./place.ts";

/** Somebody's word, in a reviewed file, that something differs and may do so for a while. */
export interface Acknowledgement {
  readonly fingerprint: string;
  /** Code and subject, so that whoever reviews the file sees what is meant. */
  readonly code: string;
  readonly subject: string;
  /** The last day on which it counts, as in `2026-12-31` (UTC). */
  readonly until: string;
  readonly reason: string;
  /** Who said so, and on which day. */
  readonly by: string;
  readonly at: string;
  readonly place: Place;
}

/** For so many days what is at stake may be acknowledged: a privileged role, what a guard holds. */
export const maxGuardedAcknowledgementDays = 30;

/** And anything else. */
export const maxAcknowledgementDays = 366;
