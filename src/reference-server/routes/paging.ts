import { type RandomSource, shuffled } from "../identifiers.ts";
import type { Knobs } from "../knobs/registry.ts";
import {
  envelopeFor,
  firstPageNumber,
  type PageRows,
  pageResponse,
  type RenderedPage,
  type RequestedPage,
} from "../responses/page.ts";
import { badParameter, isRefusal, type Refusal, type Reply, refuse, singleValue } from "../responses/reply.ts";
import type { RequestContext } from "../service-context.ts";
import { parseSortOrder, type SortColumns, type SortOrder } from "./sorting.ts";

/** A list that a route answers. */
export interface Collection<T> {
  /** What it is called, such as `users`. */
  readonly name: string;
  /** In the order of their creation, or in which they were asked for. */
  readonly items: readonly T[];
  readonly columns: SortColumns<T>;
  readonly show: (item: T) => unknown;
  /** What `show` gives, as the text of JSON; absent where it may be another the next time although nothing was changed. */
  readonly text?: ((item: T) => string) | undefined;
}

/** One page of a collection in the order that the query asks for, with links to its neighbours. */
export function listResponse<T>(call: RequestContext, collection: Collection<T>): Reply {
  const { name, items } = collection;
  const rows = orderedRows(call, collection);
  if (isRefusal(rows)) return rows;
  const wish = parsePageRequest(call.query, call.knobs);
  if (isRefusal(wish)) return wish;
  const page = pageBounds(wish, items.length, call.knobs);
  if (isRefusal(page)) return page;
  const shown = pageRows(call.knobs, page, collection, rows(page.start, page.end));
  return pageResponse(call, { name, page, rows: shown, total: items.length });
}

function pageRows<T>(
  knobs: Knobs,
  { index, repeated }: RenderedPage,
  { show, text }: Collection<T>,
  items: readonly T[],
): PageRows {
  if (text !== undefined && repeated === 0 && envelopeFor(knobs, index) === "L1") {
    return { as: "texts", texts: items.map(text) };
  }
  const values = items.map(show);
  return { as: "values", values: values.map((row, at) => (at < repeated ? repeatedRow(knobs.repeatedAs, row) : row)) };
}

/** All items in the order that the query asks for. */
export function sortedItems<T>(call: RequestContext, collection: Collection<T>): readonly T[] | Refusal {
  const rows = orderedRows(call, collection);
  return isRefusal(rows) ? rows : rows(0, collection.items.length);
}

/** The rows from one place to before another, in the order that the query asks for. */
type RowSlice<T> = (start: number, end: number) => readonly T[];

function orderedRows<T>(call: RequestContext, { items, columns }: Collection<T>): RowSlice<T> | Refusal {
  const { knobs, query, sortCache, world } = call;
  const arrangement = parseSortOrder(query, columns, knobs);
  if (isRefusal(arrangement)) return arrangement;
  if (knobs.order !== "stable") return shuffledRows(call, items, arrangement);
  if (arrangement === "as-they-are") return (start, end) => items.slice(start, end);
  const places = sortCache.places(items, arrangement, world.edits);
  return (start, end) => itemsAt(items, places.slice(start, end));
}

function shuffledRows<T>(
  { random, knobs }: RequestContext,
  items: readonly T[],
  arrangement: SortOrder<T> | "as-they-are",
): RowSlice<T> {
  const before = shuffledBeforeSorting(knobs.order, items, random);
  const sorted = arrangement === "as-they-are" ? before : itemsAt(before, arrangement.places(before));
  const rows = shuffledAfterSorting(knobs.order, sorted, random);
  return (start, end) => rows.slice(start, end);
}

function itemsAt<T>(items: readonly T[], places: readonly number[]): readonly T[] {
  return places.flatMap((place) => items.slice(place, place + 1));
}

const defaultPerPage = 10;

/** The page that the query asks for; the first where it names none. */
function parsePageRequest(query: URLSearchParams, knobs: Knobs): RequestedPage | Refusal {
  const perPage = readPerPage(query, knobs);
  if (isRefusal(perPage)) return perPage;
  const first = firstPageNumber(knobs.pageBase);
  const page = wholeNumber(query, "page", first);
  if (isRefusal(page)) return page;
  if (page < first && knobs.pageBase === "one-strict") {
    return badParameter("page", String(page), "must be 1 or more, for pages count from 1");
  }
  return { index: pageIndex(page, first, knobs), perPage };
}

/** Where that page stands in a collection of `size` rows. */
function pageBounds(wish: RequestedPage, size: number, knobs: Knobs): RenderedPage | Refusal {
  const { perPage } = wish;
  const full = Math.max(1, Math.ceil(size / perPage));
  const gap = knobs.emptyPage >= 1 && knobs.emptyPage <= full && size > 0 ? knobs.emptyPage - 1 : Infinity;
  const last = gap === Infinity ? full - 1 : full;
  const index = wish.index > last ? indexPastEnd(knobs.pastEnd, { index: wish.index, last }) : wish.index;
  if (isRefusal(index)) return index;
  if (index === gap || index < 0) return { index, perPage, last, start: 0, end: 0, repeated: 0 };
  const start = (index > gap ? index - 1 : index) * perPage;
  const repeated = start < size ? Math.min(start, knobs.repeatedRows) : 0;
  return { index, perPage, last, start: start - repeated, end: start + perPage, repeated };
}

function pageIndex(page: number, first: number, { pageBase }: Knobs): number {
  if (pageBase === "ignored") return 0;
  return pageBase === "one-empty" ? page - first : Math.max(0, page - first);
}

function readPerPage(query: URLSearchParams, knobs: Knobs): number | Refusal {
  const asked = wholeNumber(query, "per-page", defaultPerPage);
  if (isRefusal(asked)) return asked;
  if (asked < 1) return badParameter("per-page", String(asked), "must be 1 or more");
  if (asked <= knobs.maxPerPage) return asked;
  if (!query.has("per-page")) return knobs.maxPerPage;
  return perPageOverMax(knobs.overMaxPerPage, { asked, most: knobs.maxPerPage, unasked: defaultPerPage });
}

function wholeNumber(query: URLSearchParams, name: string, otherwise: number): number | Refusal {
  const value = singleValue(query, name);
  if (value === undefined) return otherwise;
  if (isRefusal(value)) return value;
  const number = Number(value);
  if (/^\d+$/.test(value) && Number.isSafeInteger(number)) return number;
  return badParameter(name, value, "must be a whole number, 0 or more");
}

/** How many rows such a page has. */
function perPageOverMax(
  how: Knobs["overMaxPerPage"],
  page: { readonly asked: number; readonly most: number; readonly unasked: number },
): number | Refusal {
  switch (how) {
    case "clamp":
      return page.most;
    case "reject":
      return badParameter("per-page", String(page.asked), `must be ${page.most} or less`);
    case "ignore":
      return Math.min(page.unasked, page.most);
  }
}

/** The index of the page to answer in its place. */
function indexPastEnd(
  how: Knobs["pastEnd"],
  page: { readonly index: number; readonly last: number },
): number | Refusal {
  switch (how) {
    case "empty":
      return page.index;
    case "404":
      return refuse(404, "There is no such page");
    case "400":
      return refuse(400, "The page is past the end of the list");
    case "last-again":
      return page.last;
  }
}

type Order = Knobs["order"];

/** The rows as they are before they are sorted: a sort keeps the order of ties. */
function shuffledBeforeSorting<T>(how: Order, rows: readonly T[], draw: RandomSource): readonly T[] {
  return how === "stable" ? rows : shuffled(rows, draw);
}

function shuffledAfterSorting<T>(how: Order, rows: readonly T[], draw: RandomSource): readonly T[] {
  return how === "shuffle" ? shuffled(rows, draw) : rows;
}

function repeatedRow(how: Knobs["repeatedAs"], row: unknown): unknown {
  if (how === "same" || typeof row !== "object" || row === null || !("email" in row)) return row;
  return { ...row, email: String(row.email).toUpperCase() };
}
