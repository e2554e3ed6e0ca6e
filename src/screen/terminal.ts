import { setImmediate as onceRead, setTimeout as sleep } from "node:timers/promises";
import type { Key as InkKey } from "ink";

export interface Terminal {
  readonly input: TerminalInput;
  readonly output: TerminalOutput;
  /** Keeps back what others write to the terminal. The returned function writes it. */
  hold(): () => void;
}

interface TerminalInput {
  setRawMode(raw: boolean): unknown;
  on(event: "data", listener: (chunk: Buffer | string) => void): unknown;
  on(event: "end" | "error", listener: () => void): unknown;
  off(event: "data", listener: (chunk: Buffer | string) => void): unknown;
  off(event: "end" | "error", listener: () => void): unknown;
  resume(): unknown;
  pause(): unknown;
}

interface TerminalOutput {
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  write(text: string): unknown;
  on(event: "resize", listener: () => void): unknown;
  off(event: "resize", listener: () => void): unknown;
}

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Milliseconds within which a terminal hands over what was typed. */
const readDelay = 50;

/** Drops keys that were typed before a question was shown. Only Ctrl-C counts. */
export async function discardTypedAhead(
  // Standard input has no raw mode where it is no terminal.
  input: Omit<TerminalInput, "setRawMode"> & Partial<Pick<TerminalInput, "setRawMode">>,
): Promise<void> {
  const discard = (chunk: Buffer | string) => {
    if (chunk.toString().includes("\u{3}")) interruptAsTerminal();
  };
  input.setRawMode?.(true);
  const stop = listen(input, discard);
  await sleep(readDelay);
  // However late that timer was, the terminal is read between it and this.
  await onceRead();
  stop();
  input.setRawMode?.(false);
}

export function listen(input: Omit<TerminalInput, "setRawMode">, onData: (chunk: Buffer | string) => void): () => void {
  input.on("data", onData);
  input.on("end", hangUp);
  input.on("error", hangUp);
  input.resume();
  return () => {
    input.off("data", onData);
    input.off("end", hangUp);
    input.off("error", hangUp);
    input.pause();
  };
}

/** What the terminal itself would do for Ctrl-C. It sends no signal while a screen reads the keys. On Windows a sent signal ends the process. */
export function interruptAsTerminal(): void {
  if (process.platform === "win32") process.emit("SIGINT");
  else process.kill(0, "SIGINT");
}

/** What the terminal itself would do for Ctrl-Z: on Windows nothing. `resume` is called once, when the process runs again. */
export function suspendAsTerminal(resume: () => void): void {
  if (process.platform === "win32") {
    resume();
    return;
  }
  let isAway = true;
  function comeBack(): void {
    process.off("SIGCONT", comeBack);
    if (isAway) resume();
    isAway = false;
  }
  process.once("SIGCONT", comeBack);
  process.kill(0, "SIGTSTP");
  // Where no shell could continue the process, nothing has stopped it either.
  setTimeout(comeBack, readDelay);
}

/** What a closed terminal does, where its signal has not come yet: no key comes any more, and nothing else waits for one. */
function hangUp(): void {
  process.emit("SIGHUP");
}

export type Key =
  | { readonly key: KeyName }
  | { readonly key: "character"; readonly text: string }
  /** Text that came at once: it is never taken for keys, and never for an approval. */
  | { readonly key: "pasted"; readonly text: string };

type KeyName = (typeof namedKeys)[number][1] | "clear";

/** What ink hands over at once: one key, or characters that were typed or pasted together. */
type TypedKeys = (typed: string, key: InkKey) => readonly Key[];

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
] as const satisfies readonly (readonly [keyof InkKey, string])[];

const controlKeys: Readonly<Record<string, KeyName>> = {
  "\u{15}": "clear",
  "\r": "enter",
  "\n": "enter",
  "\u{7F}": "backspace",
  "\b": "backspace",
};

function typedKeys(typed: string, key: InkKey): readonly Key[] {
  const named = namedKeys.find(([name]) => key[name]);
  if (named !== undefined) return [{ key: named[1] }];
  if (key.ctrl) return typed === "u" ? [{ key: "clear" }] : [];
  return key.meta || unknownSequence.test(typed) ? [] : [...typed].flatMap(characterKey);
}

function characterKey(character: string): readonly Key[] {
  const name = controlKeys[character];
  if (name !== undefined) return [{ key: name }];
  return /^\p{Cc}$/u.test(character) ? [] : [{ key: "character", text: character }];
}

export type KeyCommand = KeyName | (typeof letters)[keyof typeof letters] | "none";

const letters = {
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
} as const;

/** A character without a meaning, and pasted text, do nothing. */
export function keyCommand(key: Key): KeyCommand {
  const commands: Readonly<Partial<Record<string, KeyCommand>>> = letters;
  if (key.key === "character") return commands[key.text] ?? "none";
  return key.key === "pasted" ? "none" : key.key;
}

export const keyHelp: readonly (readonly [string, string])[] = [
  ["↑ ↓, k j", "one row up, one row down"],
  ["PgUp PgDn, Home End", "one page; first row, last row"],
  ["← →, h l", "fold and unfold; ← goes to the parent"],
  ["Space", "fold or unfold"],
  ["f", "fold all, or unfold all"],
  ["/", "filter by words: people, teams, roles, kinds, codes"],
  ["n, N", "next and previous privileged row or task (!)"],
  ["Enter", "details: all roles, YAML lines, facts"],
  ["Esc", "go back; clear the filter; leave without applying"],
  ["a", "approve: then type yes and press Enter"],
  ["q", "leave without applying"],
  ["Ctrl-C, Ctrl-Z", "interrupt roster, suspend it"],
];
