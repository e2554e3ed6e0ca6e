import type { ReadName } from "../model/fact.ts";

/** Names reads, in the order in which they are decided on. */
export interface ReadNames {
  next(kind: "search" | "confirm"): ReadName;
}

/** `search 1`, `search 2`, `confirm 1`. */
export function readNames(): ReadNames {
  const given = { search: 0, confirm: 0 };
  return {
    next(kind) {
      given[kind] += 1;
      return `${kind} ${given[kind]}`;
    },
  };
}

/** `recheck 1`, `recheck 2`, whatever kind of read it is. */
export function readNamesFor(purpose: string): ReadNames {
  let given = 0;
  return {
    next() {
      given += 1;
      return `${purpose} ${given}`;
    },
  };
}
