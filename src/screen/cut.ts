import { displayWidth } from "../report/text/columns.ts";

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Pieces of a safe text, none of which takes more than so many columns; wide characters and what is combined stay whole. */
export function splitToColumns(text: string, columns: number): readonly string[] {
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
export function truncateToColumns(text: string, columns: number): string {
  let end = 0;
  let taken = 0;
  for (const { segment } of graphemes.segment(text)) {
    taken += displayWidth(segment);
    if (taken > columns) break;
    end += segment.length;
  }
  return text.slice(0, end);
}
