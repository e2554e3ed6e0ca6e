/** A piece of a text that gives way to another one. */
export interface TextEdit {
  readonly at: number;
  readonly until: number;
  readonly text: string;
}

/** The text with all edits in it, which do not overlap. Those at one offset keep their order. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  let rest = 0;
  let result = "";
  for (const { at, until, text: inserted } of edits.toSorted((a, b) => a.at - b.at)) {
    result += text.slice(rest, at) + inserted;
    rest = until;
  }
  return result + text.slice(rest);
}

/** The bytes of a text that replaces a file's: with a byte order mark where the file had one. */
export function encodeLike(before: Uint8Array, text: string): Uint8Array {
  const hasMark = before[0] === 0xef && before[1] === 0xbb && before[2] === 0xbf;
  return new TextEncoder().encode(hasMark ? `\ufeff${text}` : text);
}

/** After the line in which a value ends, with the line break that the file uses there. */
export function insertLineAfter(end: number, line: string, text: string): TextEdit {
  if (text[end - 1] === "\n") return { at: end, until: end, text: `${line}${lineBreakBefore(end, text)}` };
  const lineFeed = text.indexOf("\n", end);
  const lineBreak =
    lineFeed < 0 ? lineBreakBefore(text.lastIndexOf("\n") + 1, text) : lineBreakBefore(lineFeed + 1, text);
  if (lineFeed < 0) return { at: text.length, until: text.length, text: `${lineBreak}${line}` };
  return { at: lineFeed + 1, until: lineFeed + 1, text: `${line}${lineBreak}` };
}

/** The line break that ends before an offset. */
export function lineBreakBefore(offset: number, text: string): string {
  return text.startsWith("\r\n", offset - 2) ? "\r\n" : "\n";
}
