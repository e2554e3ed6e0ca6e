import { Box } from "ink";
import { inked, type Piece } from "../report/document/tree.ts";
import { formatTallies } from "../report/phrases.ts";
import { blockLines } from "../report/text/text.ts";
import {
  bodyRows,
  paneColumns,
  type ReviewState,
  selectedIndex,
  selectedNode,
  treeLines,
  treeMargin,
} from "./review-state.ts";
import { hasChildren, type TreeNode, type TreeRow } from "./review-tree.ts";
import { Row, StyledText, type TextRow, WrappedRow, wrapLine } from "./text.tsx";

interface PaneProps {
  readonly state: ReviewState;
  readonly columns: number;
}

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
  const counts = isFolded ? formatTallies([inside.task, "task"], [inside.privileged, "privileged"]).join(", ") : "";
  const isSelected = index === selectedIndex(state);
  const fold = hasChildren(state.tree, index) ? (isFolded ? "▸ " : "▾ ") : "  ";
  const before: readonly Piece[] = [
    isSelected ? ">" : " ",
    node.severity !== undefined || counts !== "" ? { ink: "alarm", text: "!" } : " ",
    `${"  ".repeat(depth)}${fold}`,
  ];
  const margin = " ".repeat(treeMargin + depth * 2);
  const lines = treeLines(row, columns);
  return (
    <Box flexDirection="column" flexShrink={0} width={columns}>
      {lines.map(({ indent, pieces }, at) => (
        <Row
          key={JSON.stringify(pieces)}
          pieces={[
            ...(at === 0 ? before : [margin, " ".repeat(indent)]),
            ...pieces,
            ...(counts === "" || at > 0 ? [] : [inked("alarm", ` [${counts}]`)]),
          ]}
          right={at === lines.length - 1 ? node.place : undefined}
          columns={columns}
          isMarked={isSelected && state.page.is !== "details"}
        />
      ))}
    </Box>
  );
}

/** The details of the selected row: from a row on where they are open, else their beginning. */
export function Detail({ state, columns, scroll }: PaneProps & { readonly scroll: number | undefined }) {
  const node = selectedNode(state);
  if (node === undefined) return null;
  const page = bodyRows(state.size);
  const rows = detailRows(node, columns);
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
  const rows = detailRows(node, details ?? tree);
  const page = bodyRows(state.size);
  let last = rows.length - 1;
  for (let height = rows[last]?.height ?? 0; last > 0; last -= 1) {
    height += rows[last - 1]?.height ?? 0;
    if (height > page) break;
  }
  if (last === 0) return { last, percent: undefined };
  return { last, percent: Math.min(100, Math.round(((state.page.scroll + page) / rows.length) * 100)) };
}

const renderedDetails = new WeakMap<TreeNode, { readonly columns: number; readonly rows: readonly TextRow[] }>();

function detailRows(node: TreeNode, columns: number): readonly TextRow[] {
  const before = renderedDetails.get(node);
  if (before?.columns === columns) return before.rows;
  const lines = node.details().flatMap((block) => blockLines(block, 2));
  const rows = lines.flatMap((line) => wrapLine(line, columns));
  renderedDetails.set(node, { columns, rows });
  return rows;
}
