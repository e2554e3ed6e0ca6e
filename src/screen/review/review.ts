import { dividerColumns, type Size } from "../rows.ts";
import { planNodes, type ReviewInput } from "./branches.ts";
import {
  buildTree,
  filterMatches,
  filterWords,
  hasChildren,
  type Matches,
  type Tree,
  type TreeNode,
  type TreeRow,
  visibleNodes,
} from "./tree.ts";

/** The review of a plan at one moment: what is shown follows from it, and each key makes another one of it. */
export interface Review {
  readonly about: ReviewInput;
  readonly tree: Tree;
  /** People and keys with a privileged role at stake. */
  readonly privileged: readonly TreeNode[];
  readonly size: Size;
  readonly filter: string;
  readonly matches: Matches | undefined;
  readonly folded: ReadonlySet<number>;
  /** What is to be folded again once the filter is gone. */
  readonly foldedBefore: ReadonlySet<number> | undefined;
  /** Nodes that have a row, in order. */
  readonly shown: readonly number[];
  /** The selected one, as its place among those. */
  readonly at: number;
  /** The first one on the screen. */
  readonly top: number;
  readonly layer: Layer;
  /** What the last key came to, where that does not show otherwise. */
  readonly notice?: string;
  readonly answer?: "approved" | "declined";
}

/** What the keys are for. */
type Layer =
  | { readonly is: "tree" }
  | { readonly is: "filter" }
  | { readonly is: "details"; readonly scroll: number }
  | { readonly is: "help"; readonly scroll: number }
  | { readonly is: "confirm"; readonly typed: string };

export function beginReview(about: ReviewInput, size: Size): Review {
  const tree = buildTree(planNodes(about));
  const folded = closedNodes(tree, ["always", "at-first"]);
  const shown = visibleNodes(tree, { folded, matches: undefined });
  const unfiltered = { filter: "", matches: undefined, foldedBefore: undefined };
  const privileged = tree.nodes.flatMap(({ branch }) =>
    branch.matters === true && branch.about.is === "actions" ? [branch] : [],
  );
  return { about, tree, privileged, size, ...unfiltered, folded, shown, at: 0, top: 0, layer: { is: "tree" } };
}

function closedNodes(tree: Tree, kinds: readonly TreeNode["closed"][]): ReadonlySet<number> {
  const closed = (index: number) => kinds.includes(tree.nodes[index]?.branch.closed) && hasChildren(tree, index);
  return new Set([...tree.nodes.keys()].filter(closed));
}

/** The index of the selected node; undefined where a filter leaves none. */
export function selectedIndex({ shown, at }: Review): number | undefined {
  return shown[at];
}

export function selectedNode(review: Review): TreeRow | undefined {
  const index = selectedIndex(review);
  return index === undefined ? undefined : review.tree.nodes[index];
}

/** Rows between the head and the foot of the screen. */
export function bodyRows({ rows }: Size): number {
  return Math.max(1, rows - 4);
}

/** Columns of the tree, and of what is told of the selected node beside it where there is room for both. */
export function paneColumns({ columns }: Size): { readonly tree: number; readonly details: number | undefined } {
  if (columns < 130) return { tree: columns, details: undefined };
  const tree = Math.floor(columns * 0.52);
  return { tree, details: columns - tree - dividerColumns };
}

/** With the row at this place selected, and on the screen. */
export function select(review: Review, place: number): Review {
  const at = Math.max(0, Math.min(place, review.shown.length - 1));
  const rows = bodyRows(review.size);
  const last = Math.max(0, review.shown.length - rows);
  const top = Math.min(last, Math.max(at - rows + 1, Math.min(review.top, at)));
  return { ...review, at, top };
}

/** With these nodes folded. Whoever was selected stays selected, or else whoever is nearest above. */
export function fold(review: Review, folded: ReadonlySet<number>): Review {
  return showAgain({ ...review, folded }, selectedIndex(review));
}

/** With this filter: while there is one, what it leaves is unfolded, and the first that it is about is selected. */
export function filterBy(review: Review, filter: string): Review {
  const { tree } = review;
  const before = review.foldedBefore ?? review.folded;
  if (filter.trim() === "") {
    const unfiltered = { ...review, filter, matches: undefined, folded: before, foldedBefore: undefined };
    return showAgain(unfiltered, selectedIndex(review));
  }
  const goesOn = review.filter.trim() !== "" && filter.startsWith(review.filter);
  const matches = filterMatches(tree, filter, goesOn ? review.matches : undefined);
  const folded = closedNodes(tree, ["always"]);
  const filtered = { ...review, filter, matches, folded, foldedBefore: before };
  const shown = visibleNodes(tree, filtered);
  const last = filterWords(filter).at(-1) ?? "";
  const first = shown.findIndex((index) => tree.nodes[index]?.haystack.includes(last) === true);
  return select({ ...filtered, shown, top: 0 }, first);
}

/** Selects a node wherever it is, and unfolds what hides it. */
export function reveal(review: Review, index: number): Review {
  const folded = new Set(review.folded);
  const { nodes } = review.tree;
  for (let at = nodes[index]?.parent; at !== undefined; at = nodes[at]?.parent) folded.delete(at);
  return showAgain({ ...review, folded }, index);
}

function showAgain(review: Review, selected: number | undefined): Review {
  const shown = visibleNodes(review.tree, review);
  const found = selected === undefined ? -1 : shown.findLastIndex((index) => index <= selected);
  return select({ ...review, shown }, found);
}
