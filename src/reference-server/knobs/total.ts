import { choice, type ValueOf } from "./knob.ts";

export const total = choice("Where a list says how many rows there are in all, and whether that is true.", "body", {
  body: "where its envelope has a place for it; a bare array has none",
  header: "in the header X-Total-Count alone",
  both: "in the header and in the body",
  none: "nowhere",
  "wrong-high": "in both, and it is 7 too many",
  "wrong-low": "in both, and it is half of them",
});

export interface ToldTotals {
  readonly header?: number;
  readonly body?: number;
}

export function toldTotals(how: ValueOf<typeof total>, rows: number): ToldTotals {
  switch (how) {
    case "body":
      return { body: rows };
    case "header":
      return { header: rows };
    case "both":
      return { header: rows, body: rows };
    case "none":
      return {};
    case "wrong-high":
      return { header: rows + 7, body: rows + 7 };
    case "wrong-low":
      return { header: Math.floor(rows / 2), body: Math.floor(rows / 2) };
  }
}
