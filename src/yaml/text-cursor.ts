import { plainScalarType, type ScalarType, type SourceText } from "./source-text.ts";

const newline = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;
const doubleQuote = 0x22;
const hash = 0x23;
const singleQuote = 0x27;
const comma = 0x2c;
const dash = 0x2d;
const colon = 0x3a;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Kinds of places in a text: between the lines of a block, or within brackets and braces. */
export type Style = "block" | "flow";

/** A text in one line, from its first character to behind its last one. */
interface ScalarToken {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly type: ScalarType;
}

/** What cannot begin a scalar that is not quoted, or has a meaning of its own there. `-` can where no space follows. */
const indicators = new Set([...",[]{}#&*!|>'\"%@`?:"].map((character) => character.charCodeAt(0)));

/** Where a scalar without quotes may end, by character code. The end of a text counts as code 0, which no text has. */
const plainEnds: Readonly<Record<Style, Uint8Array>> = {
  block: tableOf([0, newline, carriageReturn, hash, colon]),
  flow: tableOf([0, newline, carriageReturn, hash, colon, comma, openBracket, closeBracket, openBrace, closeBrace]),
};

function tableOf(codes: readonly number[]): Uint8Array {
  const table = new Uint8Array(0x1_0000);
  for (const code of codes) table[code] = 1;
  return table;
}

const escapes = new Map([
  ["\\", "\\"],
  ['"', '"'],
  ["/", "/"],
  ["n", "\n"],
  ["t", "\t"],
]);

/** Goes through the text of a YAML file, and reads the scalars that stand in one line. */
export class TextCursor {
  readonly text: string;
  at = 0;

  constructor({ text }: SourceText) {
    this.text = text;
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  is(character: string): boolean {
    return this.text.startsWith(character, this.at);
  }

  isAtLineEnd(): boolean {
    const code = this.text.charCodeAt(this.at);
    return code === newline || code === carriageReturn || Number.isNaN(code);
  }

  skipSpaces(): void {
    while (this.text.charCodeAt(this.at) === space) this.at += 1;
  }

  /** Spaces, and a comment that begins after one of them. */
  skipSpacesAndComment(): void {
    const start = this.at;
    this.skipSpaces();
    if (this.at > start) this.skipComment();
  }

  skipComment(): void {
    if (this.text.charCodeAt(this.at) !== hash) return;
    const end = this.text.indexOf("\n", this.at);
    this.at = end < 0 ? this.text.length : end;
  }

  skipLineBreak(): boolean {
    if (this.text.charCodeAt(this.at) === carriageReturn) this.at += 1;
    if (this.text.charCodeAt(this.at) !== newline) return false;
    this.at += 1;
    return true;
  }

  /** A colon that has a space or the end of its line after it. */
  skipColon(): boolean {
    if (this.text.charCodeAt(this.at) !== colon || !this.#isBlankAt(this.at + 1)) return false;
    this.at += 1;
    return true;
  }

  /** Before a dash that has a space or the end of its line after it. */
  isAtItem(): boolean {
    return this.text.charCodeAt(this.at) === dash && this.#isBlankAt(this.at + 1);
  }

  /** Before a space, the end of a line, or the end of the text. */
  #isBlankAt(offset: number): boolean {
    const code = this.text.charCodeAt(offset);
    return code === space || code === newline || code === carriageReturn || Number.isNaN(code);
  }

  /** A scalar in one line, and the spaces after it where a colon follows. */
  scalar(style: Style): ScalarToken | undefined {
    const start = this.at;
    const code = this.text.charCodeAt(start);
    if (code === doubleQuote || code === singleQuote) {
      const text = code === doubleQuote ? this.#doubleQuoted() : this.#singleQuoted();
      if (text === undefined) return undefined;
      const end = this.at;
      this.skipSpaces();
      if (this.text.charCodeAt(this.at) !== colon) this.at = end;
      return { start, end, text, type: "string" };
    }
    if (Number.isNaN(code) || indicators.has(code) || (code === dash && !this.#isTextAfterDash())) return undefined;
    const stop = this.#plainEnd(style);
    let end = stop;
    while (this.text.charCodeAt(end - 1) === space) end -= 1;
    this.at = this.text.charCodeAt(stop) === colon ? stop : end;
    const text = this.text.slice(start, end);
    return { start, end, text, type: plainScalarType(text) };
  }

  #isTextAfterDash(): boolean {
    return !this.#isBlankAt(this.at + 1) && !indicators.has(this.text.charCodeAt(this.at + 1));
  }

  #plainEnd(style: Style): number {
    const ends = plainEnds[style];
    let at = this.at;
    while (ends[this.text.charCodeAt(at) | 0] !== 1 || !this.#endsPlain(at, style)) at += 1;
    return at;
  }

  #endsPlain(at: number, style: Style): boolean {
    switch (this.text.charCodeAt(at)) {
      case hash:
        return this.text.charCodeAt(at - 1) === space;
      case colon:
        return this.#isBlankAt(at + 1) || (style === "flow" && plainEnds.flow[this.text.charCodeAt(at + 1)] === 1);
      default:
        return true;
    }
  }

  #singleQuoted(): string | undefined {
    let text = "";
    for (let from = this.at + 1; ; ) {
      const quote = this.text.indexOf("'", from);
      const part = this.text.slice(from, quote);
      if (quote < 0 || part.includes("\n")) return undefined;
      text += part;
      if (this.text[quote + 1] !== "'") {
        this.at = quote + 1;
        return text;
      }
      text += "'";
      from = quote + 2;
    }
  }

  #doubleQuoted(): string | undefined {
    const special = /["\\\n]/gu;
    let text = "";
    for (let from = this.at + 1; ; ) {
      special.lastIndex = from;
      const found = special.exec(this.text);
      if (found === null || found[0] === "\n") return undefined;
      text += this.text.slice(from, found.index);
      if (found[0] === '"') {
        this.at = found.index + 1;
        return text;
      }
      const escaped = escapes.get(this.text[found.index + 1] ?? "");
      if (escaped === undefined) return undefined;
      text += escaped;
      from = found.index + 2;
    }
  }
}
