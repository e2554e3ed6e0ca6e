import { safe } from "../safe.ts";
import type { Piece } from "./lines.ts";

/** Pieces on the lines that `linesOf` breaks their safe text into, each with its inks; what it leaves out, such as spaces, is on none. */
export function breakPieces(
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
