import type { Ink, Paint } from "../outcome.ts";
import { safe } from "../safe.ts";
import { breakPieces, pieceText } from "./broken-row.ts";
import { displayWidth, padTo, wrap } from "./columns.ts";

/**
 * A report for people is a list of lines that hold texts as they came. They are made safe, wrapped, aligned
 * and painted here and nowhere else, so that no value can reach a terminal in another way.
 */
export type Line = Row | Prose;

/** One line. Only one with a place is ever broken, on a terminal that is too narrow for both. */
export interface Row {
  readonly kind: "row";
  readonly indent: number;
  readonly pieces: readonly Piece[];
  /** Shown dim at the right, aligned over the whole report, or below where there is no room. */
  readonly place?: string;
}

/** Sentences, broken at spaces. */
export interface Prose {
  readonly kind: "prose";
  readonly indent: number;
  readonly text: string;
  readonly ink?: Ink;
}

export type Piece = string | { readonly ink: Ink; readonly text: string };

const maxProseWidth = 100;
const lastPlaceColumn = 90;
const placeGap = 2;

/** What goes on below a row stands further in than it. */
const hangingIndent = 4;

const blank: Row = { kind: "row", indent: 0, pieces: [] };

export function row(indent: number, pieces: readonly Piece[], place?: string): Row {
  return place === undefined ? { kind: "row", indent, pieces } : { kind: "row", indent, pieces, place };
}

export function prose(indent: number, text: string, ink?: Ink): Prose {
  return ink === undefined ? { kind: "prose", indent, text } : { kind: "prose", indent, text, ink };
}

/** Sections one below the other, with a blank line between those that have something to say. */
export function joinSections(sections: readonly (readonly Line[])[]): readonly Line[] {
  const full = sections.filter((section) => section.length > 0);
  return full.flatMap((section, index) => (index === 0 ? section : [blank, ...section]));
}

/** The text of a report; each line ends with a line feed. `columns`: of the terminal that it is read on, if it is one. */
export function renderLines(lines: readonly Line[], paint: Paint, columns = Number.POSITIVE_INFINITY): string {
  const laid = lines.flatMap((line): readonly Line[] => (line.kind === "row" ? wrapRow(line, columns) : [line]));
  const place = { column: placeColumnOf(laid), columns };
  const rendered = laid.flatMap((line) =>
    line.kind === "row" ? [renderRow(line, place, paint)] : renderProse(line, columns, paint),
  );
  return rendered.map((line) => `${line}\n`).join("");
}

/** A row and its place, on as many lines as they need. */
function wrapRow(line: Row, columns: number): readonly Row[] {
  const { indent, pieces, place } = line;
  if (place === undefined || isWithin(line, columns)) return [line];
  const further = indent + hangingIndent;
  const parts = rowWidth(line) <= columns ? [pieces] : breakPieces(pieces, (text) => wrap(text, columns - further));
  const rows = parts.filter((part) => part.length > 0).map((part, index) => row(index === 0 ? indent : further, part));
  const last = rows.at(-1);
  const together = last === undefined ? undefined : row(last.indent, last.pieces, place);
  if (together !== undefined && isWithin(together, columns)) return [...rows.slice(0, -1), together];
  return [...rows, row(further, [{ ink: "dim", text: place }])];
}

function isWithin(line: Row, columns: number): boolean {
  const { place } = line;
  return rowWidth(line) + (place === undefined ? 0 : placeGap + displayWidth(safe(place))) <= columns;
}

function renderRow(
  line: Row,
  { column, columns }: { readonly column: number; readonly columns: number },
  paint: Paint,
): string {
  if (line.pieces.length === 0) return "";
  const text = `${" ".repeat(line.indent)}${line.pieces.map((piece) => renderPiece(piece, paint)).join("")}`;
  if (line.place === undefined) return text;
  const place = safe(line.place);
  const gap = Math.min(column, columns - displayWidth(place)) - rowWidth(line);
  return `${text}${padTo("", Math.max(placeGap, gap))}${paint("dim", place)}`;
}

function renderPiece(piece: Piece, paint: Paint): string {
  return typeof piece === "string" ? safe(piece) : paint(piece.ink, safe(piece.text));
}

function renderProse(line: Prose, columns: number, paint: Paint): readonly string[] {
  const margin = " ".repeat(line.indent);
  return wrap(safe(line.text), Math.min(maxProseWidth, columns) - line.indent).map(
    (text) => `${margin}${line.ink === undefined ? text : paint(line.ink, text)}`,
  );
}

function placeColumnOf(lines: readonly Line[]): number {
  let column = 0;
  for (const line of lines) {
    if (line.kind === "row" && line.place !== undefined) column = Math.max(column, rowWidth(line) + placeGap);
  }
  return Math.min(column, lastPlaceColumn);
}

function rowWidth(line: Row): number {
  return line.pieces.reduce((width, piece) => width + displayWidth(pieceText(piece)), line.indent);
}
