import { success } from "../../model/result.ts";
import { definedFields } from "../../model/role-set.ts";
import {
  asText,
  type Decoded,
  describeShape,
  held,
  isObject,
  type JsonObject,
  misreading,
  refusalIn,
  refused,
} from "./json.ts";

/** The rows of a list answer, with what its envelope says of the whole list. */
export interface ListBody {
  readonly rows: readonly unknown[];
  /** How many rows there are in all. */
  readonly total?: number;
  /** The answer names a next page. */
  readonly next?: NextPage;
}

const listNames = [
  "content",
  "data",
  "items",
  "results",
  "records",
  "Resources",
  "users",
  "accounts",
  "roles",
  "members",
  "teams",
  "value",
];
const innerNames = ["data", "result"];
const totalNames = ["total", "totalElements", "totalCount", "totalResults", "total_count", "count"];
const totalPlaces = ["page", "meta", "pagination", ...innerNames];

/** A bare array, or an object that holds exactly one list under a usual name. Never takes anything else for an empty list. */
export function decodeList(body: unknown): Decoded<ListBody> {
  if (Array.isArray(body)) return success({ rows: body });
  const refusal = refusalIn(body);
  if (refusal !== undefined) return refused(refusal);
  if (!isObject(body)) return misreading(`expected a list, but got ${describeShape(body)}`);
  const lists = listsIn(body);
  const rows = lists[0] ?? emptyHalPage(body);
  if (rows === undefined || lists.length > 1) {
    const count = lists.length > 1 ? "expected one list" : "expected a list";
    return misreading(`${count}, but got ${describeShape(body)}`);
  }
  const total = totalIn(body);
  const next = nextPageIn(body);
  return success({ rows, ...definedFields({ total, next }) });
}

/** Every array that may be the list: under a usual name, there or one level further in, or embedded under any name. */
function listsIn(body: JsonObject): readonly (readonly unknown[])[] {
  const places = [body, ...innerNames.map((name) => held(body, name))].filter(isObject);
  const named = places.flatMap((place) => listNames.map((name) => held(place, name)));
  const embedded = places.map((place) => held(place, "_embedded")).filter(isObject);
  return [...named, ...embedded.flatMap((place) => Object.values(place))].filter((value) => Array.isArray(value));
}

/** A HAL page without rows leaves `_embedded` out. */
function emptyHalPage(body: JsonObject): readonly unknown[] | undefined {
  const page = held(body, "page");
  const isHal = isObject(page) && isObject(held(body, "_links")) && held(body, "_embedded") === undefined;
  return isHal && held(page, "totalElements", "size", "number") !== undefined ? [] : undefined;
}

function totalIn(body: JsonObject): number | undefined {
  const places = [body, ...totalPlaces.map((name) => held(body, name))].filter(isObject);
  return places.flatMap((place) => totalNames.map((name) => held(place, name))).find(isCount);
}

export function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/** Decodes each row, or says which one could not be read. */
export function decodeRows<T>(rows: readonly unknown[], decode: (row: unknown) => Decoded<T>): Decoded<readonly T[]> {
  const decoded: T[] = [];
  for (const [index, row] of rows.entries()) {
    const result = decode(row);
    if (!result.ok) return misreading(`row ${index + 1} of ${rows.length}: ${result.error.why}`);
    decoded.push(result.value);
  }
  return success(decoded);
}

/** A next page that an answer names. It is a hint: never followed, and never the only reason to stop. */
interface NextPage {
  /** Its number, where the hint tells one. */
  readonly page?: number;
}

const nextNames = ["next", "nextPage", "next_page"];
const linkPlaces = ["links", "_links", "paging", "pagination", "meta"];
const moreNames = ["hasNext", "hasMore", "has_next", "has_more"];

/** The next page that the body of a list names. */
function nextPageIn(body: JsonObject): NextPage | undefined {
  const places = [body, ...linkPlaces.map((name) => held(body, name))].filter(isObject);
  const named = places
    .map((place) => held(place, ...nextNames))
    .find((value) => value !== undefined && value !== false);
  if (named !== undefined) return namedPage(isObject(named) ? held(named, "href", "url") : named);
  const goesOn = places.some((place) => moreNames.some((name) => held(place, name) === true));
  return goesOn || held(body, "last") === false ? {} : undefined;
}

/** The next page that a `Link` header names. */
export function nextPageInHeader(link: string | undefined): NextPage | undefined {
  const named = (link ?? "").split(/,(?=\s*<)/u).find((part) => /;\s*rel="?[^";]*\bnext\b/iu.test(part));
  return named === undefined ? undefined : namedPage(/<([^>]*)>/u.exec(named)?.[1]);
}

function namedPage(value: unknown): NextPage | undefined {
  const text = asText(value);
  if (text === undefined || text === "") return undefined;
  const number = /^\d{1,9}$/u.test(text) ? text : /[?&]page=(\d{1,9})(?:&|#|$)/u.exec(text)?.[1];
  return number === undefined ? {} : { page: Number(number) };
}
