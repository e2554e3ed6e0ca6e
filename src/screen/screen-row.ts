import type { Paint } from "../report/outcome.ts";
import { safe } from "../report/safe.ts";
import { displayWidth } from "../report/text/columns.ts";
import type { Piece } from "../report/text/lines.ts";
import { truncateToColumns } from "./cut.ts";

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
export interface SplitRow {
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
