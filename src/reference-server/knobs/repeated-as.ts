import { choice, type ValueOf } from "./knob.ts";

export const repeatedAs = choice("How the `repeatedRows` look when they come again.", "same", {
  same: "as before",
  "upper-case": "with the address of a user in capital letters",
});

export function rowAgain(how: ValueOf<typeof repeatedAs>, row: unknown): unknown {
  if (how === "same" || typeof row !== "object" || row === null || !("email" in row)) return row;
  return { ...row, email: String(row.email).toUpperCase() };
}
