import type { TreeNode } from "./branch.ts";

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

export function foldText(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

function haystackOf({ title, beside, words }: TreeNode): string {
  const texts = title.map((piece) => (typeof piece === "string" ? piece : piece.text));
  return foldText([texts.join(""), beside ?? "", ...words].join("\n"));
}
