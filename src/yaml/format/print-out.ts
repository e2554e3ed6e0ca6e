import type { LayoutEntry, LayoutList, LayoutMap, LayoutNode, LayoutTree } from "./laid-out.ts";

const maxWidth = 120;

/** The lines of a document, in one way of writing: two spaces a level, in one line what was in one and has room there. */
export function printLayout({ head, isHeadApart, root, foot }: LayoutTree): readonly string[] {
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
    return { above: [...above, ...told.others], own: [withComment(first, told.last), ...indented(below)] };
  }
  const [head, rest] = blockLines(value, room);
  const lines = [
    withComment(`${name}:${head === "" ? "" : ` ${head}`}`, told.last),
    ...indented(rest),
    ...indented(below),
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
    return { above: [...above, ...told.others], own: [line, ...indented(rest), ...indented(below)] };
  }
  const { lifted, rest } = withoutLeadingComments(value);
  const [first = "", ...others] = entryLines(rest, room - 2);
  return { above: [...above, ...beside, ...lifted], own: [`- ${first}`, ...indented(others), ...indented(below)] };
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

function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => (line === "" ? line : `  ${line}`));
}
