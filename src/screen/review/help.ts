import { type SingleRow, screenRow } from "../screen-row.ts";

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

/** Every key of the review. */
export function helpRows(): readonly SingleRow[] {
  return [
    screenRow([{ ink: "strong", text: " Keys" }]),
    ...keys.map(([key, what]) => screenRow([`  ${key.padEnd(22)}${what}`])),
  ];
}
