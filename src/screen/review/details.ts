import type { Action } from "../../model/action.ts";
import type { Finding } from "../../model/finding.ts";
import type { Plan } from "../../model/plan.ts";
import { planNames } from "../../report/plan-summary.ts";
import { actionLines, actionName } from "../../report/text/actions.ts";
import { findingLines } from "../../report/text/findings.ts";
import { type Line, prose } from "../../report/text/lines.ts";
import { type ReasonContext, reasonLines } from "../../report/text/reasons.ts";
import { blankRow, layoutLines, type SingleRow } from "../rows.ts";
import type { ReviewInput } from "./branches.ts";
import { paneColumns, type Review, selectedNode } from "./review.ts";
import type { TreeNode } from "./tree.ts";

/** How many calls of one team or person are told at length. */
const maxCalls = 200;

interface RenderedDetails {
  readonly columns: number;
  readonly rows: readonly SingleRow[];
  readonly isWhole: boolean;
}

const renderedDetails = new WeakMap<TreeNode, RenderedDetails>();

/**
 * All that is told of the selected node, as rows of the pane that shows it; `most`: no more of it than makes so many rows, so
 * that going through a large plan costs no more than what is seen.
 */
export function detailRows(review: Review, most = Number.POSITIVE_INFINITY): readonly SingleRow[] {
  const branch = selectedNode(review)?.branch;
  if (branch === undefined) return [];
  const { details, tree } = paneColumns(review.size);
  const columns = details ?? tree;
  const before = renderedDetails.get(branch);
  if (before?.columns === columns && (before.isWhole || before.rows.length >= most)) return before.rows;
  const now = renderDetails(partsOf(branch, review.about), columns, most);
  renderedDetails.set(branch, now);
  return now.rows;
}

function renderDetails(parts: readonly (() => readonly Line[])[], columns: number, most: number): RenderedDetails {
  const rows: SingleRow[] = [];
  for (const [index, part] of parts.entries()) {
    if (rows.length >= most) return { columns, rows, isWhole: false };
    rows.push(...(index === 0 ? [] : [blankRow]), ...layoutLines(part(), columns));
  }
  return { columns, rows, isWhole: true };
}

/** What is told, call by call. */
function partsOf({ about }: TreeNode, { plan, reading }: ReviewInput): readonly (() => readonly Line[])[] {
  const names = planNames(plan);
  const context = { names, ...(reading === undefined ? {} : { readings: reading.readings }) };
  if (about.is === "told") return [() => about.lines];
  if (about.is === "finding") return [() => findingDetails(about.finding, plan, context)];
  const of = about.person === undefined ? context : { ...context, person: about.person };
  const told = about.actions.slice(0, maxCalls).map((action) => () => actionDetails(action, of));
  const more = about.actions.length - told.length;
  return more === 0 ? told : [...told, () => [prose(0, `and ${more} more calls, which stand below`, "dim")]];
}

/** Its places are part of the reasons. */
function findingDetails(finding: Finding, { actions }: Plan, context: ReasonContext): readonly Line[] {
  const atFirstPlace = { ...finding, because: finding.because.slice(0, 1) };
  return [...findingLines(atFirstPlace, actions), ...reasonLines(finding, context)];
}

function actionDetails(action: Action, context: ReasonContext): readonly Line[] {
  const { names } = context;
  const after = action.dependsOn.flatMap((id) => names.action(id) ?? []).map((one) => actionName(one, names));
  return [
    // What it rests on is part of what is told below.
    ...actionLines({ ...action, restsOn: [] }, names),
    ...reasonLines(action, context),
    ...(after.length === 0 ? [] : [prose(6, `after: ${after.join("; ")}`, "dim")]),
  ];
}
