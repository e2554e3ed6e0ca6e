import type { Piece } from "../../report/text/lines.ts";
import { blankRow, type ScreenRow, type SingleRow, screenRow } from "../screen-row.ts";
import { sideBySide } from "./beside.ts";
import { confirmRows } from "./confirm.ts";
import { detailRows } from "./details.ts";
import { headRows } from "./head.ts";
import { helpRows, lastScroll } from "./help.ts";
import { bodyRows, paneColumns, type Review, selectedIndex, selectedNode } from "./review.ts";
import { hasChildren } from "./tree.ts";

/** The whole screen of a review, row by row: as many as the terminal has. */
export function viewReview(review: Review): readonly ScreenRow[] {
  const { size } = review;
  const body = bodyOf(review).slice(0, bodyRows(size));
  const space = Array.from({ length: bodyRows(size) - body.length }, () => blankRow);
  return [...headRows(review), ...body, ...space, messageRow(review), footRow(review)].slice(0, size.rows);
}

function bodyOf(review: Review): readonly ScreenRow[] {
  const { layer } = review;
  switch (layer.is) {
    case "help":
      return helpRows(layer.scroll, review.size);
    case "confirm":
      return confirmRows(review, layer.typed);
    case "details":
      return withDetails(review, layer.scroll);
    case "tree":
    case "filter":
      return withDetails(review, undefined);
  }
}

/** The tree and, where there is room, what is told of the selected node beside it; else the one that has the keys. */
function withDetails(review: Review, scroll: number | undefined): readonly ScreenRow[] {
  const { details } = paneColumns(review.size);
  if (details === undefined && scroll === undefined) return treeRows(review);
  const rows = scroll === undefined ? beginningOfDetails(review) : detailRows(review).slice(scroll);
  return details === undefined ? rows : sideBySide(treeRows(review), rows, review.size);
}

/** As much as there is room for; the last row tells where there is more. */
function beginningOfDetails(review: Review): readonly SingleRow[] {
  const room = bodyRows(review.size);
  const rows = detailRows(review, room + 1);
  return rows.length <= room
    ? rows
    : [...rows.slice(0, room - 1), screenRow([{ ink: "dim", text: "  … more: Enter" }])];
}

function treeRows(review: Review): readonly SingleRow[] {
  const { shown, top, size, filter } = review;
  if (shown.length === 0) return [screenRow([{ ink: "dim", text: ` nothing holds: ${filter.trim()}` }])];
  return shown.slice(top, top + bodyRows(size)).map((index) => nodeRow(review, index));
}

function nodeRow(review: Review, index: number): SingleRow {
  const { tree, folded, layer } = review;
  const node = tree.nodes[index];
  if (node === undefined) return blankRow;
  const { branch, depth } = node;
  const isSelected = index === selectedIndex(review);
  const open = folded.has(index) ? "▸ " : "▾ ";
  const mark = hasChildren(tree, index) ? open : "  ";
  const alarm: Piece = branch.matters === true ? { ink: "alarm", text: "!" } : " ";
  const pieces = [isSelected ? ">" : " ", alarm, "  ".repeat(depth), mark, ...branch.title];
  const row = branch.beside === undefined ? screenRow(pieces) : screenRow(pieces, { ink: "dim", text: branch.beside });
  return isSelected && layer.is !== "details" ? { ...row, marked: true } : row;
}

/** What was typed to filter, or what the last key came to. */
function messageRow(review: Review): ScreenRow {
  const { layer, filter, notice } = review;
  if (notice !== undefined) return screenRow([{ ink: "change", text: ` ${notice}` }]);
  if (layer.is === "filter")
    return screenRow([` filter: ${filter}_`], { ink: "dim", text: "Enter keeps it, Esc clears it " });
  if (filter !== "") return screenRow([` filter: ${filter}`], { ink: "dim", text: "Esc clears it " });
  return blankRow;
}

function footRow(review: Review): ScreenRow {
  return { ...screenRow([` ${keysFor(review)}`], `${placeOf(review)} `), marked: true };
}

function keysFor(review: Review): string {
  const { layer, size } = review;
  if (size.columns < 72) return fewKeysFor(review);
  const isWide = size.columns >= 110;
  switch (layer.is) {
    case "help":
      return lastScroll(size) === 0 ? "any key goes back" : "↑↓ scroll  any other key goes back";
    case "confirm":
      return "type yes and press Enter to apply, Esc goes back";
    case "details":
      return "↑↓ scroll  n next to look at  a approve  Esc back  ? keys";
    case "filter":
      return "type to filter  ↑↓ move  Enter done";
    case "tree":
      return isWide
        ? "↑↓ move  ←→ fold  f fold all  Enter why  / filter  n next to look at  a approve  q quit  ? keys"
        : "↑↓ ←→ f fold  Enter why  / filter  n next  a approve  q quit  ? keys";
  }
}

/** The keys that nobody finds by trying, for a narrow screen. */
function fewKeysFor({ layer, size }: Review): string {
  switch (layer.is) {
    case "help":
      return lastScroll(size) === 0 ? "any key goes back" : "↑↓ scroll  any other key goes back";
    case "confirm":
      return "type yes, then Enter; Esc goes back";
    case "details":
      return "↑↓  n next  a approve  Esc back  ? keys";
    case "filter":
      return "type to filter  Enter done";
    case "tree":
      return "Enter why  a approve  q quit  ? keys";
  }
}

function placeOf(review: Review): string {
  const { shown, at, layer } = review;
  if (layer.is === "details") return scrollPlace(review, layer.scroll);
  return layer.is === "tree" || layer.is === "filter" ? `${Math.min(at + 1, shown.length)} of ${shown.length}` : "";
}

function scrollPlace(review: Review, scroll: number): string {
  const rows = bodyRows(review.size);
  const count = selectedNode(review) === undefined ? 0 : detailRows(review).length;
  if (count <= rows) return "";
  return `${Math.min(100, Math.round(((scroll + rows) / count) * 100))}%`;
}
