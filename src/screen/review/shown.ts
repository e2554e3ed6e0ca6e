import { foldText, type Tree } from "./tree.ts";

/** Of each node, whether a filter leaves it. */
export type Matches = readonly boolean[];

/**
 * Each node that holds every word of the filter, itself or together with those above it, with all that belongs to it and
 * with those above it. `within`: what a filter has left that this one goes on from.
 */
export function filterMatches({ nodes }: Tree, filter: string, within?: Matches): Matches {
  const words = filterWords(filter);
  const matches = new Array<boolean>(nodes.length).fill(false);
  const missing = new Map<number, readonly string[]>();
  let until = 0;
  for (const [index, { haystack, parent, end }] of nodes.entries()) {
    if (index < until) continue;
    const asked = parent === undefined ? words : (missing.get(parent) ?? words);
    const left = asked.filter((word) => !haystack.includes(word));
    if (left.length > 0) missing.set(index, left);
    else {
      matches.fill(true, index, end);
      for (let at = parent; at !== undefined && matches[at] !== true; at = nodes[at]?.parent) matches[at] = true;
    }
    if (left.length === 0 || within?.[index] === false) until = end;
  }
  return matches;
}

/** The words of a filter, as they are compared. */
export function filterWords(filter: string): readonly string[] {
  return foldText(filter)
    .split(/\s+/u)
    .filter((word) => word !== "");
}

/** The nodes that have a row, in order: all but those below a folded one and those that the filter leaves out. */
export function visibleNodes(
  { nodes }: Tree,
  { folded, matches }: { readonly folded: ReadonlySet<number>; readonly matches: Matches | undefined },
): readonly number[] {
  const shown: number[] = [];
  for (let index = 0; index < nodes.length; ) {
    const isShown = matches === undefined || matches[index] === true;
    if (isShown) shown.push(index);
    index = isShown && !folded.has(index) ? index + 1 : (nodes[index]?.end ?? nodes.length);
  }
  return shown;
}
