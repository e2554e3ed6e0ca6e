import { isMap, isNode, isScalar, isSeq, type Pair, type YAMLMap, type YAMLSeq } from "yaml";
import type { Place } from "../model/fact.ts";
import { problem, type Result, success } from "../model/result.ts";
import {
  appendEdit,
  appendKeyEdit,
  applyEdits,
  type EntryFields,
  encodeLike,
  hasKey,
  insertionEdit,
  itemsLines,
  type ListEntryFields,
  lineBreakBefore,
  openDocument,
  placeKey,
  replaceEdit,
  type TextEdit,
} from "./edit.ts";
import type { SourceText } from "./source-text.ts";

/** What is to become of the entries of one file. A place is where an entry begins. */
export interface EntryEdits {
  /** Values of a map; a key that it has not got comes after the key `after`. */
  readonly set: readonly {
    readonly place: Place;
    readonly after: string;
    readonly values: ListEntryFields;
  }[];
  /** Items of lists. */
  readonly remove: readonly Place[];
  /** What goes to the end of lists of the document's map; lists that are not there are made. */
  readonly append: readonly { readonly list: string; readonly entries: readonly EntryFields[] }[];
}

/**
 * Changes, removes and adds entries; every other byte stays, comments and empty lines between entries among them.
 * The error is the place of an entry that cannot be edited so; nothing where that is the whole document.
 */
export function editEntries(bytes: Uint8Array, edits: EntryEdits): Result<Uint8Array, Place | undefined> {
  const opened = openDocument(bytes);
  if (opened === undefined) return problem(undefined);
  const { root, source } = opened;
  const parts = findParts(root, source);
  const changed = changes(edits, parts, source);
  if (!changed.ok) return changed;
  const removed = removals(edits, parts, source);
  if (!removed.ok) return removed;
  const added = edits.append.filter(({ entries }) => entries.length > 0).map(addition);
  if (!added.every((edit) => edit !== undefined)) return problem(undefined);
  return success(encodeLike(bytes, applyEdits(source.text, [...removed.value, ...changed.value, ...added])));

  function addition({ list, entries }: EntryEdits["append"][number]): TextEdit | undefined {
    const pair = root.items.find((one) => hasKey(one, list));
    return pair === undefined ? appendKeyEdit(list, entries, source) : appendToPair(pair, entries, source);
  }
}

function changes({ set }: EntryEdits, { maps }: DocumentParts, source: SourceText): Result<readonly TextEdit[], Place> {
  const edits: TextEdit[] = [];
  for (const { place, after, values } of set) {
    const map = maps.get(placeKey(place));
    for (const [key, value] of values) {
      const edit = map && setEdit(map, { after, key, value }, source);
      if (edit === undefined) return problem(place);
      edits.push(edit);
    }
  }
  return success(edits);
}

interface DocumentParts {
  readonly maps: ReadonlyMap<string, YAMLMap>;
  readonly items: ReadonlyMap<string, ListItem>;
}

interface ListItem {
  readonly list: YAMLSeq;
  /** The key of the list and the list. */
  readonly pair: Pair<unknown, unknown>;
  readonly index: number;
}

function findParts(root: YAMLMap, source: SourceText): DocumentParts {
  const maps = new Map<string, YAMLMap>();
  const items = new Map<string, ListItem>();
  const keyOf = (node: unknown) => placeKey(source.placeAt(startOf(node)));
  const visit = (map: YAMLMap): void => {
    maps.set(keyOf(map), map);
    for (const pair of map.items) {
      if (isMap(pair.value)) visit(pair.value);
      if (!isSeq(pair.value)) continue;
      for (const [index, item] of pair.value.items.entries()) {
        items.set(keyOf(item), { list: pair.value, pair, index });
        if (isMap(item)) visit(item);
      }
    }
  };
  visit(root);
  return { maps, items };
}

function startOf(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}

/** Where the last thing of a node ends, before a comment that follows it. */
function endOf(node: unknown): number {
  if (isMap(node) && node.flow !== true) {
    const last = node.items.at(-1);
    return Math.max(endOf(last?.key), endOf(last?.value));
  }
  if (isSeq(node) && node.flow !== true) return endOf(node.items.at(-1));
  return isNode(node) ? (node.range?.[1] ?? 0) : 0;
}

function setEdit(
  map: YAMLMap,
  value: { readonly after: string; readonly key: string; readonly value: string },
  source: SourceText,
): TextEdit | undefined {
  const isThere = map.items.some((pair) => hasKey(pair, value.key));
  return isThere ? replaceEdit(map, value.key, value.value) : insertionEdit(map, value, source);
}

function removals(
  { remove, append }: EntryEdits,
  { items }: DocumentParts,
  source: SourceText,
): Result<readonly TextEdit[], Place> {
  const byList = new Map<YAMLSeq, { readonly pair: ListItem["pair"]; readonly gone: Set<number> }>();
  for (const place of remove) {
    const item = items.get(placeKey(place));
    if (item === undefined) return problem(place);
    const of = byList.get(item.list) ?? { pair: item.pair, gone: new Set() };
    byList.set(item.list, of);
    of.gone.add(item.index);
  }
  const edits: TextEdit[] = [];
  for (const [list, { pair, gone }] of byList) {
    const isFilled = append.some(({ list: name, entries }) => entries.length > 0 && hasKey(pair, name));
    const removed =
      list.flow === true ? flowRemovals(list, gone, source) : blockRemovals(list, { pair, gone, isFilled }, source);
    if (removed === undefined) return problem(source.placeAt(startOf(list)));
    edits.push(...removed);
  }
  return success(edits);
}

/** The lines of each item, from its dash on. A list that nothing is left of is written `[]`. */
function blockRemovals(
  list: YAMLSeq,
  {
    pair,
    gone,
    isFilled,
  }: { readonly pair: ListItem["pair"]; readonly gone: ReadonlySet<number>; readonly isFilled: boolean },
  { text }: SourceText,
): readonly TextEdit[] | undefined {
  const edits: TextEdit[] = [];
  for (const index of gone) {
    const at = dashLine(list, index, text);
    if (at === undefined) return undefined;
    edits.push({ at, until: lineEndAfter(endOf(list.items[index]), text), text: "" });
  }
  if (gone.size < list.items.length || isFilled) return edits;
  const colon = text.indexOf(":", endOf(pair.key));
  return colon < 0 ? undefined : [{ at: colon + 1, until: colon + 1, text: " []" }, ...edits];
}

/** The start of the line in which the dash of an item stands; undefined where something else stands before it. */
function dashLine(list: YAMLSeq, index: number, text: string): number | undefined {
  const first = startOf(list);
  const margin = first - (text.lastIndexOf("\n", first - 1) + 1);
  const from = index === 0 ? first - margin : endOf(list.items[index - 1]);
  const between = text.slice(from, startOf(list.items[index]));
  const dash = [...between.matchAll(/^ *-(?=\s|$)/gmu)].findLast(([found]) => found.length === margin + 1);
  return dash === undefined ? undefined : from + dash.index;
}

function lineEndAfter(end: number, text: string): number {
  if (text[end - 1] === "\n") return end;
  const lineFeed = text.indexOf("\n", end);
  return lineFeed < 0 ? text.length : lineFeed + 1;
}

/** Each item with the comma behind it. Where the last items of a line go, the comma before them goes instead. */
function flowRemovals(list: YAMLSeq, gone: ReadonlySet<number>, { text }: SourceText): readonly TextEdit[] {
  const { items } = list;
  const [listStart, listEnd] = [startOf(list), endOf(list)];
  const lastKept = items.findLastIndex((_, index) => !gone.has(index));
  if (lastKept < 0 && !/[\n#]/u.test(text.slice(listStart, listEnd))) {
    return [{ at: listStart, until: listEnd, text: "[]" }];
  }
  const [keptEnd, lastEnd] = [lastKept < 0 ? listStart : endOf(items[lastKept]), endOf(items.at(-1))];
  const isTailOnOneLine = !/[\n#]/u.test(text.slice(keptEnd, lastEnd));
  const single = [...gone].filter((index) => index < lastKept || !isTailOnOneLine || lastKept < 0);
  const edits = single.map((index) => flowRemoval(startOf(items[index]), endOf(items[index]), text));
  return single.length === gone.size ? edits : [...edits, { at: keptEnd, until: lastEnd, text: "" }];
}

/** An item, the comma behind it and the spaces behind that; the whole line where nothing else is on it. */
function flowRemoval(at: number, end: number, text: string): TextEdit {
  const comma = /^[^\S\n]*,[^\S\n]*/u.exec(text.slice(end, lineEndAfter(end, text)))?.[0] ?? "";
  const until = end + comma.length;
  const lineStart = text.lastIndexOf("\n", at - 1) + 1;
  const isAlone =
    /^\s*$/u.test(text.slice(lineStart, at)) && /^\s*$/u.test(text.slice(until, lineEndAfter(until, text)));
  return isAlone ? { at: lineStart, until: lineEndAfter(until, text), text: "" } : { at, until, text: "" };
}

/** An empty list becomes one with an item on each line. */
function appendToPair(
  pair: Pair<unknown, unknown>,
  entries: readonly EntryFields[],
  source: SourceText,
): TextEdit | undefined {
  const { value } = pair;
  const { text } = source;
  if (!isSeq(value) || value.flow !== true || value.items.length > 0 || !isScalar(pair.key)) {
    return appendEdit(pair, entries, source);
  }
  const end = endOf(value);
  const isBare = text.slice(startOf(value), end) === "[]" && /^\s*$/u.test(text.slice(end, lineEndAfter(end, text)));
  if (!isBare) return appendEdit(pair, entries, source);
  const lineBreak = lineBreakBefore(text.lastIndexOf("\n") + 1, text);
  const lines = itemsLines(entries, "  ").map((line) => `${lineBreak}${line}`);
  const start = text.slice(0, startOf(value)).trimEnd().length;
  return { at: start, until: end, text: lines.join("") };
}
