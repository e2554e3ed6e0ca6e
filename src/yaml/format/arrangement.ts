import { byCodeUnit } from "../../model/role-set.ts";
import type { LayoutEntry, LayoutList, LayoutMap, LayoutNode, LayoutTree } from "./laid-out.ts";

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
export function applyFormatRules(document: LayoutTree, arrangement: FormatRules): LayoutTree {
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
  // An empty line between the heading and whoever was first below it is nobody's.
  const [first, ...rest] = group
    .map((entry, at) => ({ ...entry, heading: [], isApart: entry.isApart && at > 0 }))
    .toSorted((a, b) => byCodeUnit(sortedBy(a) ?? "", sortedBy(b) ?? ""));
  return first === undefined ? [] : [{ ...first, heading }, ...rest];
}
