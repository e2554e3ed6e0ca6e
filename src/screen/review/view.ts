import { countPlan, type Plan } from "../../model/plan.ts";
import { formatCount } from "../../report/phrases.ts";
import { joinSections, type Line, type Piece, prose, row } from "../../report/text/lines.ts";
import { planSummaryLines } from "../../report/text/plan.ts";
import { blankRow, layoutLines, piecesWidth, type ScreenRow, type SingleRow, type Size, screenRow } from "../rows.ts";
import type { ReviewInput } from "./branches.ts";
import { detailRows } from "./details.ts";
import { bodyRows, paneColumns, type Review, selectedIndex, selectedNode } from "./review.ts";
import { hasChildren, type TreeNode } from "./tree.ts";

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

type Part = Exclude<Piece, string>;

/** What the review is about. What a reviewer must not miss stands first. */
function headRows({ about, privileged, size }: Review): readonly ScreenRow[] {
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

/** A plan in a few words, the shorter the better, the most important first: what it does, what it costs, what it notices. */
function formatPlanCounts(plan: Plan): readonly string[] {
  const { createUsers, foundTeams, mails, replaceRoles, calls, findings, blockingFindings } = countPlan(plan);
  return [
    ...(createUsers === 0 ? [] : [formatCount(createUsers, "new user")]),
    ...(foundTeams === 0 ? [] : [formatCount(foundTeams, "new team")]),
    ...(mails === 0 ? [] : [formatCount(mails, "mail")]),
    ...(replaceRoles === 0 ? [] : [formatCount(replaceRoles, "key")]),
    formatCount(calls.writes, "call"),
    ...(findings === blockingFindings ? [] : [formatCount(findings - blockingFindings, "notice")]),
  ];
}

/**
 * What is about to be done, before it is: it takes a word that is typed. Whose privileges are at stake is named as far as there
 * is room. Where there is hardly any, what is left is the question and what stands nearest to it.
 */
function confirmRows({ about, size, privileged }: Review, typed: string): readonly SingleRow[] {
  const columns = Math.min(size.columns, 100);
  const before = layoutLines(questionLines(about, privileged.length), columns);
  const after = [
    ...layoutLines([prose(1, "Invitations cannot be unsent. Only `yes` is taken as approval.", "alarm")], columns),
    blankRow,
    screenRow([{ ink: "strong", text: ` Apply this plan? ${typed}_` }]),
  ];
  const room = bodyRows(size) - before.length - after.length - 1;
  return fitted([...before, ...namedRows(privileged, room), blankRow, ...after], bodyRows(size));
}

function questionLines({ plan }: ReviewInput, privileged: number): readonly Line[] {
  const whom = formatCount(privileged, "person or key", "people or keys");
  const held = privileged === 0 ? [] : [prose(1, `Privileged roles are at stake for ${whom}.`, "alarm")];
  return joinSections([
    [row(1, [{ ink: "strong", text: "About to be applied" }])],
    [...planSummaryLines(plan, "all").map((line) => ({ ...line, indent: 1 })), ...held],
  ]);
}

/** As they stand in the tree, where they begin with the roles that are privileged. */
function namedRows(privileged: readonly TreeNode[], room: number): readonly SingleRow[] {
  const told = privileged.map(({ title }) => screenRow(["   ", ...title]));
  if (told.length <= room) return told;
  if (room < 2) return [];
  const more = privileged.length - room + 1;
  return [...told.slice(0, room - 1), screenRow([{ ink: "dim", text: `   and ${more} more, which n goes to` }])];
}

/** Blank rows are the first to go, and then what stands at the top. */
function fitted(rows: readonly SingleRow[], room: number): readonly SingleRow[] {
  return rows.length <= room ? rows : rows.filter((one) => one !== blankRow).slice(-room);
}

const keys: readonly (readonly [string, string])[] = [
  ["↑ ↓, k j", "one row up, one row down"],
  ["PgUp PgDn, Home End", "a page; the first row, the last row"],
  ["← →, h l", "fold and unfold; ← goes to what it belongs to"],
  ["Space", "fold or unfold"],
  ["f", "fold all, or unfold all"],
  ["/", "filter by words: people, teams, roles, kinds, codes"],
  ["n, N", "go to what is privileged or blocks (!), or back to it"],
  ["Enter", "why: the lines that ask for it, the facts, the change"],
  ["Esc", "go back; drop the filter; leave without applying"],
  ["a", "approve: then type yes and press Enter"],
  ["q", "leave without applying"],
  ["Ctrl-C, Ctrl-Z", "interrupt roster, suspend it"],
];

const rows: readonly SingleRow[] = [
  screenRow([{ ink: "strong", text: " Keys" }]),
  ...keys.map(([key, what]) => screenRow([`  ${key.padEnd(22)}${what}`])),
];

/** Every key of the review from this row on; the last row tells how many there are more that have no room. */
function helpRows(scroll: number, size: Size): readonly SingleRow[] {
  const room = bodyRows(size);
  const told = rows.slice(Math.min(scroll, lastScroll(size)));
  if (told.length <= room) return told;
  const more = told.length - room + 1;
  return [...told.slice(0, room - 1), screenRow([{ ink: "dim", text: `  … ${more} more: ↓` }])];
}

/** From which row on all the rest has room; 0 where everything has. */
export function lastScroll(size: Size): number {
  return Math.max(0, rows.length - bodyRows(size));
}

/** Two panes side by side, as high as the body of the screen. */
function sideBySide(left: readonly SingleRow[], right: readonly SingleRow[], size: Size): readonly ScreenRow[] {
  const { tree } = paneColumns(size);
  return Array.from({ length: bodyRows(size) }, (_, row) => ({
    left: left[row] ?? blankRow,
    leftColumns: tree,
    beside: right[row] ?? blankRow,
  }));
}
