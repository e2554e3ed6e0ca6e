import {
  described,
  extended,
  literal,
  type ObjectOf,
  object,
  oneOf,
  optional,
  type Static,
  string,
} from "./declare.ts";
import { place } from "./fact.ts";

export type AcceptEntry = Static<typeof acceptEntry>;
export const acceptEntry = object({
  code: string("As in `extra-member:data/cy@acme.example#7f3a90c1d4e5`."),
  reason: string(),
  until: string("The last day on which it counts, as in `2026-12-31` (UTC)."),
  place,
});

export const accept = object(
  "An entry that accepts it under `accept` in a roster file, together with a `reason`. Absent where nobody can.",
  { code: string("As in `extra-member:data/cy@acme.example#7f3a90c1d4e5`."), until: string("In 30 days.") },
);

export const guarded = described(
  literal(true),
  "A privileged role or a guard is involved: it can be accepted for at most 30 days. Otherwise absent: 366 days.",
);

/** The first counts, of several entries. */
export const acceptStatuses = ["in-force", "over", "too-long", "other-facts"] as const;

export type AcceptStatus = (typeof acceptStatuses)[number];

const acceptStatus = described(
  oneOf(...acceptStatuses),
  "`in-force`: it is accepted. Otherwise it is reported as if there were no entry. `over`: the last day has passed. `too-long`: the last day is too far ahead. `other-facts`: the digits are those of other facts, of another service or of another log.",
);

export const accepted = described(
  extended({ is: acceptStatus }, acceptEntry),
  "The entry in the roster about it. Absent where the roster has none.",
);

export type Acceptable = ObjectOf<typeof acceptable>;
export const acceptable = { accept: optional(accept), guarded: optional(guarded), accepted: optional(accepted) };

export function isAccepted({ accepted }: Acceptable): boolean {
  return accepted?.is === "in-force";
}

export function maxAcceptDays({ guarded }: Acceptable): number {
  return guarded === true ? 30 : 366;
}
