import { safe } from "../report/safe.ts";
import { breakPieces, pieceText } from "../report/text/broken-row.ts";
import { displayWidth, wrap } from "../report/text/columns.ts";
import type { Line, Piece } from "../report/text/lines.ts";
import { splitToColumns } from "./cut.ts";
import { blankRow, type SingleRow, screenRow } from "./screen-row.ts";

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
