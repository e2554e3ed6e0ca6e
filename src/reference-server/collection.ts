import type { RequestContext } from "./call.ts";
import { pageResponse } from "./dialect/tell-page.ts";
import { shuffledAfterSorting, shuffledBeforeSorting } from "./knobs/order.ts";
import { repeatedRow } from "./knobs/repeated-as.ts";
import { pageBounds, parsePageRequest } from "./paging.ts";
import { isRefusal, type Refusal, type Reply } from "./reply.ts";
import { parseSortOrder, type SortColumns, type SortOrder } from "./sorting.ts";

/** A list that a route answers. */
export interface Collection<T> {
  /** What it is called, such as `users`. */
  readonly name: string;
  /** In the order of their creation, or in which they were asked for. */
  readonly items: readonly T[];
  readonly columns: SortColumns<T>;
  readonly show: (item: T) => unknown;
}

/** One page of a collection in the order that the query asks for, with links to its neighbours. */
export function listResponse<T>(call: RequestContext, collection: Collection<T>): Reply {
  const { name, items, show } = collection;
  const rows = orderedRows(call, collection);
  if (isRefusal(rows)) return rows;
  const wish = parsePageRequest(call.query, call.knobs);
  if (isRefusal(wish)) return wish;
  const page = pageBounds(wish, items.length, call.knobs);
  if (isRefusal(page)) return page;
  const shown = rows(page.start, page.end).map(show);
  const told = shown.map((row, index) => (index < page.repeated ? repeatedRow(call.knobs.repeatedAs, row) : row));
  return pageResponse(call, { name, page, rows: told, total: items.length });
}

/** All items in the order that the query asks for. */
export function sortedItems<T>(call: RequestContext, collection: Collection<T>): readonly T[] | Refusal {
  const rows = orderedRows(call, collection);
  return isRefusal(rows) ? rows : rows(0, collection.items.length);
}

/** The rows from one place to before another, in the order that the query asks for. */
type RowSlice<T> = (start: number, end: number) => readonly T[];

function orderedRows<T>(call: RequestContext, { items, columns }: Collection<T>): RowSlice<T> | Refusal {
  const { knobs, query, sortCache: sorted, world } = call;
  const arrangement = parseSortOrder(query, columns, knobs);
  if (isRefusal(arrangement)) return arrangement;
  if (knobs.order !== "stable") return shuffledRows(call, items, arrangement);
  if (arrangement === "as-they-are") return (start, end) => items.slice(start, end);
  const places = sorted.places(items, arrangement, world.edits);
  return (start, end) => itemsAt(items, places.slice(start, end));
}

function shuffledRows<T>(
  { random: draw, knobs }: RequestContext,
  items: readonly T[],
  arrangement: SortOrder<T> | "as-they-are",
): RowSlice<T> {
  const before = shuffledBeforeSorting(knobs.order, items, draw);
  const sorted = arrangement === "as-they-are" ? before : itemsAt(before, arrangement.places(before));
  const rows = shuffledAfterSorting(knobs.order, sorted, draw);
  return (start, end) => rows.slice(start, end);
}

function itemsAt<T>(items: readonly T[], places: readonly number[]): readonly T[] {
  return places.flatMap((place) => items.slice(place, place + 1));
}
