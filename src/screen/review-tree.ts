import type { ActionId } from "../model/action.ts";
import type { Plan } from "../model/plan.ts";
import type { RoleSet } from "../model/role-set.ts";
import type { ReadSummary } from "../model/snapshot.ts";
import { documentOf } from "../report/document/document.ts";
import {
  type Block,
  type Entries,
  type Entry,
  entriesOf,
  type Inline,
  inked,
  paragraph,
  plainText,
  type Section,
  words,
} from "../report/document/tree.ts";
import { markSpans } from "../report/text/text.ts";

export interface ReviewInput {
  readonly plan: Plan;
  readonly reading?: ReadSummary;
  readonly privileged: RoleSet;
}

export interface TreeNode {
  readonly title: Inline;
  readonly place?: string | undefined;
  readonly details: () => readonly Block[];
  readonly severity?: Severity | undefined;
  readonly keywords: readonly string[];
  readonly actions: readonly ActionId[];
  readonly children: readonly TreeNode[];
}

/** A person has to do it; or a privileged role changes. */
export type Severity = "task" | "privileged";

/** A tree with more entries than this begins folded. */
const maxUnfolded = 200;

/** What is reviewed: the sections of the plan's document, privileged roles first, and last how the service was read. */
export function planNodes({ plan, privileged, reading }: ReviewInput): readonly TreeNode[] {
  const outcome = {
    command: "plan",
    exitCode: 0,
    diagnostics: [],
    plan,
    reading,
    privilegedRoles: privileged,
  } as const;
  const { sections, heading, about } = documentOf(outcome, "terminal");
  const title = words("How the service was read");
  const details = () => [paragraph(heading), ...about];
  const read = { title, details, keywords: [], actions: [], children: [] };
  return [
    ...sections.filter(({ is }) => is !== "extra").flatMap(sectionNodes),
    ...(about.length === 0 || heading.length === 0 ? [] : [read]),
  ];
}

/** Groups with titles of their own stand for the section. */
function sectionNodes({ title = [], blocks }: Section): readonly TreeNode[] {
  return blocks.flatMap((block) => (block.kind === "entries" ? [groupNode(block.title ?? title, block)] : []));
}

function groupNode(title: Inline, { notes, entries }: Entries): TreeNode {
  return {
    title: title.map((span) =>
      typeof span === "object" && "is" in span && span.is === "words" ? inked("strong", span.text) : span,
    ),
    details: () => [{ kind: "paragraph", spans: title }, ...notes],
    keywords: [],
    actions: [],
    children: entries.map(entryNode),
  };
}

function entryNode(entry: Entry): TreeNode {
  const { about, what, place, labels, details, actions } = entry;
  const severity = labels.includes("task") ? "task" : labels.includes("privileged") ? "privileged" : undefined;
  const title = [...markSpans(entry), ...about, ...(about.length === 0 || what.length === 0 ? [] : [": "]), ...what];
  return {
    title,
    place,
    details: () => [...entriesOf([entry]), ...(details?.() ?? [])],
    severity,
    keywords: [...labels, ...actions],
    actions,
    children: [],
  };
}

export type Tree = readonly TreeRow[];

export interface TreeRow {
  readonly node: TreeNode;
  readonly depth: number;
  readonly parent: number | undefined;
  /** The index after the last row that belongs to it. */
  readonly end: number;
  readonly inside: Readonly<Record<Severity, number>>;
  readonly searchText: string;
}

export function buildTree(nodes: readonly TreeNode[]): Tree {
  const rows: TreeRow[] = [];
  function add(node: TreeNode, depth: number, parent: number | undefined): void {
    const index = rows.length;
    const searchText = searchTextOf(node);
    const row = { node, depth, parent, end: index + 1, inside: { task: 0, privileged: 0 }, searchText };
    rows.push(row);
    for (const child of node.children) add(child, depth + 1, index);
    if (node.children.length === 0) return;
    const below = rows.slice(index + 1);
    const count = (severity: Severity) => below.filter((one) => one.node.severity === severity).length;
    rows[index] = { ...row, end: rows.length, inside: { task: count("task"), privileged: count("privileged") } };
  }
  for (const node of nodes) add(node, 0, undefined);
  return rows;
}

export function hasChildren(tree: Tree, index: number): boolean {
  return (tree[index]?.end ?? 0) > index + 1;
}

export function initiallyFolded(tree: Tree): ReadonlySet<number> {
  if (tree.length <= maxUnfolded) return new Set();
  return new Set([...tree.keys()].filter((index) => hasChildren(tree, index)));
}

export type Matches = readonly boolean[];

/**
 * Each row that has every word of the filter, itself or together with those above it, with all that belongs to it and with
 * those above it. `within`: what a shorter filter has left.
 */
export function filterMatches(tree: Tree, filter: string, within?: Matches): Matches {
  const words = filterWords(filter);
  const matches = new Array<boolean>(tree.length).fill(false);
  const missing = new Map<number, readonly string[]>();
  let until = 0;
  for (const [index, { searchText, parent, end }] of tree.entries()) {
    if (index < until) continue;
    const wanted = parent === undefined ? words : (missing.get(parent) ?? words);
    const left = wanted.filter((word) => !searchText.includes(word));
    if (left.length > 0) missing.set(index, left);
    else {
      matches.fill(true, index, end);
      for (let at = parent; at !== undefined && matches[at] !== true; at = tree[at]?.parent) matches[at] = true;
    }
    if (left.length === 0 || within?.[index] === false) until = end;
  }
  return matches;
}

export function filterWords(filter: string): readonly string[] {
  return foldText(filter)
    .split(/\s+/u)
    .filter((word) => word !== "");
}

function searchTextOf({ title, place, keywords }: TreeNode): string {
  return foldText([plainText(title), place ?? "", ...keywords].join("\n"));
}

function foldText(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

/** The rows that are shown, in order: all but those below a folded one and those that the filter leaves out. */
export function visibleRows(
  tree: Tree,
  { folded, matches }: { readonly folded: ReadonlySet<number>; readonly matches: Matches | undefined },
): readonly number[] {
  const visible: number[] = [];
  for (let index = 0; index < tree.length; ) {
    const isVisible = matches === undefined || matches[index] === true;
    if (isVisible) visible.push(index);
    index = isVisible && !folded.has(index) ? index + 1 : (tree[index]?.end ?? tree.length);
  }
  return visible;
}

export function countMatchingActions(tree: Tree, matches: Matches): number {
  const actions = new Set<ActionId>();
  for (const [index, { node }] of tree.entries()) {
    if (matches[index] !== true) continue;
    for (const id of node.actions) actions.add(id);
  }
  return actions.size;
}
