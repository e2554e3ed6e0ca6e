import { columnsOf, padTo, wrap } from "./columns.ts";
import type { Ink, Paint } from "./outcome.ts";
import { safe } from "./safe.ts";

/**
 * A report for people is a list of lines that hold texts as they came. They are made safe, wrapped, aligned
 * and painted here and nowhere else, so that no value can reach a terminal in another way.
 */
export type Line = Row | Prose;

/** One line that is never broken. */
export interface Row {
  readonly kind: "row";
  readonly indent: number;
  readonly pieces: readonly Piece[];
  /** Shown dim at the right, aligned over the whole report. */
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

const widthOfProse = 100;
const lastPlaceColumn = 90;

const blank: Row = { kind: "row", indent: 0, pieces: [] };

export function row(indent: number, pieces: readonly Piece[], place?: string): Row {
  return place === undefined ? { kind: "row", indent, pieces } : { kind: "row", indent, pieces, place };
}

export function prose(indent: number, text: string, ink?: Ink): Prose {
  return ink === undefined ? { kind: "prose", indent, text } : { kind: "prose", indent, text, ink };
}

/** Sections one below the other, with a blank line between those that have something to say. */
export function stacked(sections: readonly (readonly Line[])[]): readonly Line[] {
  const full = sections.filter((section) => section.length > 0);
  return full.flatMap((section, index) => (index === 0 ? section : [blank, ...section]));
}

/** The text of a report; each line ends with a line feed. */
export function renderLines(lines: readonly Line[], paint: Paint): string {
  const placeColumn = placeColumnOf(lines);
  const rendered = lines.flatMap((line) =>
    line.kind === "row" ? [renderRow(line, placeColumn, paint)] : renderProse(line, paint),
  );
  return rendered.map((line) => `${line}\n`).join("");
}

function renderRow(line: Row, placeColumn: number, paint: Paint): string {
  if (line.pieces.length === 0) return "";
  const text = `${" ".repeat(line.indent)}${line.pieces.map((piece) => renderPiece(piece, paint)).join("")}`;
  if (line.place === undefined) return text;
  return `${text}${padTo("", Math.max(2, placeColumn - widthOf(line)))}${paint("dim", safe(line.place))}`;
}

function renderPiece(piece: Piece, paint: Paint): string {
  return typeof piece === "string" ? safe(piece) : paint(piece.ink, safe(piece.text));
}

function renderProse(line: Prose, paint: Paint): readonly string[] {
  const margin = " ".repeat(line.indent);
  return wrap(safe(line.text), widthOfProse - line.indent).map(
    (text) => `${margin}${line.ink === undefined ? text : paint(line.ink, text)}`,
  );
}

function placeColumnOf(lines: readonly Line[]): number {
  let column = 0;
  for (const line of lines) {
    if (line.kind === "row" && line.place !== undefined) column = Math.max(column, widthOf(line) + 2);
  }
  return Math.min(column, lastPlaceColumn);
}

function widthOf(line: Row): number {
  return line.pieces.reduce(
    (width, piece) => width + columnsOf(safe(typeof piece === "string" ? piece : piece.text)),
    line.indent,
  );
}
