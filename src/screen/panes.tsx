import { Box } from "ink";
import { formatTallies } from "../report/document/names.ts";
import { inked, type Piece } from "../report/document/tree.ts";
import { blockLines } from "../report/text/text.ts";
import {
  bodyRows,
  paneColumns,
  type ReviewState,
  selectedIndex,
  selectedRow,
  treeLines,
  treeMargin,
} from "./review-state.ts";
import type { Severity, TreeRow } from "./review-tree.ts";
import { Row, StyledText, type TextRow, WrappedRow, wrapLine } from "./text.tsx";

interface PaneProps {
  readonly state: ReviewState;
  readonly columns: number;
}

export function TreePane({ state, columns }: PaneProps) {
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

/** A group that is folded has a mark where one of its rows has one, and counts these. */
function TreeLine({ row, index, state, columns }: PaneProps & { readonly row: TreeRow; readonly index: number }) {
  const { severity, size, parent, place } = row;
  const isFolded = size > 0 && state.folded.has(index);
  const inside = isFolded ? state.tree.slice(index + 1, index + 1 + size) : [];
  const count = (of: Severity) => inside.filter((one) => one.severity === of).length;
  const counts = formatTallies([count("task"), "task"], [count("privileged"), "privileged"]).join(", ");
  const isSelected = index === selectedIndex(state);
  const margin = treeMargin(parent);
  const before: readonly Piece[] = [
    isSelected ? ">" : " ",
    severity !== undefined || counts !== "" ? { ink: "alarm", text: "!" } : " ",
    `${size === 0 ? "" : isFolded ? "▸" : "▾"}`.padEnd(margin - 2),
  ];
  const lines = treeLines(row, columns);
  return (
    <Box flexDirection="column" flexShrink={0} width={columns}>
      {lines.map(({ indent, pieces }, at) => (
        <Row
          key={JSON.stringify(pieces)}
          pieces={[
            ...(at === 0 ? before : [" ".repeat(margin + indent)]),
            ...pieces,
            ...(counts === "" || at > 0 ? [] : [inked("alarm", ` [${counts}]`)]),
          ]}
          right={at === lines.length - 1 ? place : undefined}
          columns={columns}
          isMarked={isSelected && state.page.is !== "details"}
        />
      ))}
    </Box>
  );
}

/** The details of the selected row: from a row on where they are open, else their beginning. */
export function Detail({ state, columns, scroll }: PaneProps & { readonly scroll: number | undefined }) {
  const selected = selectedRow(state);
  if (selected === undefined) return null;
  const page = bodyRows(state.size);
  const rows = detailRows(selected, columns);
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
  const selected = selectedRow(state);
  if (state.page.is !== "details" || selected === undefined) return { last: 0, percent: undefined };
  const { details, tree } = paneColumns(state.size);
  const rows = detailRows(selected, details ?? tree);
  const page = bodyRows(state.size);
  let last = rows.length - 1;
  for (let height = rows[last]?.height ?? 0; last > 0; last -= 1) {
    height += rows[last - 1]?.height ?? 0;
    if (height > page) break;
  }
  if (last === 0) return { last, percent: undefined };
  return { last, percent: Math.min(100, Math.round(((state.page.scroll + page) / rows.length) * 100)) };
}

const renderedDetails = new WeakMap<TreeRow, { readonly columns: number; readonly rows: readonly TextRow[] }>();

function detailRows(row: TreeRow, columns: number): readonly TextRow[] {
  const before = renderedDetails.get(row);
  if (before?.columns === columns) return before.rows;
  const lines = row.details().flatMap((block) => blockLines(block, 2));
  const rows = lines.flatMap((line) => wrapLine(line, columns));
  renderedDetails.set(row, { columns, rows });
  return rows;
}
