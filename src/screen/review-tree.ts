import type { ActionId, Plan } from "../model/plan.ts";
import type { ReadSummary } from "../model/snapshot.ts";
import type { RoleSet } from "../model/values.ts";
import { documentOf } from "../report/document/document.ts";
import {
  type Block,
  type Entry,
  entriesOf,
  type Inline,
  inked,
  paragraph,
  plainText,
  words,
} from "../report/document/tree.ts";
import { markSpans } from "../report/text/text.ts";

export interface ReviewInput {
  readonly plan: Plan;
  readonly reading?: ReadSummary;
  readonly privileged: RoleSet;
}

/** A person has to do it; or a privileged role changes. */
export type Severity = "task" | "privileged";

/** A group, or an entry of the group above it. */
export interface TreeRow {
  readonly title: Inline;
  readonly place?: string | undefined;
  readonly details: () => readonly Block[];
  readonly severity?: Severity | undefined;
  readonly actions: readonly ActionId[];
  /** The index of its group; undefined of a group. */
  readonly parent: number | undefined;
  /** How many entries of the group follow. */
  readonly size: number;
  readonly searchText: string;
}

export type Tree = readonly TreeRow[];

/** A tree with more entries than this begins folded. */
const maxUnfolded = 200;

/** What is reviewed: the sections of the plan's document, privileged roles first, and last how the service was read. */
export function reviewTree({ plan, privileged: privilegedRoles, reading }: ReviewInput): Tree {
  const outcome = { command: "plan", exitCode: 0, diagnostics: [], plan, reading, privilegedRoles } as const;
  const { sections, heading, read } = documentOf(outcome, "terminal");
  const rows: TreeRow[] = [];
  const group = { parent: undefined, actions: [] };
  for (const { is, title: ofSection = [], blocks } of sections)
    for (const block of blocks) {
      if (is === "extra" || block.kind !== "entries") continue;
      // Groups with titles of their own stand for the section.
      const { title = ofSection, notes, entries } = block;
      const parent = rows.length;
      const details = () => [paragraph(title), ...notes];
      rows.push({
        ...group,
        title: bold(title),
        details,
        size: entries.length,
        searchText: foldText(plainText(title)),
      });
      rows.push(...entries.map((entry) => entryRow(entry, parent)));
    }
  if (read.length === 0 || heading.length === 0) return rows;
  const title = words("How the service was read");
  const details = () => [paragraph(heading), ...read];
  return [...rows, { ...group, title, details, size: 0, searchText: foldText(plainText(title)) }];
}

function bold(title: Inline): Inline {
  return title.map((span) =>
    typeof span === "object" && "is" in span && span.is === "words" ? inked("strong", span.text) : span,
  );
}

function entryRow(entry: Entry, parent: number): TreeRow {
  const { about, what, place, labels, details, actions } = entry;
  const severity = labels.includes("task") ? "task" : labels.includes("privileged") ? "privileged" : undefined;
  const title = [...markSpans(entry), ...about, ...(about.length === 0 || what.length === 0 ? [] : [": "]), ...what];
  return {
    title,
    place,
    details: () => [...entriesOf([entry]), ...(details?.() ?? [])],
    severity,
    actions,
    parent,
    size: 0,
    searchText: foldText([plainText(title), place ?? "", ...labels, ...actions].join("\n")),
  };
}

export function initiallyFolded(tree: Tree): ReadonlySet<number> {
  return tree.length <= maxUnfolded ? new Set() : foldable(tree);
}

export function foldable(tree: Tree): ReadonlySet<number> {
  return new Set([...tree.keys()].filter((index) => (tree[index]?.size ?? 0) > 0));
}

export type Matches = readonly boolean[];

/** Each entry that has every word of the filter, itself or together with its group; and each group of one, or that has every word. */
export function filterMatches(tree: Tree, filter: string): Matches {
  const wanted = filterWords(filter);
  const has = (row: TreeRow | undefined, word: string) => row?.searchText.includes(word) === true;
  const own = tree.map((row) => wanted.every((word) => has(row, word) || has(tree[row.parent ?? -1], word)));
  return own.map((isHit, index) => isHit || own.slice(index + 1, index + 1 + (tree[index]?.size ?? 0)).includes(true));
}

export function filterWords(filter: string): readonly string[] {
  return foldText(filter)
    .split(/\s+/u)
    .filter((word) => word !== "");
}

function foldText(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

/** The rows that are shown, in order: all but those of a folded group and those that the filter leaves out. */
export function visibleRows(tree: Tree, folded: ReadonlySet<number>, matches?: Matches): readonly number[] {
  return [...tree.keys()].filter((index) => {
    const parent = tree[index]?.parent;
    return matches?.[index] !== false && (parent === undefined || !folded.has(parent));
  });
}

export function countMatchingActions(tree: Tree, matches: Matches): number {
  return new Set(tree.flatMap(({ actions }, index) => (matches[index] === true ? actions : []))).size;
}
