/** A key as a person means it, whatever bytes the terminal sends for it. */
export type Key =
  | { readonly key: KeyName }
  /** One character that was typed. */
  | { readonly key: "character"; readonly text: string }
  /** Text that came at once: it is never taken for keys, and never for an approval. */
  | { readonly key: "pasted"; readonly text: string };

export type KeyName =
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
  | "clear"
  | "interrupt"
  | "suspend";

/** Reads keys from what a terminal sends, piece by piece. */
export interface KeyDecoder {
  push(chunk: string): readonly Key[];
  /** What has come of a key that is not complete: to be asked for once nothing has followed for a moment. */
  flush(): readonly Key[];
}

export function keyDecoder(): KeyDecoder {
  let pending = "";
  return {
    push(chunk) {
      const keys: Key[] = [];
      pending += chunk;
      for (let token = nextToken(pending); token !== undefined; token = nextToken(pending)) {
        pending = pending.slice(token.length);
        const key = keyOf(token);
        if (key !== undefined) keys.push(key);
      }
      return keys;
    },
    flush() {
      const isEscape = pending === esc || pending === esc + esc;
      pending = "";
      return isEscape ? [{ key: "escape" }] : [];
    },
  };
}

const esc = "\u{1B}";
const pasteBegins = `${esc}[200~`;
const pasteEnds = `${esc}[201~`;

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals send keys as control sequences
const sequence = /^\u{1B}\u{1B}?(?:\[\[?[0-?]*[ -/]*[@-~]|O[@-~])/u;

/** The beginning that is one key, or undefined where more has to come first. */
function nextToken(text: string): string | undefined {
  if (text === "") return undefined;
  if (!text.startsWith(esc)) return String.fromCodePoint(text.codePointAt(0) ?? 0);
  if (text.startsWith(pasteBegins)) {
    const end = text.indexOf(pasteEnds);
    return end < 0 ? undefined : text.slice(0, end + pasteEnds.length);
  }
  const whole = sequence.exec(text)?.[0];
  if (whole !== undefined) return whole;
  return isBegun(text) ? undefined : text.slice(0, 2);
}

/** What may still become a sequence. */
function isBegun(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals send keys as control sequences
  return /^\u{1B}{1,2}(?:\[[0-?[]*[ -/]*|O)?$/u.test(text);
}

const sequences: Readonly<Record<string, KeyName>> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  H: "home",
  F: "end",
  "1~": "home",
  "7~": "home",
  "4~": "end",
  "8~": "end",
  "5~": "page-up",
  "6~": "page-down",
};

const controls: Readonly<Record<string, KeyName>> = {
  "\u{3}": "interrupt",
  "\u{1A}": "suspend",
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

function keyOf(token: string): Key | undefined {
  if (token.startsWith(pasteBegins)) {
    return { key: "pasted", text: token.slice(pasteBegins.length, -pasteEnds.length) };
  }
  if (token.startsWith(esc)) {
    const name = sequences[token.slice(token.startsWith(esc + esc) ? 3 : 2)];
    return name === undefined ? undefined : { key: name };
  }
  const control = controls[token];
  if (control !== undefined) return { key: control };
  return /^\p{Cc}$/u.test(token) ? undefined : { key: "character", text: token };
}
