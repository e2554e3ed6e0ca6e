import { byCodeUnit } from "../../model/role-set.ts";
import type { Laid, LaidDocument, LaidEntry, LaidList, LaidMap } from "./laid-out.ts";

/** In what order the parts of a document of one format stand, and how they take their lines. */
export interface Arrangement {
  /** The keys of a map in their order; keys that are not named follow as they stand. */
  readonly keys?: readonly string[];
  /** What the entries are sorted by, in the order of code units; where it is unknown of one of them, none moves. */
  readonly sortedBy?: (entry: LaidEntry) => string | undefined;
  /** How the value under a key is arranged. */
  readonly under?: Readonly<Record<string, Arrangement>>;
  /** How each item of a list, or each value of a map, is arranged. */
  readonly each?: Arrangement;
  /** Each entry on a line of its own, also where there was room for all in one. */
  readonly oneEach?: true;
  /** An empty line around entries that take several lines. */
  readonly spaced?: true;
}

/** The same document with everything in its order. Each comment stays with what it is about. */
export function arranged(document: LaidDocument, arrangement: Arrangement): LaidDocument {
  const root = arrange(document.root, arrangement);
  return root.kind === "map" ? { ...document, root } : document;
}

function arrange(laid: Laid, arrangement: Arrangement): Laid {
  if (laid.kind === "scalar") return laid;
  const entries = laid.entries.map((entry) => {
    const inner = innerOf(entry, arrangement);
    return inner === undefined ? entry : { ...entry, value: arrange(entry.value, inner) };
  });
  const { oneEach, spaced } = arrangement;
  const flow = laid.flow && (oneEach !== true || entries.length === 0);
  return { ...laid, flow, ...(spaced === true ? { spaced } : {}), entries: inOrder({ ...laid, entries }, arrangement) };
}

function innerOf({ key }: LaidEntry, { under, each }: Arrangement): Arrangement | undefined {
  if (key === undefined || under === undefined) return each;
  return Object.hasOwn(under, key.text) ? under[key.text] : each;
}

function inOrder({ entries }: LaidList | LaidMap, { keys, sortedBy }: Arrangement): readonly LaidEntry[] {
  if (keys !== undefined) {
    const rank = ({ key }: LaidEntry) => (keys.includes(key?.text ?? "") ? keys.indexOf(key?.text ?? "") : keys.length);
    return entries.toSorted((a, b) => rank(a) - rank(b));
  }
  if (sortedBy === undefined || entries.some((entry) => sortedBy(entry) === undefined)) return entries;
  const isSpacious = entries.length > 2 && entries.slice(1).every(({ isApart }) => isApart);
  const sorted = belowHeadings(entries).flatMap((group) => sortedGroup(group, sortedBy));
  return isSpacious ? sorted.map((entry) => ({ ...entry, isApart: true })) : sorted;
}

/** A comment that stands apart is a heading, which nothing crosses. */
function belowHeadings(entries: readonly LaidEntry[]): readonly (readonly LaidEntry[])[] {
  const groups: LaidEntry[][] = [];
  for (const entry of entries) {
    const last = groups.at(-1);
    if (last === undefined || entry.heading.length > 0) groups.push([entry]);
    else last.push(entry);
  }
  return groups;
}

function sortedGroup(
  group: readonly LaidEntry[],
  sortedBy: (entry: LaidEntry) => string | undefined,
): readonly LaidEntry[] {
  const heading = group[0]?.heading ?? [];
  // An empty line between the heading and whoever was first below it is nobody's.
  const [first, ...rest] = group
    .map((entry, at) => ({ ...entry, heading: [], isApart: entry.isApart && at > 0 }))
    .toSorted((a, b) => byCodeUnit(sortedBy(a) ?? "", sortedBy(b) ?? ""));
  return first === undefined ? [] : [{ ...first, heading }, ...rest];
}
