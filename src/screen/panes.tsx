import { Box } from "ink";
import type { Action } from "../model/action.ts";
import type { Finding } from "../model/finding.ts";
import type { Plan } from "../model/plan.ts";
import { actionLines, actionName, planNames } from "../report/document/actions.ts";
import { type Line, type Piece, prose, row } from "../report/document/blocks.ts";
import { findingLines } from "../report/document/findings.ts";
import { type ReasonContext, reasonLines } from "../report/document/reasons.ts";
import { formatTallies } from "../report/phrases.ts";
import { bodyRows, paneColumns, type ReviewState, selectedIndex, selectedNode } from "./review-state.ts";
import { hasChildren, type ReviewInput, type TreeNode, type TreeRow } from "./review-tree.ts";
import { Row, StyledText, type TextRow, WrappedRow, wrapLine } from "./text.tsx";

interface PaneProps {
  readonly state: ReviewState;
  readonly columns: number;
}

/** The visible rows that have room, from the first one on the screen. */
export function Tree({ state, columns }: PaneProps) {
  const { visible, top, size, filter, tree } = state;
  const rows = visible.slice(top, top + bodyRows(size));
  return (
    <Box flexDirection="column" width={columns}>
      {rows.length === 0 && <StyledText pieces={[{ ink: "dim", text: ` No match for: ${filter.trim()}` }]} />}
      {rows.flatMap((index) => {
        const row = tree[index];
        return row === undefined
          ? []
          : [<TreeLine key={index} row={row} index={index} state={state} columns={columns} />];
      })}
    </Box>
  );
}

/** A row that is folded has the most serious mark of what is in it, and counts what has one. */
function TreeLine({ row, index, state, columns }: PaneProps & { readonly row: TreeRow; readonly index: number }) {
  const { node, depth, inside } = row;
  const isFolded = hasChildren(state.tree, index) && state.folded.has(index);
  const counts = isFolded
    ? formatTallies([inside.blocking, "blocking"], [inside.privileged, "privileged"]).join(", ")
    : "";
  const isMarked = node.severity !== undefined || counts !== "";
  const isSelected = index === selectedIndex(state);
  const fold = isFolded ? "▸ " : "▾ ";
  const [name = "", ...rest] = node.title;
  const pieces: readonly Piece[] = [
    isSelected ? ">" : " ",
    isMarked ? { ink: "alarm", text: "!" } : " ",
    "  ".repeat(depth),
    hasChildren(state.tree, index) ? fold : "  ",
    name,
    ...(counts === "" ? [] : [{ ink: "alarm", text: ` [${counts}]` } as const]),
    ...rest,
  ];
  return (
    <Row pieces={pieces} right={node.aside} columns={columns} isMarked={isSelected && state.page.is !== "details"} />
  );
}

/** The details of the selected row: from a row on where they are open, else their beginning. */
export function Detail({ state, columns, scroll }: PaneProps & { readonly scroll: number | undefined }) {
  const node = selectedNode(state);
  if (node === undefined) return null;
  const page = bodyRows(state.size);
  const rows = detailRows(node, state.input, scroll === undefined ? { columns, most: page + 1 } : { columns });
  const isCut = scroll === undefined && rows.length > page;
  const shown = isCut ? [...rows.slice(0, page - 1), moreDetails] : rows.slice(scroll, (scroll ?? 0) + page);
  return (
    <Box flexDirection="column" width={columns} height={page} overflow="hidden">
      {shown.map((row) => (
        <WrappedRow key={rows.indexOf(row)} row={row} columns={columns} />
      ))}
    </Box>
  );
}

const moreDetails: TextRow = { indent: 2, pieces: [{ ink: "dim", text: "… more: Enter" }], height: 1 };

/** How far the details of the selected row are scrolled, where not all of them have room; and how far they can be. */
export function detailScroll(state: ReviewState): { readonly last: number; readonly percent: number | undefined } {
  const node = selectedNode(state);
  if (state.page.is !== "details" || node === undefined) return { last: 0, percent: undefined };
  const { details, tree } = paneColumns(state.size);
  const rows = detailRows(node, state.input, { columns: details ?? tree });
  const page = bodyRows(state.size);
  let last = rows.length - 1;
  for (let height = rows[last]?.height ?? 0; last > 0; last -= 1) {
    height += rows[last - 1]?.height ?? 0;
    if (height > page) break;
  }
  if (last === 0) return { last, percent: undefined };
  return { last, percent: Math.min(100, Math.round(((state.page.scroll + page) / rows.length) * 100)) };
}

/** How many calls of one team are shown with all their details. */
const maxCalls = 200;

interface RenderedDetails {
  readonly columns: number;
  readonly rows: readonly TextRow[];
  readonly isWhole: boolean;
}

const renderedDetails = new WeakMap<TreeNode, RenderedDetails>();

/**
 * The details of a node, broken at words to so many columns. `most`: no more rows than are needed for that many, so that going
 * through a large plan costs no more than what is seen.
 */
function detailRows(
  node: TreeNode,
  input: ReviewInput,
  { columns, most = Number.POSITIVE_INFINITY }: { readonly columns: number; readonly most?: number },
): readonly TextRow[] {
  const before = renderedDetails.get(node);
  if (before?.columns === columns && (before.isWhole || before.rows.length >= most)) return before.rows;
  const rows: TextRow[] = [];
  let isWhole = true;
  for (const [index, part] of partsOf(node, input).entries()) {
    isWhole = rows.length < most;
    if (!isWhole) break;
    const lines = index === 0 ? part() : [row(0, []), ...part()];
    rows.push(...lines.flatMap((line) => wrapLine(line, columns)));
  }
  renderedDetails.set(node, { columns, rows, isWhole });
  return rows;
}

/** The title with all roles, and then call by call what it does and why. */
function partsOf({ title, content }: TreeNode, { plan, reading }: ReviewInput): readonly (() => readonly Line[])[] {
  const names = planNames(plan);
  const context = { names, ...(reading === undefined ? {} : { readings: reading.readings }) };
  switch (content.is) {
    case "lines":
      return [() => content.lines];
    case "finding":
      return [() => findingDetails(content.finding, plan, context)];
    case "actions": {
      const { actions, person } = content;
      const ofPerson = person === undefined ? context : { ...context, person };
      const calls = actions.slice(0, maxCalls).map((action) => () => actionDetails(action, ofPerson));
      const rest = actions.length - calls.length;
      const more = rest === 0 ? [] : [() => [prose(0, `${rest} more calls: see the rows below this one`, "dim")]];
      return [() => [row(2, title)], ...calls, ...more];
    }
  }
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
    // The facts are part of the reasons.
    ...actionLines({ ...action, restsOn: [] }, names),
    ...reasonLines(action, context),
    ...(after.length === 0 ? [] : [prose(6, `after: ${after.join("; ")}`, "dim")]),
  ];
}
