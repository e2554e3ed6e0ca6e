import { foldText, type Tree } from "./tree.ts";

/** The nodes that a filter leaves. */
export type Matches = ReadonlySet<number>;

/**
 * Each node that holds every word of the filter, itself or together with those above it, with all that belongs to it and
 * with those above it.
 */
export function matchesOf({ nodes }: Tree, filter: string): Matches {
  const words = foldText(filter)
    .split(/\s+/u)
    .filter((word) => word !== "");
  const matches = new Set<number>();
  const missing: (readonly string[])[] = [];
  let coveredUntil = 0;
  for (const [index, { haystack, parent, end }] of nodes.entries()) {
    const asked = parent === undefined ? words : (missing[parent] ?? words);
    const left = asked.filter((word) => !haystack.includes(word));
    missing.push(left);
    if (index >= coveredUntil && left.length > 0) continue;
    coveredUntil = Math.max(coveredUntil, end);
    for (let at: number | undefined = index; at !== undefined && !matches.has(at); at = nodes[at]?.parent) {
      matches.add(at);
    }
  }
  return matches;
}

/** The nodes that have a row, in order: all but those below a folded one and those that the filter leaves out. */
export function shownNodes(
  { nodes }: Tree,
  { folded, matches }: { readonly folded: ReadonlySet<number>; readonly matches: Matches | undefined },
): readonly number[] {
  const shown: number[] = [];
  for (let index = 0; index < nodes.length; ) {
    const isShown = matches === undefined || matches.has(index);
    if (isShown) shown.push(index);
    index = isShown && !folded.has(index) ? index + 1 : (nodes[index]?.end ?? nodes.length);
  }
  return shown;
}
