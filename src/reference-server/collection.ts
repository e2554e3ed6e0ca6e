import type { Call } from "./call.ts";
import { tellPage } from "./dialect/tell-page.ts";
import { afterSorting, beforeSorting } from "./knobs/order.ts";
import { rowAgain } from "./knobs/repeated-as.ts";
import { locatePage, readPage } from "./paging.ts";
import { isRefusal, type Refusal, type Reply } from "./reply.ts";
import { type Arrangement, type Columns, readArrangement } from "./sorting.ts";

/** A list that a route answers. */
export interface Collection<T> {
  /** What it is called, such as `users`. */
  readonly name: string;
  /** In the order of their creation, or in which they were asked for. */
  readonly items: readonly T[];
  readonly columns: Columns<T>;
  readonly show: (item: T) => unknown;
}

/** One page of a collection in the order that the query asks for, with links to its neighbours. */
export function answerPage<T>(call: Call, collection: Collection<T>): Reply {
  const { name, items, show } = collection;
  const rows = rowsOf(call, collection);
  if (isRefusal(rows)) return rows;
  const wish = readPage(call.query, call.knobs);
  if (isRefusal(wish)) return wish;
  const page = locatePage(wish, items.length, call.knobs);
  if (isRefusal(page)) return page;
  const shown = rows(page.start, page.end).map(show);
  const told = shown.map((row, index) => (index < page.repeated ? rowAgain(call.knobs.repeatedAs, row) : row));
  return tellPage(call, { name, page, rows: told, total: items.length });
}

/** All items in the order that the query asks for. */
export function arranged<T>(call: Call, collection: Collection<T>): readonly T[] | Refusal {
  const rows = rowsOf(call, collection);
  return isRefusal(rows) ? rows : rows(0, collection.items.length);
}

/** The rows from one place to before another, in the order that the query asks for. */
type Rows<T> = (start: number, end: number) => readonly T[];

function rowsOf<T>(call: Call, { items, columns }: Collection<T>): Rows<T> | Refusal {
  const { knobs, query, sorted, world } = call;
  const arrangement = readArrangement(query, columns, knobs);
  if (isRefusal(arrangement)) return arrangement;
  if (knobs.order !== "stable") return unstableRows(call, items, arrangement);
  if (arrangement === "as-they-are") return (start, end) => items.slice(start, end);
  const places = sorted.places(items, arrangement, world.edits);
  return (start, end) => itemsAt(items, places.slice(start, end));
}

function unstableRows<T>(
  { draw, knobs }: Call,
  items: readonly T[],
  arrangement: Arrangement<T> | "as-they-are",
): Rows<T> {
  const before = beforeSorting(knobs.order, items, draw);
  const sorted = arrangement === "as-they-are" ? before : itemsAt(before, arrangement.places(before));
  const rows = afterSorting(knobs.order, sorted, draw);
  return (start, end) => rows.slice(start, end);
}

function itemsAt<T>(items: readonly T[], places: readonly number[]): readonly T[] {
  return places.flatMap((place) => items.slice(place, place + 1));
}
