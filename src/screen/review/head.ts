import { countPlan } from "../../report/counts.ts";
import type { Piece } from "../../report/text/lines.ts";
import { piecesWidth } from "../lay-lines.ts";
import { type ScreenRow, screenRow } from "../screen-row.ts";
import { formatPlanCounts } from "./plan-words.ts";
import type { Review } from "./review.ts";

type Part = Exclude<Piece, string>;

/** What the review is about. What a reviewer must not miss stands first. */
export function headRows({ about, privileged, size }: Review): readonly ScreenRow[] {
  const { plan } = about;
  const { blockingFindings } = countPlan(plan);
  const alarms = [
    ...(privileged.length === 0 ? [] : [`${privileged.length} privileged`]),
    ...(blockingFindings === 0 ? [] : [`${blockingFindings} blocking`]),
  ];
  const parts: readonly Part[] = [
    ...alarms.map((text) => ({ ink: "alarm", text }) as const),
    ...formatPlanCounts(plan).map((text) => ({ ink: "strong", text }) as const),
  ];
  const title = screenRow([` Plan for ${plan.service}`], "nothing is done yet ");
  return [{ ...title, marked: true }, screenRow([" ", ...fittingParts(parts, size.columns - 1)])];
}

/** As many as there is room for, each of them whole: half a number is a wrong one. */
function fittingParts(parts: readonly Part[], columns: number): readonly Piece[] {
  for (let most = parts.length; most > 1; most -= 1) {
    const pieces = joinParts(parts.slice(0, most));
    const all = most === parts.length ? pieces : [...pieces, ", …"];
    if (piecesWidth(all) <= columns) return all;
  }
  return joinParts(parts.slice(0, 1));
}

function joinParts(parts: readonly Part[]): readonly Piece[] {
  return parts.flatMap((part, index) => (index === 0 ? [part] : [", ", part]));
}
