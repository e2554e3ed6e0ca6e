import {
  ListNode,
  type MapEntry,
  MapNode,
  type Node,
  plainScalarType,
  ScalarNode,
  type SourceText,
} from "./source-text.ts";

/** Deeper nesting is left to the library, and so are a text of more nodes, and a longer key, quotes and spaces included. */
const maxDepth = 50;
const maxNodes = 8_000_000;
const maxKeyLength = 1000;
/** A map of more entries finds its keys by a set. */
const fewEntries = 12;

/**
 * Reads the regular form in which rosters are written: maps and lists in blocks, brackets and braces, values in one line, comments. The tree is
 * the one that the library gives, node for node. No tree where a text has anything else, faults included: then the library reads all of it.
 * `end`: the offset up to which the text was read.
 */
export function readRegular(source: SourceText): { readonly tree?: MapNode; readonly end: number } {
  const strange = source.text.search(/[\t\ufeff]/u);
  return strange < 0 ? new RegularReader(source).read() : { end: strange };
}

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
type Style = "block" | "flow";

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
class TextCursor {
  readonly source: SourceText;
  readonly text: string;
  at = 0;

  constructor(source: SourceText) {
    this.source = source;
    this.text = source.text;
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
  scalar(style: Style): ScalarNode | undefined {
    const start = this.at;
    const code = this.text.charCodeAt(start);
    if (code === doubleQuote || code === singleQuote) {
      const text = code === doubleQuote ? this.#doubleQuoted() : this.#singleQuoted();
      if (text === undefined) return undefined;
      const end = this.at;
      this.skipSpaces();
      if (this.text.charCodeAt(this.at) !== colon) this.at = end;
      return new ScalarNode(this.source, start, end, text, "string");
    }
    if (Number.isNaN(code) || indicators.has(code) || (code === dash && !this.#isTextAfterDash())) return undefined;
    const stop = this.#plainEnd(style);
    let end = stop;
    while (this.text.charCodeAt(end - 1) === space) end -= 1;
    this.at = this.text.charCodeAt(stop) === colon ? stop : end;
    const text = this.text.slice(start, end);
    return new ScalarNode(this.source, start, end, text, plainScalarType(text));
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

class RegularReader extends TextCursor {
  /** Where the content of the current line begins, counted from 0; -1 after the last one. */
  #column = 0;
  #depth = 0;
  #nodes = 0;
  /** A document begins or ends where the regular form has none. */
  #hasMarker = false;

  read(): ReturnType<typeof readRegular> {
    const tree = this.#document();
    return { end: this.at, ...(tree === undefined ? {} : { tree }) };
  }

  #document(): MapNode | undefined {
    this.#goToContent();
    if (this.#hasMarker && this.is("---")) {
      this.#hasMarker = false;
      this.at += 3;
      if (!this.#endLine()) return undefined;
    }
    const map = this.#column === 0 ? this.#blockMap(0) : undefined;
    return this.#column === -1 && !this.#hasMarker ? map : undefined;
  }

  /** From the beginning of a line to the next content. */
  #goToContent(): void {
    do {
      const start = this.at;
      this.skipSpaces();
      this.#column = this.at - start;
      this.skipComment();
    } while (this.skipLineBreak());
    if (this.isAtEnd) this.#column = -1;
    else if (this.#column === 0) this.#hasMarker ||= this.is("---") || this.is("...");
  }

  /** From the end of a value to the next content, which is in another line. False where this line has more. */
  #endLine(): boolean {
    this.skipSpacesAndComment();
    if (!this.isAtEnd && !this.skipLineBreak()) return false;
    this.#goToContent();
    return true;
  }

  #enter(): boolean {
    this.#depth += 1;
    return this.#depth <= maxDepth;
  }

  /** The map whose first key begins at `start`. */
  #blockMap(column: number, start = this.at, firstKey = this.#scalar("block")): MapNode | undefined {
    if (!this.#enter()) return undefined;
    const entries = new RegularEntries();
    for (let key = firstKey; ; key = this.#scalar("block")) {
      if (key === undefined || !entries.isNew(key) || !this.skipColon()) return undefined;
      const value = this.#blockValue(column, "map");
      if (value === undefined || this.#column > column) return undefined;
      entries.add(key, value);
      if (this.#column < column || this.isAtItem()) break;
    }
    this.#depth -= 1;
    return new MapNode(this.source, start, this.at, entries.all);
  }

  #blockList(column: number): ListNode | undefined {
    if (!this.#enter()) return undefined;
    const start = this.at;
    const items: Node[] = [];
    do {
      this.at += 1;
      const item = this.#blockValue(column, "list");
      if (item === undefined || this.#column > column) return undefined;
      items.push(item);
    } while (this.#column === column && this.isAtItem());
    this.#depth -= 1;
    return new ListNode(this.source, start, this.at, items);
  }

  /** What follows a key or a dash, in its line or below it, up to the next content. */
  #blockValue(column: number, within: "map" | "list"): Node | undefined {
    const sign = this.at;
    this.skipSpaces();
    const start = this.at;
    if (this.isAtLineEnd() || this.is("#")) return this.#valueBelow(column, within);
    if (this.is("[") || this.is("{")) {
      const node = this.#flowNode(column);
      return node !== undefined && this.#endLine() ? node : undefined;
    }
    const scalar = this.#scalar("block");
    if (scalar === undefined) return undefined;
    if (within === "list" && this.is(":")) return this.#blockMap(column + 1 + start - sign, start, scalar);
    return this.#endLine() ? scalar : undefined;
  }

  #valueBelow(column: number, within: "map" | "list"): Node | undefined {
    const empty = new ScalarNode(this.source, this.at, this.at, "", "null");
    this.skipComment();
    if (!this.#endLine()) return undefined;
    if (this.#column > column) return this.isAtItem() ? this.#blockList(this.#column) : this.#blockMap(this.#column);
    const isListBeside = within === "map" && this.#column === column && this.isAtItem();
    return isListBeside ? this.#blockList(column) : empty;
  }

  #flowNode(column: number): Node | undefined {
    if (this.is("[")) return this.#flowList(column);
    return this.is("{") ? this.#flowMap(column) : this.#scalar("flow");
  }

  #flowMap(column: number): MapNode | undefined {
    const start = this.at;
    const entries = new RegularEntries();
    const isRead = this.#flowEntries(column, "}", () => {
      const key = this.#scalar("flow");
      if (key === undefined || !entries.isNew(key)) return false;
      if (!this.skipColon() || !this.#skipFlowSpace(column)) return false;
      const value = this.#flowNode(column);
      if (value !== undefined) entries.add(key, value);
      return value !== undefined;
    });
    return isRead ? new MapNode(this.source, start, this.at, entries.all) : undefined;
  }

  #flowList(column: number): ListNode | undefined {
    const start = this.at;
    const items: Node[] = [];
    const isRead = this.#flowEntries(column, "]", () => {
      const item = this.#flowNode(column);
      if (item !== undefined) items.push(item);
      return item !== undefined;
    });
    return isRead ? new ListNode(this.source, start, this.at, items) : undefined;
  }

  /** All between brackets or braces, and these themselves. */
  #flowEntries(column: number, close: "]" | "}", readEntry: () => boolean): boolean {
    if (!this.#enter()) return false;
    this.at += 1;
    if (!this.#skipFlowSpace(column)) return false;
    while (!this.is(close)) {
      if (!readEntry() || !this.#skipFlowSpace(column)) return false;
      if (!this.is(",")) break;
      this.at += 1;
      if (!this.#skipFlowSpace(column)) return false;
    }
    if (!this.is(close)) return false;
    this.at += 1;
    this.#depth -= 1;
    return true;
  }

  /** To what comes next within brackets, which must be indented deeper than the block around them. */
  #skipFlowSpace(column: number): boolean {
    this.skipSpacesAndComment();
    while (this.skipLineBreak()) {
      const start = this.at;
      this.skipSpaces();
      if (!this.isAtLineEnd() && this.at - start <= column) return false;
      this.skipComment();
    }
    return true;
  }

  #scalar(style: Style): ScalarNode | undefined {
    this.#nodes += 1;
    const start = this.at;
    const scalar = this.#nodes > maxNodes ? undefined : this.scalar(style);
    return scalar && this.is(":") && this.at - start > maxKeyLength ? undefined : scalar;
  }
}

/** The entries of one map, none of which has a key that the library would report. */
class RegularEntries {
  readonly all: MapEntry[] = [];
  #names: Set<string> | undefined;

  isNew({ text, type }: ScalarNode): boolean {
    if (type !== "string" || text === "<<") return false;
    return this.#names === undefined ? this.all.every(({ key }) => key.text !== text) : !this.#names.has(text);
  }

  add(key: ScalarNode, value: Node): void {
    this.all.push({ key, value });
    if (this.#names !== undefined) this.#names.add(key.text);
    else if (this.all.length === fewEntries) this.#names = new Set(this.all.map((entry) => entry.key.text));
  }
}
