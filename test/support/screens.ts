import { plain } from "../../src/report/outcome.ts";
import { type Key, keyDecoder } from "../../src/screen/keys.ts";
import { paintRow, type ScreenRow, type Size } from "../../src/screen/rows.ts";

export const small: Size = { columns: 80, rows: 24 };
export const large: Size = { columns: 200, rows: 60 };

/** What a screen shows, line by line without the spaces at their ends; the blank ones in a row are told by how many they are. */
export function linesOf(rows: readonly ScreenRow[], { columns }: Size): readonly string[] {
  const lines: string[] = [];
  let blank = 0;
  for (const line of rows.map((row) => paintRow(row, columns, plain).trimEnd())) {
    if (line === "") blank += 1;
    if (line !== "" && blank > 0) lines.push(blanks(blank));
    if (line === "") continue;
    blank = 0;
    lines.push(line);
  }
  return blank === 0 ? lines : [...lines, blanks(blank)];
}

function blanks(count: number): string {
  return count === 1 ? "" : `(${count} blank lines)`;
}

/** The keys that a terminal sends as this text. */
export function keysOf(text: string): readonly Key[] {
  const decoder = keyDecoder();
  return [...decoder.push(text), ...decoder.flush()];
}
