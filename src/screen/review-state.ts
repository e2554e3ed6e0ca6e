import { type Row, rowsOf } from "../report/text/lines.ts";
import {
  filterMatches,
  filterWords,
  foldable,
  initiallyFolded,
  type Matches,
  type ReviewInput,
  reviewTree,
  type Tree,
  type TreeRow,
  visibleRows,
} from "./review-tree.ts";
import { type Key, type KeyCommand, keyCommand, keyHelp, type Size } from "./terminal.ts";

export interface ReviewState {
  readonly input: ReviewInput;
  readonly tree: Tree;
  readonly size: Size;
  readonly filter: string;
  readonly matches: Matches | undefined;
  readonly folded: ReadonlySet<number>;
  readonly foldedBefore: ReadonlySet<number> | undefined;
  /** Indexes of the rows that are neither folded away nor filtered out, in order. */
  readonly visible: readonly number[];
  readonly cursor: number;
  readonly top: number;
  readonly page: Page;
  readonly notice?: string;
  readonly answer?: "approved" | "declined";
}

type Page =
  | { readonly is: "tree" }
  | { readonly is: "filter" }
  /** `from`: the first key that has no place on an earlier page. */
  | { readonly is: "help"; readonly from: number }
  | { readonly is: "details"; readonly scroll: number }
  | { readonly is: "approval"; readonly typed: string };

export type ReviewEvent =
  /** `lastScroll`: the row with which the last page of open details begins. */
  | { readonly is: "key"; readonly key: Key; readonly lastScroll: number }
  | { readonly is: "resized"; readonly size: Size };

export function beginReview(input: ReviewInput, size: Size): ReviewState {
  const tree = reviewTree(input);
  const folded = initiallyFolded(tree);
  const visible = visibleRows(tree, folded);
  const unfiltered = { filter: "", matches: undefined, foldedBefore: undefined };
  return { input, tree, size, ...unfiltered, folded, visible, cursor: 0, top: 0, page: { is: "tree" } };
}

export function reduceReview(state: ReviewState, event: ReviewEvent): ReviewState {
  if (state.answer !== undefined) return state;
  if (event.is === "resized") return select({ ...state, size: event.size }, state.cursor);
  const { notice: _, ...before } = state;
  const { key } = event;
  switch (state.page.is) {
    case "tree":
      return handleTreeKey(before, keyCommand(key));
    case "filter":
      return handleFilterKey(before, key);
    case "details":
      return handleDetailsKey(before, keyCommand(key), state.page.scroll, event.lastScroll);
    case "help": {
      const from = state.page.from + bodyRows(state.size);
      return { ...before, page: from < keyHelp.length ? { is: "help", from } : { is: "tree" } };
    }
    case "approval":
      return handleApprovalKey(before, key, state.page.typed);
  }
}

/** A row on as many lines as it needs, after the columns of the cursor, the mark and the fold. */
export function treeLines({ title, parent }: TreeRow, columns: number): readonly Row[] {
  const room = columns - treeMargin(parent);
  return rowsOf({ indent: 0, spans: title, place: "" }, room, { prose: columns, hanging: 2 });
}

export function treeMargin(parent: TreeRow["parent"]): number {
  return parent === undefined ? 4 : 6;
}

export function selectedIndex({ visible, cursor }: ReviewState): number | undefined {
  return visible[cursor];
}

export function selectedRow(state: ReviewState): TreeRow | undefined {
  return state.tree[selectedIndex(state) ?? -1];
}

/** Rows between the head and the foot of the screen. One row below the foot stays empty, or the terminal would scroll. */
export function bodyRows({ rows }: Size): number {
  return Math.max(1, rows - 5);
}

/** Columns of the tree, and of the details at its side where there is room for both. */
export function paneColumns({ columns }: Size): { readonly tree: number; readonly details: number | undefined } {
  if (columns < 130) return { tree: columns, details: undefined };
  const tree = Math.floor(columns * 0.52);
  return { tree, details: columns - tree - 2 };
}

function handleTreeKey(state: ReviewState, command: KeyCommand): ReviewState {
  const changed = moveCursor(state, command) ?? changeFolding(state, command);
  if (changed !== undefined) return changed;
  switch (command) {
    case "enter":
      return selectedIndex(state) === undefined ? state : { ...state, page: { is: "details", scroll: 0 } };
    case "filter":
      return { ...state, page: { is: "filter" } };
    case "escape":
      return state.filter === "" ? { ...state, answer: "declined" } : filterBy(state, "");
    case "clear":
      return filterBy(state, "");
    default:
      return handleCommonKey(state, command);
  }
}

/** Keys that mean the same whether or not the details are open. */
function handleCommonKey(state: ReviewState, command: KeyCommand): ReviewState {
  switch (command) {
    case "next":
      return jump(state, 1);
    case "previous":
      return jump(state, -1);
    case "help":
      return { ...state, page: { is: "help", from: 0 } };
    case "approve":
      return { ...state, page: { is: "approval", typed: "" } };
    case "quit":
      return { ...state, answer: "declined" };
    default:
      return state;
  }
}

function moveCursor(state: ReviewState, command: KeyCommand): ReviewState | undefined {
  const to = command === "toggle" ? undefined : moved(command, state.cursor, bodyRows(state.size));
  return to === undefined ? undefined : select(state, to);
}

/** Where a key leads from a row, as if there was no last one; `rows`: how many are shown. */
function moved(command: KeyCommand, from: number, rows: number): number | undefined {
  const page = Math.max(1, rows - 1);
  const steps: Partial<Record<KeyCommand, number>> = {
    up: -1,
    down: 1,
    "page-up": -page,
    "page-down": page,
    toggle: page,
    home: Number.NEGATIVE_INFINITY,
    end: Number.POSITIVE_INFINITY,
  };
  const step = steps[command];
  return step === undefined ? undefined : Math.max(0, from + step);
}

function changeFolding(state: ReviewState, command: KeyCommand): ReviewState | undefined {
  const index = selectedIndex(state);
  const { tree, folded } = state;
  const groups = foldable(tree);
  if (command === "fold-all") return fold(state, new Set([...groups].every((one) => folded.has(one)) ? [] : groups));
  if (index === undefined) return undefined;
  const isOpen = groups.has(index) && !folded.has(index);
  const unfolded = new Set([...folded].filter((one) => one !== index));
  switch (command) {
    case "left":
      return isOpen ? fold(state, new Set([...folded, index])) : reveal(state, tree[index]?.parent ?? index);
    case "right":
      return isOpen ? select(state, state.cursor + 1) : fold(state, unfolded);
    case "toggle":
      return groups.has(index) ? fold(state, isOpen ? new Set([...folded, index]) : unfolded) : state;
    default:
      return undefined;
  }
}

function jump(state: ReviewState, step: 1 | -1): ReviewState {
  const { tree, matches } = state;
  const from = selectedIndex(state) ?? 0;
  for (let distance = 1; distance <= tree.length; distance += 1) {
    const index = (from + step * distance + tree.length * 2) % tree.length;
    const isMarked = tree[index]?.severity !== undefined;
    if (isMarked && (matches === undefined || matches[index] === true)) {
      const next = reveal(state, index);
      // Details that are open are shown from their beginning.
      return next.page.is === "details" ? { ...next, page: { is: "details", scroll: 0 } } : next;
    }
  }
  return { ...state, notice: "No row here is privileged or a task." };
}

function handleFilterKey(state: ReviewState, key: Key): ReviewState {
  switch (key.key) {
    case "character":
      return filterBy(state, state.filter + key.text);
    case "pasted":
      return filterBy(state, `${state.filter}${key.text.replace(/\s+/gu, " ")}`);
    case "backspace":
      return filterBy(state, [...state.filter].slice(0, -1).join(""));
    case "clear":
      return filterBy(state, "");
    case "enter":
      return { ...state, page: { is: "tree" } };
    case "escape":
      return { ...filterBy(state, ""), page: { is: "tree" } };
    default:
      return moveCursor(state, keyCommand(key)) ?? state;
  }
}

function handleDetailsKey(state: ReviewState, command: KeyCommand, scroll: number, last: number): ReviewState {
  const to = moved(command, scroll, bodyRows(state.size));
  if (to !== undefined) return { ...state, page: { is: "details", scroll: Math.min(to, last) } };
  switch (command) {
    case "enter":
    case "escape":
    case "left":
    case "quit":
      return { ...state, page: { is: "tree" } };
    default:
      return handleCommonKey(state, command);
  }
}

/** Only `yes` is an approval, and only where it was typed. */
function handleApprovalKey(state: ReviewState, key: Key, typed: string): ReviewState {
  const typing = (text: string): ReviewState => ({ ...state, page: { is: "approval", typed: text } });
  switch (key.key) {
    case "character":
      return typing(`${typed}${key.text}`.slice(0, 20));
    case "backspace":
      return typing([...typed].slice(0, -1).join(""));
    case "clear":
      return typing("");
    case "pasted":
      return { ...typing(typed), notice: "Type the approval: pasted text is ignored." };
    case "escape":
      return { ...state, page: { is: "tree" } };
    case "enter":
      if (typed.trim() === "yes") return { ...state, answer: "approved" };
      return { ...typing(""), notice: "Not approved: type yes, then press Enter. Esc goes back." };
    default:
      return state;
  }
}

/** Selects the row at this place, and scrolls the whole of it onto the screen. */
function select(state: ReviewState, place: number): ReviewState {
  const { visible, size, tree } = state;
  const cursor = Math.max(0, Math.min(place, visible.length - 1));
  const rows = bodyRows(size);
  // Roles are never cut: a row takes as many lines as it needs.
  const heightOf = (at: number) => {
    const row = tree[visible[at] ?? -1];
    return row === undefined ? 1 : treeLines(row, paneColumns(size).tree).length;
  };
  let top = Math.max(cursor - rows + 1, Math.min(state.top, cursor), 0);
  let height = 0;
  for (let at = top; at <= cursor; at += 1) height += heightOf(at);
  for (; height > rows && top < cursor; top += 1) height -= heightOf(top);
  return { ...state, cursor, top };
}

function fold(state: ReviewState, folded: ReadonlySet<number>): ReviewState {
  return selectIndex({ ...state, folded }, selectedIndex(state));
}

/** With this filter: what it leaves is unfolded, and the first match is selected. */
function filterBy(state: ReviewState, filter: string): ReviewState {
  const { tree } = state;
  const before = state.foldedBefore ?? state.folded;
  if (filter.trim() === "") {
    const unfiltered = { ...state, filter, matches: undefined, folded: before, foldedBefore: undefined };
    return selectIndex(unfiltered, selectedIndex(state));
  }
  const matches = filterMatches(tree, filter);
  const filtered = { ...state, filter, matches, folded: new Set<number>(), foldedBefore: before };
  const visible = visibleRows(tree, filtered.folded, matches);
  const lastWord = filterWords(filter).at(-1) ?? "";
  const first = visible.findIndex((index) => tree[index]?.searchText.includes(lastWord) === true);
  return select({ ...filtered, visible, top: 0 }, first);
}

function reveal(state: ReviewState, index: number): ReviewState {
  const parent = state.tree[index]?.parent;
  return selectIndex({ ...state, folded: new Set([...state.folded].filter((one) => one !== parent)) }, index);
}

function selectIndex(state: ReviewState, selected: number | undefined): ReviewState {
  const visible = visibleRows(state.tree, state.folded, state.matches);
  const place = selected === undefined ? -1 : visible.findLastIndex((index) => index <= selected);
  return select({ ...state, visible }, place);
}
