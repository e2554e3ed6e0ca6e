import { type SingleRow, type Size, screenRow } from "../screen-row.ts";
import { bodyRows } from "./review.ts";

const keys: readonly (readonly [string, string])[] = [
  ["↑ ↓, k j", "one row up, one row down"],
  ["PgUp PgDn, Home End", "a page; the first row, the last row"],
  ["← →, h l", "fold and unfold; ← goes to what it belongs to"],
  ["Space", "fold or unfold"],
  ["f", "fold all, or unfold all"],
  ["/", "filter by words: people, teams, roles, kinds, codes"],
  ["n, N", "go to what is privileged or blocks (!), or back to it"],
  ["Enter", "why: the lines that ask for it, the facts, the change"],
  ["Esc", "go back; drop the filter; leave without applying"],
  ["a", "approve: then type yes and press Enter"],
  ["q", "leave without applying"],
  ["Ctrl-C, Ctrl-Z", "interrupt roster, suspend it"],
];

const rows: readonly SingleRow[] = [
  screenRow([{ ink: "strong", text: " Keys" }]),
  ...keys.map(([key, what]) => screenRow([`  ${key.padEnd(22)}${what}`])),
];

/** Every key of the review from this row on; the last row tells how many there are more that have no room. */
export function helpRows(scroll: number, size: Size): readonly SingleRow[] {
  const room = bodyRows(size);
  const told = rows.slice(Math.min(scroll, lastScroll(size)));
  if (told.length <= room) return told;
  const more = told.length - room + 1;
  return [...told.slice(0, room - 1), screenRow([{ ink: "dim", text: `  … ${more} more: ↓` }])];
}

/** From which row on all the rest has room; 0 where everything has. */
export function lastScroll(size: Size): number {
  return Math.max(0, rows.length - bodyRows(size));
}
