import { ListNode, type MapEntry, MapNode, type Node, ScalarNode, type SourceText } from "./source-text.ts";
import { type Style, TextCursor } from "./text-cursor.ts";

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

class RegularReader {
  readonly #source: SourceText;
  readonly #cursor: TextCursor;
  /** Where the content of the current line begins, counted from 0; -1 after the last one. */
  #column = 0;
  #depth = 0;
  #nodes = 0;
  /** A document begins or ends where the regular form has none. */
  #hasMarker = false;

  constructor(source: SourceText) {
    this.#source = source;
    this.#cursor = new TextCursor(source);
  }

  read(): ReturnType<typeof readRegular> {
    const tree = this.#document();
    return { end: this.#cursor.at, ...(tree === undefined ? {} : { tree }) };
  }

  #document(): MapNode | undefined {
    this.#goToContent();
    if (this.#hasMarker && this.#cursor.is("---")) {
      this.#hasMarker = false;
      this.#cursor.at += 3;
      if (!this.#endLine()) return undefined;
    }
    const map = this.#column === 0 ? this.#blockMap(0) : undefined;
    return this.#column === -1 && !this.#hasMarker ? map : undefined;
  }

  /** From the beginning of a line to the next content. */
  #goToContent(): void {
    const cursor = this.#cursor;
    do {
      const start = cursor.at;
      cursor.skipSpaces();
      this.#column = cursor.at - start;
      cursor.skipComment();
    } while (cursor.skipLineBreak());
    if (cursor.isAtEnd) this.#column = -1;
    else if (this.#column === 0) this.#hasMarker ||= cursor.is("---") || cursor.is("...");
  }

  /** From the end of a value to the next content, which is in another line. False where this line has more. */
  #endLine(): boolean {
    const cursor = this.#cursor;
    cursor.skipSpacesAndComment();
    if (!cursor.isAtEnd && !cursor.skipLineBreak()) return false;
    this.#goToContent();
    return true;
  }

  #enter(): boolean {
    this.#depth += 1;
    return this.#depth <= maxDepth;
  }

  /** The map whose first key begins at `start`. */
  #blockMap(column: number, start = this.#cursor.at, firstKey = this.#scalar("block")): MapNode | undefined {
    if (!this.#enter()) return undefined;
    const entries = new RegularEntries();
    for (let key = firstKey; ; key = this.#scalar("block")) {
      if (key === undefined || !entries.isNew(key) || !this.#cursor.skipColon()) return undefined;
      const value = this.#blockValue(column, "map");
      if (value === undefined || this.#column > column) return undefined;
      entries.add(key, value);
      if (this.#column < column || this.#cursor.isAtItem()) break;
    }
    this.#depth -= 1;
    return new MapNode(this.#source, start, this.#cursor.at, entries.all);
  }

  #blockList(column: number): ListNode | undefined {
    if (!this.#enter()) return undefined;
    const cursor = this.#cursor;
    const start = cursor.at;
    const items: Node[] = [];
    do {
      cursor.at += 1;
      const item = this.#blockValue(column, "list");
      if (item === undefined || this.#column > column) return undefined;
      items.push(item);
    } while (this.#column === column && cursor.isAtItem());
    this.#depth -= 1;
    return new ListNode(this.#source, start, cursor.at, items);
  }

  /** What follows a key or a dash, in its line or below it, up to the next content. */
  #blockValue(column: number, within: "map" | "list"): Node | undefined {
    const cursor = this.#cursor;
    const sign = cursor.at;
    cursor.skipSpaces();
    const start = cursor.at;
    if (cursor.isAtLineEnd() || cursor.is("#")) return this.#valueBelow(column, within);
    if (cursor.is("[") || cursor.is("{")) {
      const node = this.#flowNode(column);
      return node !== undefined && this.#endLine() ? node : undefined;
    }
    const scalar = this.#scalar("block");
    if (scalar === undefined) return undefined;
    if (within === "list" && cursor.is(":")) return this.#blockMap(column + 1 + start - sign, start, scalar);
    return this.#endLine() ? scalar : undefined;
  }

  #valueBelow(column: number, within: "map" | "list"): Node | undefined {
    const cursor = this.#cursor;
    const empty = new ScalarNode(this.#source, cursor.at, cursor.at, "", "null");
    cursor.skipComment();
    if (!this.#endLine()) return undefined;
    if (this.#column > column) return cursor.isAtItem() ? this.#blockList(this.#column) : this.#blockMap(this.#column);
    const isListBeside = within === "map" && this.#column === column && cursor.isAtItem();
    return isListBeside ? this.#blockList(column) : empty;
  }

  #flowNode(column: number): Node | undefined {
    if (this.#cursor.is("[")) return this.#flowList(column);
    return this.#cursor.is("{") ? this.#flowMap(column) : this.#scalar("flow");
  }

  #flowMap(column: number): MapNode | undefined {
    const start = this.#cursor.at;
    const entries = new RegularEntries();
    const isRead = this.#flowEntries(column, "}", () => {
      const key = this.#scalar("flow");
      if (key === undefined || !entries.isNew(key)) return false;
      if (!this.#cursor.skipColon() || !this.#skipFlowSpace(column)) return false;
      const value = this.#flowNode(column);
      if (value !== undefined) entries.add(key, value);
      return value !== undefined;
    });
    return isRead ? new MapNode(this.#source, start, this.#cursor.at, entries.all) : undefined;
  }

  #flowList(column: number): ListNode | undefined {
    const start = this.#cursor.at;
    const items: Node[] = [];
    const isRead = this.#flowEntries(column, "]", () => {
      const item = this.#flowNode(column);
      if (item !== undefined) items.push(item);
      return item !== undefined;
    });
    return isRead ? new ListNode(this.#source, start, this.#cursor.at, items) : undefined;
  }

  /** All between brackets or braces, and these themselves. */
  #flowEntries(column: number, close: "]" | "}", readEntry: () => boolean): boolean {
    const cursor = this.#cursor;
    if (!this.#enter()) return false;
    cursor.at += 1;
    if (!this.#skipFlowSpace(column)) return false;
    while (!cursor.is(close)) {
      if (!readEntry() || !this.#skipFlowSpace(column)) return false;
      if (!cursor.is(",")) break;
      cursor.at += 1;
      if (!this.#skipFlowSpace(column)) return false;
    }
    if (!cursor.is(close)) return false;
    cursor.at += 1;
    this.#depth -= 1;
    return true;
  }

  /** To what comes next within brackets, which must be indented deeper than the block around them. */
  #skipFlowSpace(column: number): boolean {
    const cursor = this.#cursor;
    cursor.skipSpacesAndComment();
    while (cursor.skipLineBreak()) {
      const start = cursor.at;
      cursor.skipSpaces();
      if (!cursor.isAtLineEnd() && cursor.at - start <= column) return false;
      cursor.skipComment();
    }
    return true;
  }

  #scalar(style: Style): ScalarNode | undefined {
    this.#nodes += 1;
    const token = this.#nodes > maxNodes ? undefined : this.#cursor.scalar(style);
    if (token && this.#cursor.is(":") && this.#cursor.at - token.start > maxKeyLength) return undefined;
    return token && new ScalarNode(this.#source, token.start, token.end, token.text, token.type);
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
