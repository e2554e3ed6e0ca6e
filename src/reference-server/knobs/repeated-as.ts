import type { Knobs } from "../knobs.ts";

export function repeatedRow(how: Knobs["repeatedAs"], row: unknown): unknown {
  if (how === "same" || typeof row !== "object" || row === null || !("email" in row)) return row;
  return { ...row, email: String(row.email).toUpperCase() };
}
