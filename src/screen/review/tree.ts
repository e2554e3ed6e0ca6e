import type { Action } from "../../model/action.ts";
import type { FoldedAddress } from "../../model/address.ts";
import type { Finding } from "../../model/finding.ts";
import type { Line, Piece } from "../../report/text/lines.ts";

/** A tree in the order in which its rows are shown, each before what belongs to it. */
export interface Tree {
  readonly nodes: readonly TreeRow[];
}

export interface TreeRow {
  readonly branch: TreeNode;
  readonly depth: number;
  readonly parent: number | undefined;
  /** The index after the last node that belongs to it. */
  readonly end: number;
  /** What a filter compares with, folded. */
  readonly haystack: string;
}

export function buildTree(branches: readonly TreeNode[]): Tree {
  const nodes: TreeRow[] = [];
  function grow(branch: TreeNode, depth: number, parent: number | undefined): number {
    const index = nodes.length;
    const node = { branch, depth, parent, end: index + 1, haystack: haystackOf(branch) };
    nodes.push(node);
    for (const child of branch.children) grow(child, depth + 1, index);
    if (nodes.length > index + 1) nodes[index] = { ...node, end: nodes.length };
    return index;
  }
  for (const branch of branches) grow(branch, 0, undefined);
  return { nodes };
}

/** Whether something belongs to the node, so that it can be folded. */
export function hasChildren({ nodes }: Tree, index: number): boolean {
  return (nodes[index]?.end ?? 0) > index + 1;
}

function foldText(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

function haystackOf({ title, beside, words }: TreeNode): string {
  const texts = title.map((piece) => (typeof piece === "string" ? piece : piece.text));
  return foldText([texts.join(""), beside ?? "", ...words].join("\n"));
}

/** One thing of a plan as the review shows it, with what belongs to it. */
export interface TreeNode {
  readonly title: readonly Piece[];
  /** What stands at the right, such as a place in the YAML. */
  readonly beside?: string;
  /** What is told when it is opened. */
  readonly about: NodeContent;
  /** A privileged role is at stake, or it blocks. */
  readonly matters?: true;
  /** Folded until somebody unfolds it: `at-first` for want of room, so that a filter unfolds it. */
  readonly closed?: "always" | "at-first";
  /** What a filter looks at beside the title, such as the kinds of the calls. */
  readonly words: readonly string[];
  readonly children: readonly TreeNode[];
}

/** Calls, in the order in which they run, a finding, or what is told as it is; the calls may be none. */
type NodeContent =
  /** `person`: whose part of the calls it is about, where it is about one. */
  | { readonly is: "actions"; readonly actions: readonly Action[]; readonly person?: FoldedAddress }
  | { readonly is: "finding"; readonly finding: Finding }
  | { readonly is: "told"; readonly lines: readonly Line[] };

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
