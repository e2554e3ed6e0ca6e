import { shuffled } from "../identifiers.ts";
import { alternateOrigin } from "../inject-faults.ts";
import type { Knobs } from "../knobs/registry.ts";
import { answer, badParameter, Refusal, type ServedAnswer, singleValue } from "../responses/reply.ts";
import type { RequestContext } from "../service-context.ts";
import { parseSortOrder, type SortColumns } from "./sorting.ts";

export interface Collection<T> {
  /** What it is called, such as `users`. */
  readonly name: string;
  /** In the order of their creation, or in which they were asked for. */
  readonly items: readonly T[];
  readonly columns: SortColumns<T>;
  readonly show: (item: T) => unknown;
}

interface Page {
  readonly name: string;
  readonly rows: readonly unknown[];
  /** Counts from 0, whatever the callers count from; -1 for a page before the first. */
  readonly index: number;
  /** The index of the last page. */
  readonly last: number;
  readonly perPage: number;
  /** How many rows all pages have. */
  readonly total: number;
}

/** One page of a collection in the order that the query asks for, with links to its neighbours. */
export function listResponse<T>(call: RequestContext, collection: Collection<T>): ServedAnswer {
  const { knobs } = call;
  const { name, show } = collection;
  const rows = sortedItems(call, collection);
  const total = rows.length;
  const perPage = readPerPage(call.query, knobs);
  const asked = readPageIndex(call.query, knobs.pageBase);
  const full = Math.max(1, Math.ceil(total / perPage));
  const gap = knobs.emptyPage >= 1 && knobs.emptyPage <= full && total > 0 ? knobs.emptyPage - 1 : Infinity;
  const last = gap === Infinity ? full - 1 : full;
  const index = asked > last ? indexPastEnd(knobs.pastEnd, asked, last) : asked;
  const page = { name, index, last, perPage, total };
  if (index === gap || index < 0) return pageResponse(call, { ...page, rows: [] });
  const start = (index > gap ? index - 1 : index) * perPage;
  const repeated = start < total ? Math.min(start, knobs.repeatedRows) : 0;
  const shown = rows.slice(start - repeated, start + perPage).map(show);
  const repeating = shown.map((row, at) => (at < repeated ? repeatedRow(knobs.repeatedAs, row) : row));
  return pageResponse(call, { ...page, rows: repeating });
}

export function sortedItems<T>(call: RequestContext, { items, columns }: Collection<T>): readonly T[] {
  const { knobs, query, world, random } = call;
  const order = parseSortOrder(query, columns, knobs);
  if (knobs.order !== "stable") {
    const before = shuffled(items, random);
    const sorted = order === undefined ? before : itemsAt(before, order.places(before));
    return knobs.order === "shuffle" ? shuffled(sorted, random) : sorted;
  }
  if (order === undefined) return items;
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

function readPerPage(query: URLSearchParams, { maxPerPage, overMaxPerPage }: Knobs): number {
  const asked = wholeNumber(query, "per-page", defaultPerPage);
  if (asked < 1) throw badParameter("per-page", String(asked), "must be 1 or more");
  if (asked <= maxPerPage) return asked;
  if (!query.has("per-page")) return maxPerPage;
  switch (overMaxPerPage) {
    case "clamp":
      return maxPerPage;
    case "reject":
      throw badParameter("per-page", String(asked), `must be ${maxPerPage} or less`);
    case "ignore":
      return Math.min(defaultPerPage, maxPerPage);
  }
}

/** The page that the query asks for, counted from 0; the first where it names none. */
function readPageIndex(query: URLSearchParams, base: Knobs["pageBase"]): number {
  const first = firstPageNumber(base);
  const page = wholeNumber(query, "page", first);
  if (page < first && base === "one-strict")
    throw badParameter("page", String(page), "must be 1 or more, for pages count from 1");
  if (base === "ignored") return 0;
  return base === "one-empty" ? page - first : Math.max(0, page - first);
}

function wholeNumber(query: URLSearchParams, name: string, otherwise: number): number {
  const value = singleValue(query, name);
  if (value === undefined) return otherwise;
  const number = Number(value);
  if (/^\d+$/.test(value) && Number.isSafeInteger(number)) return number;
  throw badParameter(name, value, "must be a whole number, 0 or more");
}

/** The index of the page to answer in the place of one past the end. */
function indexPastEnd(how: Knobs["pastEnd"], index: number, last: number): number {
  switch (how) {
    case "empty":
      return index;
    case "404":
      throw new Refusal(404, "There is no such page");
    case "400":
      throw new Refusal(400, "The page is past the end of the list");
    case "last-again":
      return last;
  }
}

function repeatedRow(how: Knobs["repeatedAs"], row: unknown): unknown {
  if (how === "same" || typeof row !== "object" || row === null || !("email" in row)) return row;
  return { ...row, email: String(row.email).toUpperCase() };
}

/** A page in the envelope of this service, with its links and the total of the whole list. */
export function pageResponse(call: RequestContext, page: Page): ServedAnswer {
  const { envelope, laterEnvelope, pageBase } = call.knobs;
  const kind = page.index > 0 && laterEnvelope !== "same" ? laterEnvelope : envelope;
  const links = pageLinks(call, page);
  const linked = Object.entries(links).flatMap(([relation, address]) =>
    address === undefined ? [] : [`<${address}>; rel="${relation}"`],
  );
  const total = reportedTotal(call.knobs.total, page.total);
  const number = page.index + firstPageNumber(pageBase);
  const body = enveloped(kind, { ...page, next: links.next, prev: links.prev, number, total: total.body });
  return answer(200, body, {
    ...((kind === "L1" || kind === "named") && linked.length > 0 ? { link: linked.join(", ") } : {}),
    ...(total.header === undefined ? {} : { "x-total-count": String(total.header) }),
  });
}

/** A page, and what is shown of its neighbours and of the whole list. */
type EnvelopedPage = Omit<Page, "total"> & {
  /** The number by which callers know this page. */
  readonly number: number;
  readonly total: number | undefined;
  readonly next?: string | undefined;
  readonly prev?: string | undefined;
};

/** The body of a list. JSON leaves out what is not shown. */
export function enveloped(kind: Knobs["envelope"], page: EnvelopedPage): unknown {
  const { name, rows, index, last, perPage, number, total, next, prev } = page;
  const totalPages = total === undefined ? undefined : Math.ceil(total / perPage);
  const springPage = { size: perPage, number: index, totalElements: total, totalPages };
  switch (kind) {
    case "L1":
      return rows;
    case "L2":
      return {
        content: rows,
        ...springPage,
        numberOfElements: rows.length,
        first: index === 0,
        last: index >= last,
      };
    case "L3":
      return { content: rows, page: springPage };
    case "L4":
      return { data: rows, meta: { page: number, per_page: perPage, total }, links: { next: next ?? null } };
    case "L5":
      return { items: rows, total };
    case "L6":
      return { count: total, next: next ?? null, previous: prev ?? null, results: rows };
    case "L7":
      return { start: index * perPage, limit: perPage, length: rows.length, total, [name]: rows };
    case "L8":
      return { totalResults: total, startIndex: index * perPage + 1, itemsPerPage: perPage, Resources: rows };
    case "L9":
      return { _embedded: { [name]: rows }, _links: { next: next && { href: next } }, page: springPage };
    case "L10":
      return { success: true, data: { items: rows }, error: null };
    case "named":
      return { [name]: rows };
    case "unknown":
      return { payload: { rows } };
  }
}

/** The addresses of other pages, by their relation (RFC 8288). */
function pageLinks(call: RequestContext, { index, last, perPage }: Page) {
  const { link, pageBase } = call.knobs;
  if (link === "none") return {};
  const first = firstPageNumber(pageBase);
  const origins: Partial<Record<Knobs["link"], string>> = {
    "http-inner-host": "http://inner:8080",
    relative: "",
    "evil-host": alternateOrigin(call.origin),
  };
  const urlOf = (page: number): string => {
    const query = new URLSearchParams(link === "drops-query" ? undefined : call.query);
    query.set("page", String(page + first));
    if (link !== "drops-query") query.set("per-page", String(perPage));
    return `${origins[link] ?? call.origin}${call.path}?${query}`;
  };
  const following = link === "self-next" ? index : link === "zero-next" ? -first : index + 1;
  return {
    first: urlOf(0),
    prev: index > 0 ? urlOf(Math.min(index - 1, last)) : undefined,
    next: index < last || link === "always" ? urlOf(following) : undefined,
    last: urlOf(last),
  };
}

function reportedTotal(how: Knobs["total"], total: number) {
  const wrong = { "wrong-high": total + 7, "wrong-low": Math.floor(total / 2) };
  const shown = how === "wrong-high" || how === "wrong-low" ? wrong[how] : total;
  return {
    header: how === "body" || how === "none" ? undefined : shown,
    body: how === "header" || how === "none" ? undefined : shown,
  };
}

function firstPageNumber(base: Knobs["pageBase"]): number {
  return base === "zero" ? 0 : 1;
}
