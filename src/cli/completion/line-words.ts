/** The last word of a line, as far as it is typed. */
export interface LastWord {
  /** What it says. */
  readonly text: string;
  /** The quotation mark that is open at its end. */
  readonly quote: "" | "'" | '"';
  /** What of its text stands before the last place at which the shell breaks words. */
  readonly broken: string;
}

export interface LineWords {
  /** The words before the last one. */
  readonly before: readonly string[];
  readonly last: LastWord;
}

const empty: LastWord = { text: "", quote: "", broken: "" };

/** A command line as bash splits it, up to where somebody types. Nothing in it is expanded. */
export function lineWords(line: string, breaks: string): LineWords {
  const before: string[] = [];
  let last = empty;
  let isBegun = false;
  for (let at = 0; at < line.length; at += 1) {
    const letter = line[at] ?? "";
    const next = line[at + 1] ?? "";
    if (last.quote === "" && /\s/u.test(letter)) {
      if (isBegun) before.push(last.text);
      last = empty;
      isBegun = false;
      continue;
    }
    isBegun = true;
    if (escapes(letter, next, last.quote)) {
      last = { ...last, text: last.text + next };
      at += 1;
    } else last = withLetter(last, letter, breaks);
  }
  return { before, last };
}

function escapes(letter: string, next: string, quote: LastWord["quote"]): boolean {
  if (letter !== "\\" || quote === "'" || next === "") return false;
  return quote === "" || /["\\$`]/u.test(next);
}

function withLetter(last: LastWord, letter: string, breaks: string): LastWord {
  if (letter === last.quote) return { ...last, quote: "" };
  if (last.quote === "" && (letter === "'" || letter === '"')) return { ...last, quote: letter };
  const text = last.text + letter;
  return last.quote === "" && breaks.includes(letter) ? { ...last, text, broken: text } : { ...last, text };
}
