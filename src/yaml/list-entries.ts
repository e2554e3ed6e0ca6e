import { isMap, isScalar, isSeq, type Pair, type ParsedNode, Scalar, type YAMLMap, type YAMLSeq } from "yaml";
import type { Place } from "../model/place.ts";
import { compose } from "./compose.ts";
import { decodeText } from "./decode-text.ts";
import { applyEdits, encodeLike, insertLineAfter, lineBreakBefore, type TextEdit } from "./edits.ts";
import { yamlDiagnostics } from "./fault-log.ts";
import type { SourceText } from "./source-text.ts";
import { writeScalar } from "./write-scalar.ts";

/** Keys and values of a map, in their order. */
export type ListEntryFields = readonly (readonly [key: string, value: string])[];

/**
 * Adds a map at the end of the list that the document's map has under a key; every other byte stays. Undefined where the file
 * is not such a map, or has something else under the key.
 */
export function appendToList(bytes: Uint8Array, list: string, entries: ListEntryFields): Uint8Array | undefined {
  const opened = openDocument(bytes);
  if (opened === undefined) return undefined;
  const { root, source } = opened;
  const pair = root.items.find((one) => hasKey(one, list));
  const edit = pair === undefined ? appendKeyEdit(list, entries, source) : appendEdit(pair, entries, source);
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
  const content: ParsedNode | null = decoded.ok ? compose(decoded.source.text, yamlDiagnostics(decoded.source)) : null;
  if (!decoded.ok || !isMap(content) || content.flow === true) return undefined;
  return { root: content, source: decoded.source };
}

function hasKey({ key }: Pair<unknown, unknown>, name: string): boolean {
  return isScalar(key) && key.value === name;
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

function appendKeyEdit(list: string, entries: ListEntryFields, { text }: SourceText): TextEdit {
  const lineBreak = lineBreakBefore(text.lastIndexOf("\n") + 1, text);
  const before = text === "" || text.endsWith("\n") ? "" : lineBreak;
  const lines = [`${list}:`, ...itemLines(entries, "  ")].map((line) => `${line}${lineBreak}`);
  return { at: text.length, until: text.length, text: `${before}${lines.join("")}` };
}

function appendEdit(
  { key, value }: Pair<unknown, unknown>,
  entries: ListEntryFields,
  source: SourceText,
): TextEdit | undefined {
  if (isSeq(value))
    return value.flow === true ? flowAppendEdit(value, entries) : blockAppendEdit(value, entries, source);
  const end = isScalar(key) ? key.range?.[1] : undefined;
  const isNothing = value === null || (isScalar(value) && value.range?.[0] === value.range?.[1]);
  if (end === undefined || !isNothing) return undefined;
  return lineEdit(end, itemLines(entries, "  "), source);
}

/** Within the brackets, of which the last one is the last character of the list. */
function flowAppendEdit(list: YAMLSeq, entries: ListEntryFields): TextEdit | undefined {
  const end = list.range?.[1];
  if (end === undefined) return undefined;
  const item = `{ ${entries.map(([key, value]) => `${key}: ${writeScalar(value)}`).join(", ")} }`;
  return { at: end - 1, until: end - 1, text: list.items.length === 0 ? item : `, ${item}` };
}

/** Below its last item, as far in as the first. */
function blockAppendEdit(list: YAMLSeq, entries: ListEntryFields, source: SourceText): TextEdit | undefined {
  const [start, end] = list.range ?? [];
  if (start === undefined || end === undefined) return undefined;
  const margin = " ".repeat(source.placeAt(start).column - 1);
  return lineEdit(end, itemLines(entries, margin), source);
}

function lineEdit(end: number, lines: readonly string[], { text }: SourceText): TextEdit {
  const lineBreak = lineBreakBefore(text.lastIndexOf("\n") + 1, text);
  return insertLineAfter(end, lines.join(lineBreak), text);
}

function itemLines(entries: ListEntryFields, margin: string): readonly string[] {
  return entries.map(([key, value], index) => `${margin}${index === 0 ? "- " : "  "}${key}: ${writeScalar(value)}`);
}
