import { type Diagnostic, problem, type Result, success } from "../model/result.ts";
import { byCodeUnit } from "../model/role-set.ts";
import { encodeLike } from "./edit.ts";
import {
  type LayoutEntry,
  type LayoutList,
  type LayoutMap,
  type LayoutNode,
  type LayoutTree,
  parseLayout,
} from "./layout.ts";
import { readYaml } from "./read.ts";
import { decodeText, type MapNode, type Node } from "./source-text.ts";
import { indentLines } from "./write.ts";

/**
 * A file in the one way in which its format is written: the same values and the same comments. A file without a map in it stays
 * as it is; errors say why it cannot be read, or what `faultsOf` finds wrong with it.
 */
export function formatYaml(
  file: string,
  bytes: Uint8Array,
  arrangement: FormatRules,
  faultsOf: (tree: MapNode) => readonly Diagnostic[] = () => [],
): Result<Uint8Array, readonly Diagnostic[]> {
  const { tree, diagnostics } = readYaml(file, bytes);
  const faults = [...diagnostics, ...(tree === undefined ? [] : faultsOf(tree))];
  if (faults.length > 0) return problem(faults);
  const decoded = decodeText(file, bytes);
  if (tree === undefined || !decoded.ok) return success(bytes);
  const { text } = decoded.source;
  const document = parseLayout(text.replaceAll("\r\n", "\n"));
  if (document === undefined) return success(bytes);
  const lines = printLayout(applyFormatRules(document, arrangement));
  const lineBreak = /^[^\n]*\r\n/u.test(text) ? "\r\n" : "\n";
  const formatted = encodeLike(bytes, `${lines.join(lineBreak)}${lineBreak}`);
  if (lines.join("\n") !== text.trimEnd() && !isEquivalent(tree, readYaml(file, formatted).tree))
    throw new Error(`formatting ${file} would change its content; the file was not changed`);
  return success(formatted);
}

function isEquivalent(before: MapNode, after: MapNode | undefined): boolean {
  return after !== undefined && meaningOf(before) === meaningOf(after);
}

/** What a tree says, whatever the order of its parts. */
function meaningOf(node: Node): string {
  if (node.kind === "scalar") return JSON.stringify([node.type, node.text]);
  if (node.kind === "list") return `[${node.items.map(meaningOf).sort().join()}]`;
  return `{${node.entries
    .map(({ key, value }) => `${meaningOf(key)}:${meaningOf(value)}`)
    .sort()
    .join()}}`;
}

/** In what order the parts of a document of one format stand, and how they take their lines. */
export interface FormatRules {
  /** The keys of a map in their order; keys that are not named follow as they stand. */
  readonly keys?: readonly string[];
  /** What the entries are sorted by, in the order of code units; where it is unknown of one of them, none moves. */
  readonly sortedBy?: (entry: LayoutEntry) => string | undefined;
  /** How the value under a key is arranged. */
  readonly under?: Readonly<Record<string, FormatRules>>;
  /** How each item of a list, or each value of a map, is arranged. */
  readonly each?: FormatRules;
  /** Each entry on a line of its own, also where there was room for all in one. */
  readonly oneEach?: true;
  /** An empty line around entries that take several lines. */
  readonly spaced?: true;
}

/** The same document with everything in its order. Each comment stays with what it is about. */
function applyFormatRules(document: LayoutTree, arrangement: FormatRules): LayoutTree {
  const root = formatNode(document.root, arrangement);
  return root.kind === "map" ? { ...document, root } : document;
}

function formatNode(laid: LayoutNode, arrangement: FormatRules): LayoutNode {
  if (laid.kind === "scalar") return laid;
  const entries = laid.entries.map((entry) => {
    const inner = rulesBelow(entry, arrangement);
    return inner === undefined ? entry : { ...entry, value: formatNode(entry.value, inner) };
  });
  const { oneEach, spaced } = arrangement;
  const flow = laid.flow && (oneEach !== true || entries.length === 0);
  return {
    ...laid,
    flow,
    ...(spaced === true ? { spaced } : {}),
    entries: sortEntries({ ...laid, entries }, arrangement),
  };
}

function rulesBelow({ key }: LayoutEntry, { under, each }: FormatRules): FormatRules | undefined {
  if (key === undefined || under === undefined) return each;
  return Object.hasOwn(under, key.text) ? under[key.text] : each;
}

function sortEntries({ entries }: LayoutList | LayoutMap, { keys, sortedBy }: FormatRules): readonly LayoutEntry[] {
  if (keys !== undefined) {
    const rank = ({ key }: LayoutEntry) =>
      keys.includes(key?.text ?? "") ? keys.indexOf(key?.text ?? "") : keys.length;
    return entries.toSorted((a, b) => rank(a) - rank(b));
  }
  if (sortedBy === undefined || entries.some((entry) => sortedBy(entry) === undefined)) return entries;
  const isSpacious = entries.length > 2 && entries.slice(1).every(({ isApart }) => isApart);
  const sorted = groupByHeading(entries).flatMap((group) => sortGroup(group, sortedBy));
  return isSpacious ? sorted.map((entry) => ({ ...entry, isApart: true })) : sorted;
}

/** A comment that stands apart is a heading, which nothing crosses. */
function groupByHeading(entries: readonly LayoutEntry[]): readonly (readonly LayoutEntry[])[] {
  const groups: LayoutEntry[][] = [];
  for (const entry of entries) {
    const last = groups.at(-1);
    if (last === undefined || entry.heading.length > 0) groups.push([entry]);
    else last.push(entry);
  }
  return groups;
}

function sortGroup(
  group: readonly LayoutEntry[],
  sortedBy: (entry: LayoutEntry) => string | undefined,
): readonly LayoutEntry[] {
  const heading = group[0]?.heading ?? [];
  // The empty line between the heading and the first entry belongs to no entry.
  const [first, ...rest] = group
    .map((entry, at) => ({ ...entry, heading: [], isApart: entry.isApart && at > 0 }))
    .toSorted((a, b) => byCodeUnit(sortedBy(a) ?? "", sortedBy(b) ?? ""));
  return first === undefined ? [] : [{ ...first, heading }, ...rest];
}

const maxWidth = 120;

/** The lines of a document, in one way of writing: two spaces a level, in one line what was in one and has room there. */
function printLayout({ head, isHeadApart, root, foot }: LayoutTree): readonly string[] {
  const lines = [...head, ...(isHeadApart ? [""] : []), ...entryLines(root, maxWidth)];
  return [...lines, ...(foot.length > 0 && foot[0] !== "" && lines.length === 0 ? [] : foot)];
}

/** What is printed of one entry: the comments above it, and its own lines. */
interface PrintedEntry {
  readonly above: readonly string[];
  readonly own: readonly string[];
}

function entryLines(collection: LayoutList | LayoutMap, room: number): readonly string[] {
  const lines: string[] = [];
  let isAfterLong = false;
  for (const entry of collection.entries) {
    const { above, own } = collection.kind === "map" ? printPair(entry, room) : printItem(entry, room);
    const isLong = own.length > 1;
    const isAround = collection.spaced === true && (isLong || (isAfterLong && collection.kind === "map"));
    const heading = entry.heading[0] === "" ? entry.heading.slice(1) : entry.heading;
    const isApart = entry.isApart || isAround;
    if (lines.length > 0 && (heading.length > 0 || isApart)) lines.push("");
    if (heading.length > 0) lines.push(...heading, "");
    lines.push(...above, ...own);
    isAfterLong = isLong;
  }
  return [...lines, ...collection.foot];
}

function printPair({ key, value, above, beside, below }: LayoutEntry, room: number): PrintedEntry {
  const name = key?.written[0] ?? "";
  const told = splitTrailing(beside);
  const short = oneLine(value);
  const first = `${name}: ${short ?? ""}`.trimEnd();
  if (short !== undefined && (value.kind === "scalar" || isEmpty(value) || first.length <= room)) {
    return { above: [...above, ...told.others], own: [withComment(first, told.last), ...indentLines(below)] };
  }
  const [head, rest] = blockLines(value, room);
  const lines = [
    withComment(`${name}:${head === "" ? "" : ` ${head}`}`, told.last),
    ...indentLines(rest),
    ...indentLines(below),
  ];
  return { above: [...above, ...told.others], own: lines };
}

/** What stands behind the colon of a value that takes several lines, and those lines. */
function blockLines(value: LayoutNode, room: number): readonly [head: string, rest: readonly string[]] {
  if (value.kind !== "scalar") return ["", entryLines(value, room - 2)];
  const [head, ...rest] = value.written;
  return [head, rest];
}

function printItem({ value, above, beside, below }: LayoutEntry, room: number): PrintedEntry {
  const told = splitTrailing(beside);
  const short = oneLine(value);
  const isShort = short !== undefined && (value.kind === "scalar" || isEmpty(value) || short.length + 2 <= room);
  if (isShort || value.kind === "scalar") {
    const [first, rest] = isShort ? [short ?? "", []] : blockLines(value, room);
    const line = withComment(`- ${first}`.trimEnd(), told.last);
    return { above: [...above, ...told.others], own: [line, ...indentLines(rest), ...indentLines(below)] };
  }
  const { lifted, rest } = withoutLeadingComments(value);
  const [first = "", ...others] = entryLines(rest, room - 2);
  return {
    above: [...above, ...beside, ...lifted],
    own: [`- ${first}`, ...indentLines(others), ...indentLines(below)],
  };
}

/** The line with the dash has no room for comments above what it begins with: they go above the dash. */
function withoutLeadingComments(value: LayoutList | LayoutMap): {
  readonly lifted: readonly string[];
  readonly rest: LayoutList | LayoutMap;
} {
  const [first, ...others] = value.entries;
  if (first === undefined) return { lifted: [], rest: value };
  const inner =
    value.kind === "list" && first.value.kind !== "scalar" ? withoutLeadingComments(first.value) : undefined;
  const bare: LayoutEntry = { ...first, heading: [], above: [], ...(inner === undefined ? {} : { value: inner.rest }) };
  const lifted = [...first.heading.filter((line) => line !== ""), ...first.above, ...(inner?.lifted ?? [])];
  return { lifted, rest: { ...value, entries: [bare, ...others] } };
}

/** The value within one line; nothing where it was not in one, or comments or blocks of text stand in it. */
function oneLine(value: LayoutNode): string | undefined {
  if (value.kind === "scalar") return value.written.length === 1 ? value.written[0] : undefined;
  if (!value.flow || value.foot.length > 0) return undefined;
  const parts = value.entries.map(entryOnOneLine);
  if (!parts.every((part) => part !== undefined)) return undefined;
  if (value.kind === "list") return `[${parts.join(", ")}]`;
  return parts.length === 0 ? "{}" : `{ ${parts.join(", ")} }`;
}

function entryOnOneLine({ key, value, above, beside, below, heading }: LayoutEntry): string | undefined {
  const short = oneLine(value);
  if (short === undefined || above.length + beside.length + below.length + heading.length > 0) return undefined;
  return key === undefined ? short : `${key.written[0]}: ${short}`.trimEnd();
}

function isEmpty(value: LayoutNode): boolean {
  return value.kind !== "scalar" && value.entries.length === 0;
}

/** One comment has room at the end of a line; what else stood there goes above it. */
function splitTrailing(beside: readonly string[]): {
  readonly others: readonly string[];
  readonly last: string | undefined;
} {
  return { others: beside.slice(0, -1), last: beside.at(-1) };
}

function withComment(line: string, remark: string | undefined): string {
  return remark === undefined ? line : `${line} ${remark}`;
}
