import { safe } from "../safe.ts";

/** A table as other programs read it: fields with commas between them, lines that end with CR and LF. */
export function csvTable(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => `${cells.map(csvCell).join(",")}\r\n`).join("");
}

/** A spreadsheet takes what begins so for a formula: a quote before it makes it a text. */
const formula = /^[=+\-@\t\r]/u;

function csvCell(value: string): string {
  const text = safe(value);
  const harmless = formula.test(value) ? `'${text}` : text;
  return /[",\r\n]/u.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
