import { CST, Parser } from "yaml";
import { type CommentCollector, collectComments, columnOf, type LeadingComments } from "./comments.ts";
import { writeScalar } from "./write.ts";

/** How a text is laid out that `readYaml` can read as a map; its lines end with line feeds. */
export function parseLayout(text: string): LayoutTree | undefined {
  const seen: LayoutContext = { text, remarks: collectComments(text), stray: [] };
  const marks: string[] = [];
  const whole: CommentTarget = { column: -1, above: marks, beside: seen.stray, below: [] };
  let root: LayoutNode | undefined;
  for (const token of new Parser().parse(text)) {
    if (token.type === "document") {
      noteStart(token.start, marks, seen);
      root = layoutNode(token.value, whole, seen);
      seen.remarks.note(token.end, seen.stray);
    } else if (isBetween(token)) seen.remarks.note([token], seen.stray);
    else if (token.type === "doc-end") noteEnd(token, seen);
  }
  const { heading, isApart, above } = seen.remarks.leadTo(0);
  if (root?.kind !== "map") return undefined;
  const end = [...heading, ...(isApart && above.length > 0 ? [""] : []), ...above];
  return withHead({ ...root, flow: false }, marks, [...whole.below, ...end, ...seen.stray]);
}

interface LayoutContext {
  readonly text: string;
  readonly remarks: CommentCollector;
  /** Comments in the line of a mark of the document's start or end. */
  readonly stray: string[];
}

/** What a value belongs to. */
interface CommentTarget {
  /** How far in it stands. */
  readonly column: number;
  readonly above: string[];
  readonly beside: string[];
  readonly below: string[];
}

interface OpenEntry extends CommentTarget, Omit<LayoutEntry, "value" | "key" | "above" | "beside" | "below"> {}

/** Comments above the mark of a document's start stay above it. */
function noteStart(start: readonly CST.SourceToken[], marks: string[], { remarks, stray }: LayoutContext): void {
  const mark = start.findIndex(({ type }) => type === "doc-start");
  remarks.note(start.slice(0, mark + 1), stray);
  if (mark >= 0) marks.push(...remarks.take(), "---");
  remarks.note(start.slice(mark + 1), stray);
  marks.push(...stray.splice(0));
}

function noteEnd({ source, end }: CST.DocumentEnd, { remarks, stray }: LayoutContext): void {
  remarks.pass(source);
  remarks.note(end, stray);
}

/** What is about the whole file: comments apart from the first key, and a line for editors with what stands around it. */
function withHead(root: LayoutMap, marks: readonly string[], foot: readonly string[]): LayoutTree {
  const [first, ...rest] = root.entries;
  if (first === undefined) return { head: marks, isHeadApart: false, root, foot };
  const heading = first.heading[0] === "" ? first.heading.slice(1) : first.heading;
  const isForEditors = first.above.some((line) => /^#\s*yaml-language-server:/u.test(line));
  const joined = isForEditors && heading.length > 0 ? [...heading, ""] : heading;
  const entry = { ...first, heading: [], isApart: heading.length > 0, above: isForEditors ? [] : first.above };
  return {
    head: [...marks, ...joined, ...(isForEditors ? first.above : [])],
    isHeadApart: !isForEditors && first.isApart && heading.length > 0,
    root: { ...root, entries: [entry, ...rest] },
    foot,
  };
}

function layoutNode(token: CST.Token | null | undefined, owner: CommentTarget, walk: LayoutContext): LayoutNode {
  switch (token?.type) {
    case "block-map":
      return blockMap(token, owner, walk);
    case "block-seq":
      return blockList(token, owner, walk);
    case "flow-collection":
      owner.above.push(...walk.remarks.take());
      return flowCollection(token, owner, walk);
    default:
      return scalarNode(token, owner, walk);
  }
}

function scalarNode(token: CST.Token | null | undefined, owner: CommentTarget, { remarks }: LayoutContext): LayoutNode {
  if (token === null || token === undefined) return layoutScalar(undefined);
  owner.above.push(...remarks.take());
  if (token.type === "block-scalar") remarks.note(token.props.filter(isBetween), owner.beside);
  if ("source" in token) remarks.pass(token.source);
  if ("end" in token && Array.isArray(token.end)) remarks.note(token.end, owner.beside);
  return layoutScalar(token);
}

function isBetween(token: CST.Token): token is CST.SourceToken {
  return token.type === "comment" || token.type === "space" || token.type === "newline";
}

function openEntry({ heading, isApart, above }: LeadingComments, column: number): OpenEntry {
  return { heading, isApart, above, beside: [], below: [], column };
}

/** The value of an entry that has lines of its own: comments below it that are further in than the entry are about it. */
function blockValue(token: CST.Token | null | undefined, entry: OpenEntry, walk: LayoutContext): LayoutNode {
  const value = layoutNode(token, entry, walk);
  const isBlock = token?.type === "block-map" || token?.type === "block-seq";
  if (!isBlock) walk.remarks.close({ column: entry.column + 1, foot: entry.below });
  return value;
}

function blockMap({ items }: CST.BlockMap, owner: CommentTarget, walk: LayoutContext): LayoutNode {
  const entries: LayoutEntry[] = [];
  let around: CommentTarget = owner;
  let column = owner.column + 1;
  for (const { start, key, sep, value } of items) {
    walk.remarks.note(start, around.beside);
    const first = key ?? sep?.[0];
    if (first === undefined || first === null) continue;
    column = columnOf(first.offset, walk.text);
    const entry = openEntry(walk.remarks.leadTo(column), column);
    around = entry;
    const name = layoutScalar(key ?? undefined);
    skipKey(key, entry, walk);
    walk.remarks.note(sep, entry.beside);
    entries.push({ ...entry, key: name, value: blockValue(value, entry, walk) });
  }
  const foot: string[] = [];
  walk.remarks.close({ column, foot });
  return { kind: "map", flow: false, entries, foot };
}

function skipKey(key: CST.Token | null | undefined, entry: OpenEntry, { remarks }: LayoutContext): void {
  if (key !== null && key !== undefined && "source" in key) remarks.pass(key.source);
  if (key !== null && key !== undefined && "end" in key && Array.isArray(key.end)) remarks.note(key.end, entry.beside);
}

function blockList({ items }: CST.BlockSequence, owner: CommentTarget, walk: LayoutContext): LayoutNode {
  const entries: LayoutEntry[] = [];
  let around: CommentTarget = owner;
  let column = owner.column;
  for (const { start, value } of items) {
    const dash = start.findIndex(({ type }) => type === "seq-item-ind");
    walk.remarks.note(dash < 0 ? start : start.slice(0, dash), around.beside);
    const mark = start[dash];
    if (mark === undefined) continue;
    column = columnOf(mark.offset, walk.text);
    const entry = openEntry(walk.remarks.leadTo(column), column);
    around = entry;
    walk.remarks.note(start.slice(dash), entry.beside);
    entries.push({ ...entry, value: blockValue(value, entry, walk) });
  }
  const foot: string[] = [];
  walk.remarks.close({ column, foot });
  return { kind: "list", flow: false, entries, foot };
}

function flowCollection(
  { start, items, end }: CST.FlowCollection,
  owner: CommentTarget,
  walk: LayoutContext,
): LayoutNode {
  const kind = start.type === "flow-map-start" ? "map" : "list";
  const entries: LayoutEntry[] = [];
  walk.remarks.note([start], owner.beside);
  let around: CommentTarget = owner;
  for (const item of items) {
    walk.remarks.note(item.start, around.beside);
    if ((item.key ?? item.value ?? undefined) === undefined && !isPair(item)) continue;
    const entry = openEntry({ heading: [], isApart: false, above: [...walk.remarks.take()] }, owner.column);
    around = entry;
    entries.push(flowEntry(item, { kind, entry }, walk));
  }
  const inside = walk.remarks.take();
  walk.remarks.note(end.slice(0, 1), owner.beside);
  const foot = [...inside, ...walk.remarks.take()];
  walk.remarks.note(end.slice(1), owner.beside);
  if (entries.length > 0) return { kind, flow: true, entries, foot };
  owner.below.push(...foot);
  return { kind, flow: true, entries, foot: [] };
}

function isPair({ start, sep }: CST.CollectionItem): boolean {
  const isMark = ({ type }: CST.SourceToken) => type === "map-value-ind" || type === "explicit-key-ind";
  return start.some(isMark) || (sep ?? []).some(isMark);
}

/** In a list, a pair without braces is a map of its own. */
function flowEntry(
  item: CST.CollectionItem,
  { kind, entry }: { readonly kind: "map" | "list"; readonly entry: OpenEntry },
  walk: LayoutContext,
): LayoutEntry {
  if (kind === "list" && !isPair(item)) {
    const value = layoutNode(item.key ?? item.value, entry, walk);
    walk.remarks.note(item.sep, entry.beside);
    return { ...entry, value };
  }
  skipKey(item.key, entry, walk);
  walk.remarks.note(item.sep, entry.beside);
  const pair = { key: layoutScalar(item.key ?? undefined), value: layoutNode(item.value, entry, walk) };
  if (kind === "map") return { ...entry, ...pair };
  const bare = { heading: [], isApart: false, above: [], beside: [], below: [] };
  return { ...entry, value: { kind: "map", flow: true, entries: [{ ...bare, ...pair }], foot: [] } };
}

/** A scalar as it is to be written: bare where it is bare or need not be quoted, a block of text as the block that it is. */
function layoutScalar(token: CST.Token | undefined): LayoutScalar {
  const resolved = token === undefined ? null : CST.resolveAsScalar(token, false, () => undefined);
  if (token === undefined || resolved === null) return { kind: "scalar", text: "", written: [""] };
  const text = resolved.value;
  if (token.type === "block-scalar")
    return { kind: "scalar", text, written: blockScalarLines(token) ?? [writeScalar(text)] };
  return { kind: "scalar", text, written: [scalarText(token, text)] };
}

function scalarText(token: CST.Token, text: string): string {
  const source = "source" in token ? token.source : "";
  const written = writeScalar(text);
  if (source.includes("\n")) return written;
  return token.type === "scalar" || /["\\]/u.test(text) || (written !== text && written.includes("\\"))
    ? source
    : written;
}

/** A block of text with its lines as far in as they can be. Nothing where its end or its own indentation says something. */
function blockScalarLines({ props, source }: CST.BlockScalar): readonly [string, ...string[]] | undefined {
  const header = props.find(({ type }) => type === "block-scalar-header");
  const mark = header !== undefined && "source" in header ? header.source : "";
  const lines = source.trimEnd().split("\n");
  if (!/^[|>]-?$/u.test(mark) || source.trim() === "") return undefined;
  const [first = ""] = lines;
  const margin = first.length - first.trimStart().length;
  const isPlain = lines.every((line) => line.trim() === "" || line.slice(0, margin).trim() === "");
  return isPlain && first.trim() !== "" ? [mark, ...lines.map((line) => line.slice(margin))] : undefined;
}

/** A document as it is laid out for people: its values as they are written, and every comment at what it is about. */
export interface LayoutTree {
  /** Comments, and perhaps the mark of its start, above everything; an empty text is an empty line. */
  readonly head: readonly string[];
  /** Whether an empty line follows the head. */
  readonly isHeadApart: boolean;
  readonly root: LayoutMap;
  /** Comments below everything. */
  readonly foot: readonly string[];
}

export type LayoutNode = LayoutScalar | LayoutList | LayoutMap;

interface LayoutScalar {
  readonly kind: "scalar";
  /** What it says. */
  readonly text: string;
  /** How it is written: its first line, and the further ones of a block of text, as far in as their key. */
  readonly written: readonly [string, ...string[]];
}

interface LayoutCollection {
  /** Within brackets or braces. */
  readonly flow: boolean;
  readonly entries: readonly LayoutEntry[];
  /** Comments below its last entry, as far in as its entries. */
  readonly foot: readonly string[];
  /** An empty line before, and in a map after, each entry that takes several lines. */
  readonly spaced?: true;
}

export interface LayoutList extends LayoutCollection {
  readonly kind: "list";
}

export interface LayoutMap extends LayoutCollection {
  readonly kind: "map";
}

/** An item of a list, or a key of a map with its value; and the comments about it. */
export interface LayoutEntry {
  readonly key?: LayoutScalar;
  readonly value: LayoutNode;
  /** Comments above it and apart from it, by an empty line. */
  readonly heading: readonly string[];
  /** Whether an empty line is before it, and before the comments directly above it. */
  readonly isApart: boolean;
  /** Comments directly above it. */
  readonly above: readonly string[];
  /** Comments at the end of its first line, or of its only one. */
  readonly beside: readonly string[];
  /** Comments below it, further in than itself. */
  readonly below: readonly string[];
}

/** What a map says under a key, where that is a scalar; of a scalar by itself, what it says. */
export function layoutTextAt(laid: LayoutNode, key: string): string | undefined {
  if (laid.kind !== "map") return undefined;
  const value = laid.entries.find((entry) => entry.key?.text === key)?.value;
  return value?.kind === "scalar" ? value.text : undefined;
}
