import { type Answer, errorAnswer, json } from "./second-answers.ts";
import type { Json, JsonObject } from "./second-rows.ts";
import type { World } from "./second-world.ts";

/** What a read was asked with, beside its route. */
export interface ReadRequest {
  readonly origin: string;
  readonly path: string;
  readonly query: URLSearchParams;
}

interface Page {
  readonly rows: readonly Json[];
  readonly size: number;
  /** As this service counts pages. */
  readonly number: number;
  readonly first: number;
  readonly total: number;
  readonly next: string | null;
}

/** A whole list in one answer, in the envelope that this service uses. */
export function wholeList(world: World, name: string, rows: readonly Json[]): Answer {
  const page = { rows, size: Math.max(rows.length, 1), number: 1, first: 1, total: rows.length, next: null };
  return json(200, enveloped(world, name, page));
}

/** A list and the name that some envelopes give it. */
interface List {
  readonly name: string;
  readonly rows: readonly JsonObject[];
  readonly shown?: (row: JsonObject) => Json;
}

/** One page of a list, as the query asks for it. */
export function pagedList(world: World, request: ReadRequest, { name, rows, shown }: List): Answer {
  const { ways } = world;
  const sorted = sortRows(world, request.query, inPlaceAt(world, request.query, rows));
  if (sorted === undefined) {
    return errorAnswer(world, ways.unknownSort === "fails" ? 500 : 400, "This field cannot be sorted by");
  }
  const page = pageOf(world, request, shown === undefined ? sorted : sorted.map(shown));
  if (typeof page === "string")
    return errorAnswer(world, page === "not-found" ? 404 : 400, "This page cannot be shown");
  return json(200, enveloped(world, name, page), {
    ...(ways.totals === "header" ? { "x-total-count": `${page.total}` } : {}),
    ...(page.next === null ? {} : { link: `<${page.next}>; rel="next"` }),
  });
}

/** A row may have moved to the front after the first page was read, so that no later page shows it. */
function inPlaceAt({ ways }: World, query: URLSearchParams, rows: readonly JsonObject[]): readonly JsonObject[] {
  if (ways.movingRows === "none") return rows;
  const first = ways.pageBase === "zero" ? 0 : 1;
  const isLater = (wholeNumber(query.get("page"), first) ?? first) > first;
  return isLater ? [...rows.slice(-1), ...rows.slice(0, -1)] : rows;
}

function sortRows(
  { ways, random }: World,
  query: URLSearchParams,
  rows: readonly JsonObject[],
): readonly JsonObject[] | undefined {
  const fields = (query.get("sort-by") ?? "").split(",").filter((field) => field !== "");
  const unknown = fields.some((field) => rows.length > 0 && rows.every((row) => row[field] === undefined));
  if (unknown && ways.unknownSort !== "ignored") return undefined;
  const sign = (query.get("direction") ?? "ASC").toUpperCase() === "DESC" ? -1 : 1;
  const first = inOrder(ways, random, rows);
  const order = unknown ? [] : fields;
  return order.length === 0
    ? first
    : first.toSorted((one, other) => {
        const field = order.find((name) => textOf(one[name]) !== textOf(other[name]));
        return field === undefined ? 0 : sign * compare(textOf(one[field]), textOf(other[field]));
      });
}

function inOrder(ways: World["ways"], random: () => number, rows: readonly JsonObject[]): readonly JsonObject[] {
  const address = (row: JsonObject) => textOf(row[ways.addressField]);
  switch (ways.order) {
    case "oldest-first":
      return rows;
    case "newest-first":
      return rows.toReversed();
    case "by-address":
      return rows.toSorted((one, other) => compare(address(one), address(other)));
    case "shuffled":
      return rows
        .map((row) => ({ row, place: random() }))
        .toSorted((one, other) => one.place - other.place)
        .map(({ row }) => row);
  }
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" || typeof value === "number" ? `${value}` : "";
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function pageOf(world: World, request: ReadRequest, rows: readonly Json[]): Page | "refused" | "not-found" {
  const { ways } = world;
  const size = pageSize(ways, request.query);
  const asked = wholeNumber(request.query.get("page"), ways.pageBase === "zero" ? 0 : 1);
  if (size === undefined || asked === undefined) return "refused";
  const first = ways.pageBase === "zero" ? 0 : 1;
  const last = first + Math.max(Math.ceil(rows.length / size) - 1, 0);
  const shown = shownPage(ways, asked, { first, last });
  if (shown === "refused" || shown === "not-found") return shown;
  const part = shown === "empty" ? [] : rows.slice((shown - first) * size, (shown - first + 1) * size);
  const number = shown === "empty" ? asked : shown;
  const next = nextLink(ways, request, { number, last, size });
  return { rows: part, size, number, first, total: rows.length, next };
}

const defaultSize = 10;

function pageSize(ways: World["ways"], query: URLSearchParams): number | undefined {
  const size = wholeNumber(query.get("per-page"), defaultSize);
  if (size === undefined || size === 0) return undefined;
  if (ways.movingRows === "between-pages-of-3") return Math.min(size, 3);
  switch (ways.pageCap) {
    case "none":
      return size;
    case "clamped-to-3":
      return Math.min(size, 3);
    case "clamped-to-10":
      return Math.min(size, 10);
    case "over-50-refused":
      return size > 50 ? undefined : size;
    case "over-10-refused":
      return size > 10 ? undefined : size;
  }
}

function wholeNumber(text: string | null, otherwise: number): number | undefined {
  if (text === null) return otherwise;
  return /^\d{1,9}$/u.test(text) ? Number(text) : undefined;
}

interface Bounds {
  readonly first: number;
  readonly last: number;
}

function shownPage(
  ways: World["ways"],
  asked: number,
  { first, last }: Bounds,
): number | "empty" | "refused" | "not-found" {
  if (asked < first) {
    if (ways.pageBase === "zero-is-one") return first;
    return ways.pageBase === "one-refuses-zero" ? "refused" : "empty";
  }
  if (asked <= last) return asked;
  if (ways.pastEnd === "last-page-again") return last;
  return ways.pastEnd === "not-found" ? "not-found" : "empty";
}

interface Place {
  readonly number: number;
  readonly last: number;
  readonly size: number;
}

function nextLink(ways: World["ways"], { origin, path }: ReadRequest, { number, last, size }: Place): string | null {
  const to = (page: number) => `${path}?page=${page}&per-page=${size}`;
  const hasNext = number < last;
  switch (ways.links) {
    case "none":
      return null;
    case "right":
      return hasNext ? `${origin}${to(number + 1)}` : null;
    case "relative":
      return hasNext ? to(number + 1) : null;
    case "always":
      return `${origin}${to(number + 1)}`;
    case "same-page":
      return hasNext ? `${origin}${to(number)}` : null;
    case "other-host":
      return hasNext ? `http://inner.example:8080${to(number + 1)}` : null;
  }
}

function enveloped({ ways }: World, name: string, page: Page): Json {
  const { rows, size, total, next } = page;
  const totals = (fields: JsonObject): JsonObject => (ways.totals === "body" ? fields : {});
  const number = Math.max(page.number - page.first, 0);
  const totalPages = Math.ceil(total / size);
  switch (ways.envelope) {
    case "none":
      return rows;
    case "page":
      return {
        content: rows,
        number,
        size,
        numberOfElements: rows.length,
        ...totals({ totalElements: total, totalPages }),
      };
    case "paged-model":
      return { content: rows, page: { size, number, ...totals({ totalElements: total, totalPages }) } };
    case "data":
      return { data: rows, meta: { page: page.number, per_page: size, ...totals({ total }) }, links: { next } };
    case "items":
      return { items: rows, ...totals({ total }) };
    case "results":
      return { ...totals({ count: total }), next, previous: null, results: rows };
    case "named":
      return { start: number * size, limit: size, length: rows.length, ...totals({ total }), [name]: rows };
    case "scim":
      return { ...totals({ totalResults: total }), startIndex: number * size + 1, itemsPerPage: size, Resources: rows };
    case "hal":
      return {
        _embedded: { [name]: rows },
        ...(next === null ? {} : { _links: { next: { href: next } } }),
        page: { number },
      };
    case "success":
      return { success: true, data: { items: rows, ...totals({ total }) }, error: null };
  }
}
