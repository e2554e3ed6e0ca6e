import type { Key as InkKey } from "ink";

/** A key as a person means it. */
export type Key =
  | { readonly key: KeyName }
  /** One character that was typed. */
  | { readonly key: "character"; readonly text: string }
  /** Text that came at once: it is never taken for keys, and never for an approval. */
  | { readonly key: "pasted"; readonly text: string };

type KeyName =
  | "up"
  | "down"
  | "left"
  | "right"
  | "page-up"
  | "page-down"
  | "home"
  | "end"
  | "enter"
  | "escape"
  | "backspace"
  | "clear";

/** What ink hands over at once: one key, or characters that were typed or pasted together. */
export type TypedKeys = (typed: string, key: InkKey) => readonly Key[];

/** Reads keys from what ink hands over. Pasted text ends where the terminal says so. */
export function keyReader(): TypedKeys {
  let pasted: string | undefined;
  return (typed, key) => {
    if (typed === pasteEnds) {
      const text = pasted ?? "";
      pasted = undefined;
      return [{ key: "pasted", text }];
    }
    if (typed === pasteBegins) pasted = "";
    else if (pasted === undefined) return typedKeys(typed, key);
    else pasted += typed;
    return [];
  };
}

const pasteBegins = "[200~";
const pasteEnds = "[201~";

/** What a terminal sends for keys that ink does not know, without its escape. */
const unknownSequence = /^\[[0-?]*[ -/]*[@-~]$/u;

const namedKeys = [
  ["upArrow", "up"],
  ["downArrow", "down"],
  ["leftArrow", "left"],
  ["rightArrow", "right"],
  ["pageUp", "page-up"],
  ["pageDown", "page-down"],
  ["home", "home"],
  ["end", "end"],
  ["return", "enter"],
  ["escape", "escape"],
  ["backspace", "backspace"],
  ["delete", "backspace"],
] as const satisfies readonly (readonly [keyof InkKey, KeyName])[];

const controlKeys: Readonly<Record<string, KeyName>> = {
  "\u{15}": "clear",
  "\r": "enter",
  "\n": "enter",
  "\u{7F}": "backspace",
  "\b": "backspace",
  "\u{2}": "page-up",
  "\u{6}": "page-down",
  "\u{10}": "up",
  "\u{E}": "down",
};

function typedKeys(typed: string, key: InkKey): readonly Key[] {
  const named = namedKeys.find(([name]) => key[name]);
  if (named !== undefined) return [{ key: named[1] }];
  if (key.ctrl) return [...controlCharacter(typed)].flatMap(characterKey);
  return key.meta || unknownSequence.test(typed) ? [] : [...typed].flatMap(characterKey);
}

/** The character that a terminal sends for Ctrl and a letter. */
function controlCharacter(letter: string): string {
  return /^[a-z]$/u.test(letter) ? String.fromCharCode(letter.charCodeAt(0) - 96) : "";
}

function characterKey(character: string): readonly Key[] {
  const name = controlKeys[character];
  if (name !== undefined) return [{ key: name }];
  return /^\p{Cc}$/u.test(character) ? [] : [{ key: "character", text: character }];
}

/** What a key does where it is no text. */
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

/** A character without a meaning, and pasted text, do nothing. */
export function keyCommand(key: Key): KeyCommand {
  if (key.key === "character") return letters[key.text] ?? "none";
  return key.key === "pasted" ? "none" : key.key;
}

/** Every key of the review and what it does. */
export const keyHelp: readonly (readonly [string, string])[] = [
  ["↑ ↓, k j", "one row up, one row down"],
  ["PgUp PgDn, Home End", "one page; first row, last row"],
  ["← →, h l", "fold and unfold; ← goes to the parent"],
  ["Space", "fold or unfold"],
  ["f", "fold all, or unfold all"],
  ["/", "filter by words: people, teams, roles, kinds, codes"],
  ["n, N", "next and previous privileged or blocking row (!)"],
  ["Enter", "details: all roles, YAML lines, facts, rule"],
  ["Esc", "go back; clear the filter; leave without applying"],
  ["a", "approve: then type yes and press Enter"],
  ["q", "leave without applying"],
  ["Ctrl-C, Ctrl-Z", "interrupt roster, suspend it"],
];
