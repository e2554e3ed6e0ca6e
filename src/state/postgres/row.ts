import type { QueryResult, Row } from "./connection.ts";

/** A text of a row; undefined for anything else, NULL among it. */
export function textAt(row: Row | undefined, column: string): string | undefined {
  const value = row?.[column];
  return typeof value === "string" ? value : undefined;
}

/** A whole number from 0 that fits a number, whether it came as one or as text. */
export function wholeAt(row: Row | undefined, column: string): number | undefined {
  const value = row?.[column];
  const number = typeof value === "string" && /^\d{1,16}$/u.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

/** The column `count` of a statement that answers with one row. */
export function countOf({ rows: [row] }: QueryResult): number {
  return wholeAt(row, "count") ?? 0;
}
