import { isMap, isNode, isScalar, isSeq, type Pair, type ParsedNode, Scalar, type YAMLMap, type YAMLSeq } from "yaml";
import type { Place } from "../model/fact.ts";
import { compose } from "./parse.ts";
import type { SourceText } from "./source-text.ts";
import { decodeText } from "./source-text.ts";
import { writeScalar } from "./write.ts";

/** Keys and values of a map, in their order. */
export type ListEntryFields = readonly (readonly [key: string, value: string])[];

/**
 * Adds a map at the end of the list that the document's map has under a key; every other byte stays. Undefined where the file
 * is not such a map, or has something else under the key.
 */
export function appendToList(bytes: Uint8Array, list: string, entry: ListEntryFields): Uint8Array | undefined {
  const opened = openDocument(bytes);
  if (opened === undefined) return undefined;
  const { root, source } = opened;
  const pair = root.items.find((one) => hasKey(one, list));
  const edit = pair === undefined ? appendKeyEdit(list, entry, source) : appendEdit(pair, entry, source);
  return edit === undefined ? undefined : encodeLike(bytes, applyEdits(source.text, [edit]));
}

/** Gives keys of the map that begins at a place other values; every other byte stays. Undefined where one cannot be replaced. */
export function replaceValues(bytes: Uint8Array, place: Place, values: ListEntryFields): Uint8Array | undefined {
  const opened = openDocument(bytes);
  if (opened === undefined) return undefined;
  const { root, source } = opened;
  const isMeant = (map: YAMLMap) => {
    const at = source.placeAt(map.range?.[0] ?? 0);
    return at.line === place.line && at.column === place.column;
  };
  const map = mapsIn(root).find(isMeant);
  const edits = values.map(([key, value]) => replaceEdit(map, key, value));
  const done = edits.filter((edit) => edit !== undefined);
  return done.length < edits.length ? undefined : encodeLike(bytes, applyEdits(source.text, done));
}

function openDocument(bytes: Uint8Array): { readonly root: YAMLMap; readonly source: SourceText } | undefined {
  const decoded = decodeText("", bytes);
  const content: ParsedNode | null = decoded.ok ? compose(decoded.source).content : null;
  if (!decoded.ok || !isMap(content) || content.flow === true) return undefined;
  return { root: content, source: decoded.source };
}

function mapsIn(root: YAMLMap): readonly YAMLMap[] {
  const lists = root.items.flatMap(({ value }) => (isSeq(value) ? [value] : []));
  return lists.flatMap(({ items }) => items.filter((item) => isMap(item)));
}

function replaceEdit(map: YAMLMap | undefined, key: string, value: string): TextEdit | undefined {
  const scalar = map?.items.find((pair) => hasKey(pair, key))?.value;
  if (!isScalar(scalar) || scalar.type === Scalar.BLOCK_FOLDED || scalar.type === Scalar.BLOCK_LITERAL)
    return undefined;
  const [at, until] = scalar.range ?? [];
  if (at === undefined || until === undefined || at === until) return undefined;
  return { at, until, text: writeScalar(value) };
}

/** Adds a list with an entry at the end of a document. */
function appendKeyEdit(list: string, entry: ListEntryFields, { text }: SourceText): TextEdit {
  const lineBreak = lineBreakBefore(text.lastIndexOf("\n") + 1, text);
  const before = text === "" || text.endsWith("\n") ? "" : lineBreak;
  const lines = [`${list}:`, ...itemLines(entry, "  ")].map((line) => `${line}${lineBreak}`);
  return { at: text.length, until: text.length, text: `${before}${lines.join("")}` };
}

/** Adds an entry at the end of the list under a key. */
function appendEdit(
  { key, value }: Pair<unknown, unknown>,
  entry: ListEntryFields,
  source: SourceText,
): TextEdit | undefined {
  if (isSeq(value)) return value.flow === true ? flowAppendEdit(value, entry) : blockAppendEdit(value, entry, source);
  const end = isScalar(key) ? key.range?.[1] : undefined;
  const isNothing = value === null || (isScalar(value) && value.range?.[0] === value.range?.[1]);
  if (end === undefined || !isNothing) return undefined;
  return lineEdit(end, itemLines(entry, "  "), source);
}

/** Behind the last item, so that a comma behind that one stays; in an empty list before the bracket that ends it. */
function flowAppendEdit(list: YAMLSeq, entry: ListEntryFields): TextEdit | undefined {
  const item = `{ ${entry.map(([key, value]) => `${key}: ${writeScalar(value)}`).join(", ")} }`;
  const last = list.items.at(-1);
  const [itemEnd, listEnd] = [isNode(last) ? last.range?.[1] : undefined, list.range?.[1]];
  if (itemEnd !== undefined) return { at: itemEnd, until: itemEnd, text: `, ${item}` };
  return listEnd === undefined || last !== undefined ? undefined : { at: listEnd - 1, until: listEnd - 1, text: item };
}

/** Below its last item, as far in as the first. */
function blockAppendEdit(list: YAMLSeq, entry: ListEntryFields, source: SourceText): TextEdit | undefined {
  const [start, end] = list.range ?? [];
  if (start === undefined || end === undefined) return undefined;
  const margin = " ".repeat(source.placeAt(start).column - 1);
  return lineEdit(end, itemLines(entry, margin), source);
}

function lineEdit(end: number, lines: readonly string[], { text }: SourceText): TextEdit {
  const lineBreak = lineBreakBefore(text.lastIndexOf("\n") + 1, text);
  return insertLineAfter(end, lines.join(lineBreak), text);
}

function itemLines(entry: ListEntryFields, margin: string): readonly string[] {
  return entry.map(([key, value], index) => `${margin}${index === 0 ? "- " : "  "}${key}: ${writeScalar(value)}`);
}

function hasKey({ key }: Pair<unknown, unknown>, name: string): boolean {
  return isScalar(key) && key.value === name;
}

/** A piece of a text that gives way to another one. */
interface TextEdit {
  readonly at: number;
  readonly until: number;
  readonly text: string;
}

/** The text with all edits in it, which do not overlap. Those at one offset keep their order. */
function applyEdits(text: string, edits: readonly TextEdit[]): string {
  let rest = 0;
  let result = "";
  for (const { at, until, text: inserted } of edits.toSorted((a, b) => a.at - b.at)) {
    result += text.slice(rest, at) + inserted;
    rest = until;
  }
  return result + text.slice(rest);
}

/** The bytes of a text that replaces a file's: with a byte order mark where the file had one. */
function encodeLike(before: Uint8Array, text: string): Uint8Array {
  const hasMark = before[0] === 0xef && before[1] === 0xbb && before[2] === 0xbf;
  return new TextEncoder().encode(hasMark ? `\ufeff${text}` : text);
}

/** After the line in which a value ends, with the line break that the file uses there. */
function insertLineAfter(end: number, line: string, text: string): TextEdit {
  if (text[end - 1] === "\n") return { at: end, until: end, text: `${line}${lineBreakBefore(end, text)}` };
  const lineFeed = text.indexOf("\n", end);
  const lineBreak =
    lineFeed < 0 ? lineBreakBefore(text.lastIndexOf("\n") + 1, text) : lineBreakBefore(lineFeed + 1, text);
  if (lineFeed < 0) return { at: text.length, until: text.length, text: `${lineBreak}${line}` };
  return { at: lineFeed + 1, until: lineFeed + 1, text: `${line}${lineBreak}` };
}

/** The line break that ends before an offset. */
function lineBreakBefore(offset: number, text: string): string {
  return text.startsWith("\r\n", offset - 2) ? "\r\n" : "\n";
}
