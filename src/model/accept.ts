import type { Place } from "./fact.ts";

export interface AcceptEntry {
  /** As `--allow` takes it, as in `extra-member:data/cy@acme.example#7f3a90c1d4e5`. */
  readonly code: string;
  readonly reason: string;
  /** The last day on which it counts, as in `2026-12-31` (UTC). */
  readonly until: string;
  readonly place: Place;
}

export interface Acceptable {
  /** The entry that accepts it, but for its reason. Absent where nobody can. */
  readonly accept?: Pick<AcceptEntry, "code" | "until"> | undefined;
  /** A privileged role or a guard is involved: it is accepted for 30 days at most, and always shown. */
  readonly guarded?: true | undefined;
  /** The entry about it. Only one `in-force` accepts it. */
  readonly accepted?: (AcceptEntry & { readonly is: AcceptStatus }) | undefined;
}

/** `over`: its last day has passed. `too-long`: that day is too far ahead. `other-facts`: its digits are not those of today. */
export const acceptStatuses = ["in-force", "over", "too-long", "other-facts"] as const;

export type AcceptStatus = (typeof acceptStatuses)[number];

export function isAccepted({ accepted }: Acceptable): boolean {
  return accepted?.is === "in-force";
}

export function maxAcceptDays({ guarded }: Acceptable): number {
  return guarded === true ? 30 : 366;
}
