import type { Knobs } from "../knobs.ts";

export interface ReportedTotals {
  readonly header?: number;
  readonly body?: number;
}

export function reportedTotals(how: Knobs["total"], rows: number): ReportedTotals {
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
