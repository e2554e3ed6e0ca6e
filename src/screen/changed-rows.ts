import type { Terminal } from "./terminal.ts";

/** Erases the whole terminal: the next frame has no row before it. */
export const wipe = "\u{1B}[2J\u{1B}[H";

/** Writes the rows of a frame that differ from the frame before, each at its place; after a wipe all of them. */
export function rowWriter(output: Terminal["output"]): (text: string) => void {
  let drawn: readonly string[] = [];
  return (text) => {
    const isWipe = text.endsWith(wipe);
    const before = isWipe ? [] : drawn;
    if (!isWipe) drawn = text.split("\n");
    // Erased first: behind its last column, a row would lose it.
    const rows = Array.from({ length: Math.max(drawn.length, before.length) }, (_, at) =>
      drawn[at] === before[at] ? "" : `\u{1B}[${at + 1}H\u{1B}[2K${drawn[at] ?? ""}`,
    );
    output.write(`${isWipe ? text : ""}${rows.join("")}`);
  };
}
