import type { Knobs } from "../knobs.ts";

/** The number of the first page. */
export function firstPageNumber(base: Knobs["pageBase"]): number {
  return base === "zero" ? 0 : 1;
}
