import { wrap } from "./columns.ts";
import type { Piece } from "./lines.ts";
import { safe } from "./safe.ts";

/** Pieces broken at spaces into lines of at most so many columns, each with its inks; a longer word has a line of its own. */
export function brokenAt(pieces: readonly Piece[], columns: number): readonly (readonly Piece[])[] {
  const text = pieces.map(textOf).join("");
  let end = 0;
  return wrap(text, columns).map((line) => {
    const start = text.indexOf(line, end);
    end = start + line.length;
    return between(pieces, start, end);
  });
}

/** What of the pieces stands between two places of their text. */
function between(pieces: readonly Piece[], start: number, end: number): readonly Piece[] {
  let offset = 0;
  return pieces.flatMap((piece) => {
    const text = textOf(piece);
    const part = text.slice(Math.max(0, start - offset), Math.max(0, end - offset));
    offset += text.length;
    if (part === "") return [];
    return [typeof piece === "string" ? part : { ...piece, text: part }];
  });
}

/** Safe already, since what is made safe may be longer. */
function textOf(piece: Piece): string {
  return safe(typeof piece === "string" ? piece : piece.text);
}
