import type { Place } from "../model/place.ts";

/** The text of one file, which tells places and lines without scanning it again, however long its lines are. */
export interface SourceText {
  readonly file: string;
  readonly text: string;
  /** The place of an offset in the text. */
  placeAt(offset: number): Place;
  /** A line, counted from 1, without its line break. */
  lineAt(line: number): string;
  /** The offset at which a line, counted from 1, ends. */
  lineEnd(line: number): number;
}

export function sourceText(file: string, text: string): SourceText {
  const starts = lineStarts(text);
  const startOf = (line: number): number => starts[line - 1] ?? text.length;
  const endOf = (line: number): number => {
    const next = starts[line];
    if (next === undefined) return text.length;
    return text[next - 2] === "\r" ? next - 2 : next - 1;
  };
  return {
    file,
    text,
    placeAt(offset) {
      const line = lineOf(starts, offset);
      return { file, line, column: offset - startOf(line) + 1 };
    },
    lineAt: (line) => text.slice(startOf(line), endOf(line)),
    lineEnd: endOf,
  };
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** The last line, counted from 1, that starts at or before the offset. */
function lineOf(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low + 1;
}
