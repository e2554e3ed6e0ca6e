import { type Line, type Piece, plainText, type Row, row, type Table } from "../document/blocks.ts";
import type { Paint } from "../outcome.ts";
import { displayWidth, safe } from "../safe.ts";

const maxProseWidth = 100;
const lastPlaceColumn = 90;
const placeGap = 2;

/** What goes on below a row stands further in than it. */
const hangingIndent = 4;

/** The text of a report; each line ends with a line feed. `columns`: of the terminal that it is read on, if it is one. */
export function renderLines(
  blocks: readonly (Line | Table)[],
  paint: Paint,
  columns = Number.POSITIVE_INFINITY,
): string {
  const lines = blocks.flatMap((block): readonly Line[] => (block.kind === "table" ? tableRows(block) : [block]));
  const laid = lines.flatMap((line): readonly Line[] =>
    line.kind === "row" && line.place !== undefined ? wrapRow(line, columns, hangingIndent) : [line],
  );
  const place = { column: placeColumnOf(laid), columns };
  const rendered = laid.flatMap((line) =>
    line.kind === "row" ? [renderRow(line, place, paint)] : renderProse(line, columns, paint),
  );
  return rendered.map((line) => `${line}\n`).join("");
}

/** A row and its place, on as many lines as they need; what goes on below stands further in. */
export function wrapRow(line: Row, columns: number, hanging: number): readonly Row[] {
  const { indent, pieces, place } = line;
  if (isWithin(line, columns)) return [line];
  const further = indent + hanging;
  const parts = rowWidth(line) <= columns ? [pieces] : breakPieces(pieces, (text) => wrap(text, columns - further));
  const rows = parts.filter((part) => part.length > 0).map((part, index) => row(index === 0 ? indent : further, part));
  const last = rows.at(-1);
  if (place === undefined) return rows;
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

function renderProse(line: Extract<Line, { kind: "prose" }>, columns: number, paint: Paint): readonly string[] {
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

/** Pieces on the lines that `linesOf` breaks their safe text into, each with its inks; what it leaves out, such as spaces, is on none. */
function breakPieces(
  pieces: readonly Piece[],
  linesOf: (text: string) => readonly string[],
): readonly (readonly Piece[])[] {
  const text = pieces.map(pieceText).join("");
  let end = 0;
  return linesOf(text).map((line) => {
    const start = text.indexOf(line, end);
    end = start + line.length;
    return slicePieces(pieces, start, end);
  });
}

/** What of the pieces stands between two places of their text. */
function slicePieces(pieces: readonly Piece[], start: number, end: number): readonly Piece[] {
  let offset = 0;
  return pieces.flatMap((piece) => {
    const text = pieceText(piece);
    const part = text.slice(Math.max(0, start - offset), Math.max(0, end - offset));
    offset += text.length;
    if (part === "") return [];
    return [typeof piece === "string" ? part : { ...piece, text: part }];
  });
}

/** How a piece is shown: safe already, since what is made safe may be longer. */
export function pieceText(piece: Piece): string {
  return safe(typeof piece === "string" ? piece : piece.text);
}

/**
 * Breaks a text at spaces into lines of at most so many columns; a longer word has a line of its own. What stands between
 * backticks is one word: a command is to be copied whole.
 */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line: string | undefined;
  let columns = 0;
  for (const word of splitWords(text)) {
    const more = displayWidth(word);
    if (line === undefined || columns + 1 + more > width) {
      if (line !== undefined) lines.push(line);
      line = word;
      columns = more;
    } else {
      line += ` ${word}`;
      columns += 1 + more;
    }
  }
  return [...lines, line ?? ""];
}

function splitWords(text: string): readonly string[] {
  const parts = text.split("`");
  if (parts.length % 2 === 0 || parts.length === 1) return text.split(" ");
  const words: string[] = [""];
  parts.forEach((part, index) => {
    const [first = "", ...rest] = index % 2 === 1 ? [`\`${part}\``] : part.split(" ");
    words.push(`${words.pop() ?? ""}${first}`, ...rest);
  });
  return words;
}

export function padTo(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - displayWidth(text)));
}

/** Rows under a dim head, their columns aligned. */
function tableRows({ columns, rows }: Table): readonly Row[] {
  const cells = rows.map((spans) => spans.map((cell) => safe(plainText(cell))));
  const widths = columns.map((title, column) =>
    cells.reduce((width, texts) => Math.max(width, displayWidth(texts[column] ?? "")), displayWidth(title)),
  );
  const line = (texts: readonly string[]) =>
    texts
      .map((text, column) => padTo(text, widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return [row(2, [{ ink: "dim", text: line(columns) }]), ...cells.map((texts) => row(2, [line(texts)]))];
}
