import type { Key, KeyName } from "../keys.ts";

/** What a key asks for where it is no text. */
export type KeyCommand =
  | KeyName
  | "fold-all"
  | "filter"
  | "next"
  | "previous"
  | "approve"
  | "quit"
  | "help"
  | "toggle"
  | "none";

const letters: Readonly<Record<string, KeyCommand>> = {
  j: "down",
  k: "up",
  h: "left",
  l: "right",
  g: "home",
  G: "end",
  " ": "toggle",
  f: "fold-all",
  "/": "filter",
  n: "next",
  N: "previous",
  a: "approve",
  q: "quit",
  "?": "help",
};

/** A character that is no word of its own, and what was pasted, ask for nothing. */
export function keyCommand(key: Key): KeyCommand {
  if (key.key === "character") return letters[key.text] ?? "none";
  return key.key === "pasted" ? "none" : key.key;
}

/** The first row that is shown after a key that scrolls, as if there was no last one. */
export function scrollPosition(scroll: number, word: KeyCommand, rows: number): number | undefined {
  switch (word) {
    case "up":
      return Math.max(0, scroll - 1);
    case "down":
      return scroll + 1;
    case "page-up":
      return Math.max(0, scroll - rows + 1);
    case "page-down":
    case "toggle":
      return scroll + rows - 1;
    case "home":
      return 0;
    case "end":
      return Number.POSITIVE_INFINITY;
    default:
      return undefined;
  }
}
