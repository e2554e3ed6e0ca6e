import type { Paint } from "../report/outcome.ts";
import { safe } from "../report/safe.ts";
import { breakPieces, displayWidth, type Line, type Piece, pieceText, wrap } from "../report/text/lines.ts";

/** One row of a screen, as texts that came as they are: they are made safe, cut to the width and painted in `paintRow` alone. */
export type ScreenRow = SingleRow | SplitRow;

export interface SingleRow {
  readonly pieces: readonly Piece[];
  /** Stands at the right edge, where the rest leaves room for it. */
  readonly right?: Piece;
  /** The whole row stands out: what is selected, and the bars at the edges. */
  readonly marked?: true;
}

/** Two rows side by side, with a line between them. */
interface SplitRow {
  readonly left: SingleRow;
  readonly leftColumns: number;
  readonly beside: SingleRow;
}

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Columns that the line between two panes takes. */
export const dividerColumns = 3;

export function screenRow(pieces: readonly Piece[], right?: Piece): SingleRow {
  return right === undefined ? { pieces } : { pieces, right };
}

export const blankRow: SingleRow = { pieces: [] };

/** The row as a text of at most so many columns. */
export function paintRow(row: ScreenRow, columns: number, paint: Paint): string {
  if (!("left" in row)) return painted(fitted(row, columns), row, paint);
  const { left, leftColumns, beside } = row;
  const divider = paint("dim", " │ ");
  const rest = columns - leftColumns - dividerColumns;
  return `${painted(padded(fitted(left, leftColumns), leftColumns), left, paint)}${divider}${painted(fitted(beside, rest), beside, paint)}`;
}

interface StyledText {
  readonly ink?: Exclude<Piece, string>["ink"];
  readonly text: string;
}

/** Safe pieces that together take no more than so many columns. */
function fitted({ pieces, right, marked }: SingleRow, columns: number): readonly StyledText[] {
  const all = cutTo(pieces, columns);
  const beside = right === undefined ? undefined : styledText(right);
  const room = columns - (beside === undefined ? 0 : displayWidth(beside.text));
  if (beside !== undefined && widthOf(all) + 2 <= room) return [...padded(all, room), beside];
  return marked === true ? padded(all, columns) : all;
}

/** The first pieces, as many as there is room for; an ellipsis tells that something is left out. */
function cutTo(pieces: readonly Piece[], columns: number): readonly StyledText[] {
  const all = pieces.map(styledText);
  if (widthOf(all) <= columns) return all;
  const kept: StyledText[] = [];
  let room = columns - 1;
  for (const piece of all) {
    const width = displayWidth(piece.text);
    if (width > room)
      return [...kept, { ...piece, text: `${truncateToColumns(piece.text, room)}${ellipsis(columns)}` }];
    kept.push(piece);
    room -= width;
  }
  return kept;
}

function ellipsis(columns: number): string {
  return columns < 1 ? "" : "…";
}

function styledText(piece: Piece): StyledText {
  return typeof piece === "string" ? { text: safe(piece) } : { ink: piece.ink, text: safe(piece.text) };
}

function padded(pieces: readonly StyledText[], columns: number): readonly StyledText[] {
  const width = widthOf(pieces);
  return width >= columns ? pieces : [...pieces, { text: " ".repeat(columns - width) }];
}

function widthOf(pieces: readonly StyledText[]): number {
  return pieces.reduce((width, { text }) => width + displayWidth(text), 0);
}

function painted(pieces: readonly StyledText[], { marked }: SingleRow, paint: Paint): string {
  if (marked === true) return paint("marked", pieces.map(({ text }) => text).join(""));
  return pieces.map(({ ink, text }) => (ink === undefined ? text : paint(ink, text))).join("");
}

/** The lines of a report as rows of at most so many columns: nothing of them is cut off, what is too long goes on below. */
export function layoutLines(lines: readonly Line[], columns: number): readonly SingleRow[] {
  return lines.flatMap((line) => (line.kind === "row" ? layoutRow(line, columns) : layoutProse(line, columns)));
}

function layoutProse({ text, indent, ink }: Extract<Line, { kind: "prose" }>, columns: number): readonly SingleRow[] {
  const margin = Math.min(indent, Math.floor(columns / 4));
  const width = Math.max(1, columns - margin);
  const texts = wrap(safe(text), width).flatMap((line) => splitToColumns(line, width));
  return texts.map((part) => screenRow([" ".repeat(margin), ink === undefined ? part : { ink, text: part }]));
}

function layoutRow(line: Extract<Line, { kind: "row" }>, columns: number): readonly SingleRow[] {
  if (line.pieces.length === 0) return [blankRow];
  const margin = Math.min(line.indent, Math.floor(columns / 4));
  const rows = breakRow(line.pieces, columns - margin, " ".repeat(margin));
  if (line.place === undefined) return rows;
  const place: Piece = { ink: "dim", text: line.place };
  const last = rows.at(-1);
  if (last !== undefined && piecesWidth([...last.pieces, place]) + 2 <= columns) {
    return [...rows.slice(0, -1), screenRow(last.pieces, place)];
  }
  return [...rows, ...breakRow([place], columns - margin - 2, " ".repeat(margin + 2))];
}

/** Pieces on as many rows as they need. What goes on stands two columns further in. */
function breakRow(pieces: readonly Piece[], columns: number, margin: string): readonly SingleRow[] {
  if (piecesWidth(pieces) <= columns) return [screenRow([margin, ...pieces])];
  const width = Math.max(4, columns - 2);
  const rows = breakPieces(pieces, (text) => wrap(text, width).flatMap((line) => splitToColumns(line, width)));
  return rows.map((row, index) => screenRow([index === 0 ? margin : `${margin}  `, ...row]));
}

/** How many columns pieces take, once they are safe. */
export function piecesWidth(pieces: readonly Piece[]): number {
  return pieces.reduce((width, piece) => width + displayWidth(pieceText(piece)), 0);
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Pieces of a safe text, none of which takes more than so many columns; wide characters and what is combined stay whole. */
function splitToColumns(text: string, columns: number): readonly string[] {
  const parts: string[] = [];
  let rest = text;
  while (displayWidth(rest) > columns) {
    const part = truncateToColumns(rest, columns);
    if (part === "") break;
    parts.push(part);
    rest = rest.slice(part.length);
  }
  return [...parts, rest];
}

/** The beginning of a safe text that takes at most so many columns; what is combined stays whole. */
function truncateToColumns(text: string, columns: number): string {
  let end = 0;
  let taken = 0;
  for (const { segment } of graphemes.segment(text)) {
    taken += displayWidth(segment);
    if (taken > columns) break;
    end += segment.length;
  }
  return text.slice(0, end);
}
