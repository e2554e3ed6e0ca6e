import type { Key, KeyName } from "../keys.ts";
import type { Size } from "../rows.ts";
import { detailRows } from "./details.ts";
import { bodyRows, filterBy, fold, type Review, reveal, select, selectedIndex } from "./review.ts";
import { hasChildren } from "./tree.ts";
import { lastScroll } from "./view.ts";

/** What a key makes of a review. */
export function handleKey(review: Review, key: Key): Review {
  const { notice: _, ...quiet } = review;
  switch (review.layer.is) {
    case "tree":
      return handleTreeKey(quiet, keyCommand(key));
    case "filter":
      return handleFilterKey(quiet, key);
    case "details":
      return handleDetailsKey(quiet, keyCommand(key), review.layer.scroll);
    case "help":
      return handleHelpKey(quiet, keyCommand(key), review.layer.scroll);
    case "confirm":
      return handleConfirmKey(quiet, key, review.layer.typed);
  }
}

/** The same review on a terminal of another size. */
export function resize(review: Review, size: Size): Review {
  return select({ ...review, size }, review.at);
}

function handleTreeKey(review: Review, word: KeyCommand): Review {
  const moved = moveIn(review, word);
  if (moved !== undefined) return moved;
  const folded = foldIn(review, word);
  if (folded !== undefined) return folded;
  switch (word) {
    case "enter":
      return selectedIndex(review) === undefined ? review : { ...review, layer: { is: "details", scroll: 0 } };
    case "filter":
      return { ...review, layer: { is: "filter" } };
    case "escape":
      return review.filter === "" ? { ...review, answer: "declined" } : filterBy(review, "");
    case "clear":
      return filterBy(review, "");
    default:
      return handleCommonKey(review, word);
  }
}

/** Keys that mean the same whether or not the details are open. */
function handleCommonKey(review: Review, word: KeyCommand): Review {
  switch (word) {
    case "next":
      return jump(review, 1);
    case "previous":
      return jump(review, -1);
    case "help":
      return { ...review, layer: { is: "help", scroll: 0 } };
    case "approve":
      return { ...review, layer: { is: "confirm", typed: "" } };
    case "quit":
      return { ...review, answer: "declined" };
    default:
      return review;
  }
}

function moveIn(review: Review, word: KeyCommand): Review | undefined {
  const { at, shown, size } = review;
  const page = Math.max(1, bodyRows(size) - 1);
  switch (word) {
    case "up":
      return select(review, at - 1);
    case "down":
      return select(review, at + 1);
    case "page-up":
      return select(review, at - page);
    case "page-down":
      return select(review, at + page);
    case "home":
      return select(review, 0);
    case "end":
      return select(review, shown.length - 1);
    default:
      return undefined;
  }
}

function foldIn(review: Review, word: KeyCommand): Review | undefined {
  const index = selectedIndex(review);
  if (word === "fold-all") return foldAll(review);
  if (index === undefined) return undefined;
  const { tree, folded } = review;
  const isOpen = hasChildren(tree, index) && !folded.has(index);
  const parent = tree.nodes[index]?.parent;
  switch (word) {
    case "left":
      return isOpen ? fold(review, withNode(folded, index)) : reveal(review, parent ?? index);
    case "right":
      return isOpen ? select(review, review.at + 1) : fold(review, withoutNode(folded, index));
    case "toggle":
      if (!hasChildren(tree, index)) return review;
      return fold(review, isOpen ? withNode(folded, index) : withoutNode(folded, index));
    default:
      return undefined;
  }
}

/** Folds everything; where everything is folded, unfolds everything. */
function foldAll(review: Review): Review {
  const foldable = [...review.tree.nodes.keys()].filter((index) => hasChildren(review.tree, index));
  const isAll = foldable.every((index) => review.folded.has(index));
  return fold(review, new Set(isAll ? [] : foldable));
}

function withNode(folded: ReadonlySet<number>, index: number): ReadonlySet<number> {
  return new Set([...folded, index]);
}

function withoutNode(folded: ReadonlySet<number>, index: number): ReadonlySet<number> {
  const left = new Set(folded);
  left.delete(index);
  return left;
}

/** Selects the next node that matters, and after the last one the first. */
function jump(review: Review, step: 1 | -1): Review {
  const { tree, matches } = review;
  const from = selectedIndex(review) ?? 0;
  const count = tree.nodes.length;
  for (let away = 1; away <= count; away += 1) {
    const index = (from + step * away + count * 2) % count;
    const matters = tree.nodes[index]?.branch.matters === true;
    if (matters && (matches === undefined || matches[index] === true)) return atTop(reveal(review, index));
  }
  return { ...review, notice: "nothing here is privileged or blocking" };
}

/** Where details are open, from their beginning. */
function atTop(review: Review): Review {
  return review.layer.is === "details" ? { ...review, layer: { is: "details", scroll: 0 } } : review;
}

function handleFilterKey(review: Review, key: Key): Review {
  switch (key.key) {
    case "character":
      return filterBy(review, review.filter + key.text);
    case "pasted":
      return filterBy(review, `${review.filter}${key.text.replace(/\s+/gu, " ")}`);
    case "backspace":
      return filterBy(review, [...review.filter].slice(0, -1).join(""));
    case "clear":
      return filterBy(review, "");
    case "enter":
      return { ...review, layer: { is: "tree" } };
    case "escape":
      return { ...filterBy(review, ""), layer: { is: "tree" } };
    default:
      return moveIn(review, keyCommand(key)) ?? review;
  }
}

function handleDetailsKey(review: Review, word: KeyCommand, scroll: number): Review {
  const to = scrollPosition(scroll, word, bodyRows(review.size));
  if (to !== undefined) {
    const last = Math.max(0, detailRows(review).length - bodyRows(review.size));
    return { ...review, layer: { is: "details", scroll: Math.min(to, last) } };
  }
  switch (word) {
    case "enter":
    case "escape":
    case "left":
    case "quit":
      return { ...review, layer: { is: "tree" } };
    default:
      return handleCommonKey(review, word);
  }
}

/** What goes on to the keys that have no room; every other key goes back. */
function handleHelpKey(review: Review, word: KeyCommand, scroll: number): Review {
  const last = lastScroll(review.size);
  const to = last === 0 ? undefined : scrollPosition(Math.min(scroll, last), word, bodyRows(review.size));
  return { ...review, layer: to === undefined ? { is: "tree" } : { is: "help", scroll: Math.min(to, last) } };
}

/** Only `yes` is taken as approval, and only where it was typed. */
function handleConfirmKey(review: Review, key: Key, typed: string): Review {
  const typing = (text: string): Review => ({ ...review, layer: { is: "confirm", typed: text } });
  switch (key.key) {
    case "character":
      return typing(`${typed}${key.text}`.slice(0, 20));
    case "backspace":
      return typing([...typed].slice(0, -1).join(""));
    case "clear":
      return typing("");
    case "pasted":
      return { ...typing(typed), notice: "an approval is typed, not pasted" };
    case "escape":
      return { ...review, layer: { is: "tree" } };
    case "enter":
      if (typed.trim() === "yes") return { ...review, answer: "approved" };
      return { ...typing(""), notice: "only yes is taken as approval; Esc goes back" };
    default:
      return review;
  }
}

/** What a key asks for where it is no text. */
type KeyCommand =
  | KeyName
  | "fold-all"
  | "filter"
  | "next"
  | "previous"
  | "approve"
  | "quit"
  | "help"
  | "toggle"
  | "none";

const letters: Readonly<Record<string, KeyCommand>> = {
  j: "down",
  k: "up",
  h: "left",
  l: "right",
  g: "home",
  G: "end",
  " ": "toggle",
  f: "fold-all",
  "/": "filter",
  n: "next",
  N: "previous",
  a: "approve",
  q: "quit",
  "?": "help",
};

/** A character that is no word of its own, and what was pasted, ask for nothing. */
function keyCommand(key: Key): KeyCommand {
  if (key.key === "character") return letters[key.text] ?? "none";
  return key.key === "pasted" ? "none" : key.key;
}

/** The first row that is shown after a key that scrolls, as if there was no last one. */
function scrollPosition(scroll: number, word: KeyCommand, rows: number): number | undefined {
  switch (word) {
    case "up":
      return Math.max(0, scroll - 1);
    case "down":
      return scroll + 1;
    case "page-up":
      return Math.max(0, scroll - rows + 1);
    case "page-down":
    case "toggle":
      return scroll + rows - 1;
    case "home":
      return 0;
    case "end":
      return Number.POSITIVE_INFINITY;
    default:
      return undefined;
  }
}
