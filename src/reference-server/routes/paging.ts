import { shuffled } from "../identifiers.ts";
import type { Knobs } from "../knobs/registry.ts";
import { firstPageNumber, pageResponse, type RenderedPage, type RequestedPage } from "../responses/page.ts";
import { badParameter, isRefusal, type Refusal, type Reply, refuse, singleValue } from "../responses/reply.ts";
import type { RequestContext } from "../service-context.ts";
import { parseSortOrder, type SortColumns } from "./sorting.ts";

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
  const rows = sortedItems(call, collection);
  if (isRefusal(rows)) return rows;
  const wish = parsePageRequest(call.query, call.knobs);
  if (isRefusal(wish)) return wish;
  const page = pageBounds(wish, items.length, call.knobs);
  if (isRefusal(page)) return page;
  const shown = rows.slice(page.start, page.end).map(show);
  const { repeatedAs } = call.knobs;
  const repeating = shown.map((row, at) => (at < page.repeated ? repeatedRow(repeatedAs, row) : row));
  return pageResponse(call, name, page, repeating, items.length);
}

/** All items in the order that the query asks for. */
export function sortedItems<T>(call: RequestContext, { items, columns }: Collection<T>): readonly T[] | Refusal {
  const { knobs, query, world, random } = call;
  const order = parseSortOrder(query, columns, knobs);
  if (isRefusal(order)) return order;
  if (knobs.order !== "stable") {
    const before = shuffled(items, random);
    const sorted = order === "as-they-are" ? before : itemsAt(before, order.places(before));
    return knobs.order === "shuffle" ? shuffled(sorted, random) : sorted;
  }
  if (order === "as-they-are") return items;
  const { name } = order;
  const { changes } = world;
  const known = world.sorted.get(items);
  // Between two changes each page is a slice of one sorted list.
  const places = known?.name === name && known.changes === changes ? known.places : order.places(items);
  world.sorted.set(items, { name, changes, places });
  return itemsAt(items, places);
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

function repeatedRow(how: Knobs["repeatedAs"], row: unknown): unknown {
  if (how === "same" || typeof row !== "object" || row === null || !("email" in row)) return row;
  return { ...row, email: String(row.email).toUpperCase() };
}
