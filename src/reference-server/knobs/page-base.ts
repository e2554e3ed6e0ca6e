import { choice, type ValueOf } from "./knob.ts";

export const pageBase = choice("Which number the first page of a list has.", "one-alias", {
  "one-alias": "1, and page 0 is answered as page 1",
  "one-strict": "1, and page 0 is refused with 400",
  "one-empty": "1, and page 0 is answered without rows",
  zero: "0",
  ignored: "whatever page is asked for, the first one comes",
});

/** The number of the first page. */
export function firstPage(base: ValueOf<typeof pageBase>): number {
  return base === "zero" ? 0 : 1;
}
