import * as t from "./declare.ts";
import { place } from "./fact.ts";

export type AcceptEntry = t.Static<typeof acceptEntry>;
export const acceptEntry = t.object({
  code: t.string("As in `extra-member:data/cy@acme.example#7f3a90c1d4e5`."),
  reason: t.string(),
  until: t.string("The last day on which it counts, as in `2026-12-31` (UTC)."),
  place,
});

export const accept = t.object(
  "An entry that accepts it under `accept` in a roster file, together with a `reason`. Absent where nobody can.",
  { code: t.string("As in `extra-member:data/cy@acme.example#7f3a90c1d4e5`."), until: t.string("In 30 days.") },
);

export const guarded = t.described(
  t.literal(true),
  "A privileged role or a guard is involved: it can be accepted for at most 30 days. Otherwise absent: 366 days.",
);

/** The first counts, of several entries. */
export const acceptStatuses = ["in-force", "over", "too-long", "other-facts"] as const;

export type AcceptStatus = (typeof acceptStatuses)[number];

const acceptStatus = t.described(
  t.oneOf(...acceptStatuses),
  "`in-force`: it is accepted. Otherwise it is reported as if there were no entry. `over`: the last day has passed. `too-long`: the last day is too far ahead. `other-facts`: the digits are those of other facts, of another service or of another log.",
);

export const accepted = t.described(
  t.extended({ is: acceptStatus }, acceptEntry),
  "The entry in the roster about it. Absent where the roster has none.",
);

export type Acceptable = t.ObjectOf<typeof acceptable>;
export const acceptable = { accept: t.optional(accept), guarded: t.optional(guarded), accepted: t.optional(accepted) };

export function isAccepted({ accepted }: Acceptable): boolean {
  return accepted?.is === "in-force";
}

export function maxAcceptDays({ guarded }: Acceptable): number {
  return guarded === true ? 30 : 366;
}
