import type { Action } from "../../model/action.ts";
import { type Line, prose, stacked } from "../../report/lines.ts";
import { planNames } from "../../report/plan-names.ts";
import { type ReasonContext, reasonLines } from "../../report/reasons.ts";
import { actionLines, actionName } from "../../report/text-action.ts";
import { findingLines } from "../../report/text-findings.ts";
import { layLines } from "../lay-lines.ts";
import type { SingleRow } from "../screen-row.ts";
import type { Branch } from "./branch.ts";
import { paneColumns, type Review, type Reviewed, selectedNode } from "./review.ts";

/** How many calls of one team or person are told at length. */
const mostTold = 200;

interface Laid {
  readonly columns: number;
  readonly rows: readonly SingleRow[];
}

const laid = new WeakMap<Branch, Laid>();

/** All that is told of the selected node, as rows of the pane that shows it. */
export function detailRows(review: Review): readonly SingleRow[] {
  const branch = selectedNode(review)?.branch;
  if (branch === undefined) return [];
  const { details, tree } = paneColumns(review.size);
  const columns = details ?? tree;
  const before = laid.get(branch);
  if (before?.columns === columns) return before.rows;
  const rows = layLines(linesOf(branch, review.about), columns);
  laid.set(branch, { columns, rows });
  return rows;
}

function linesOf({ about }: Branch, { plan, reading }: Reviewed): readonly Line[] {
  const names = planNames(plan);
  const context = { names, ...(reading === undefined ? {} : { readings: reading.readings }) };
  if (about.is === "finding") {
    // Its places are part of what is told below.
    const told = findingLines({ ...about.finding, because: about.finding.because.slice(0, 1) });
    return [...told, ...reasonLines(about.finding, context)];
  }
  const of = about.person === undefined ? context : { ...context, person: about.person };
  const told = about.actions.slice(0, mostTold).map((action) => toldAction(action, of));
  const more = about.actions.length - told.length;
  return stacked([...told, more === 0 ? [] : [prose(0, `and ${more} more calls, which stand below`, "dim")]]);
}

function toldAction(action: Action, context: ReasonContext): readonly Line[] {
  const { names } = context;
  const after = action.dependsOn.flatMap((id) => names.action(id) ?? []).map((one) => actionName(one, names));
  return [
    // What it rests on is part of what is told below.
    ...actionLines({ ...action, restsOn: [] }, names),
    ...reasonLines(action, context),
    ...(after.length === 0 ? [] : [prose(6, `after: ${after.join("; ")}`, "dim")]),
  ];
}
