import { problem, type Result, success } from "../../model/result.ts";
import { definedFields } from "../../model/role-set.ts";
import { excerpt, withoutSecrets } from "../redact.ts";

/** A JSON object as it came. Read it with the functions of this file alone, which see own properties only. */
export interface JsonObject {
  readonly [name: string]: unknown;
}

/** Why a body is not what its route answers: names and kinds of what was seen, never its values. */
export interface Misreading {
  readonly why: string;
  /** The body is no answer of the route but says that the call failed. */
  readonly refused?: BodyRefusal;
}

export type Decoded<T> = Result<T, Misreading>;

export function misreading(why: string): { readonly ok: false; readonly error: Misreading } {
  return problem({ why });
}

/** Instead of whatever was expected, the body says that the call failed. */
export function refused(refusal: BodyRefusal): { readonly ok: false; readonly error: Misreading } {
  return problem({ why: "it reports a failure", refused: refusal });
}

export function parseJson(text: string): Result<unknown, "not-json"> {
  try {
    return success(JSON.parse(text.startsWith("\uFEFF") ? text.slice(1) : text));
  } catch {
    return problem("not-json");
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The first of the named properties that is there, null included. */
export function shown(object: JsonObject, ...names: readonly string[]): unknown {
  for (const name of names) if (Object.hasOwn(object, name)) return object[name];
  return undefined;
}

/** The first of the named properties that holds a value. */
export function held(object: JsonObject, ...names: readonly string[]): unknown {
  return heldAmong(object, names);
}

/** The same for names that are listed once. Thousands of rows are read so, which an iterator would slow. */
function heldAmong(object: JsonObject, names: readonly string[]): unknown {
  for (let index = 0; index < names.length; index += 1) {
    const name = names[index];
    const value = name !== undefined && Object.hasOwn(object, name) ? object[name] : undefined;
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

/** A text, or a number as a service may write an identifier. */
export function textOf(object: JsonObject, ...names: readonly string[]): string | undefined {
  return textAmong(object, names);
}

/** The same for names that are listed once. */
export function textAmong(object: JsonObject, names: readonly string[]): string | undefined {
  return asText(heldAmong(object, names));
}

/** A whole number too large to be exact is not a text: it would name somebody else. */
export function asText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value !== "number" || !Number.isFinite(value)) return undefined;
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : String(value);
}

/** A text that is not empty: an empty identifier names nothing. */
export function identifierOf(object: JsonObject, ...names: readonly string[]): string | undefined {
  const text = textAmong(object, names);
  return text === "" ? undefined : text;
}

/** What was seen in place of what was expected, without any value. */
export function describeShape(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : `a list of ${value.length}`;
  if (!isObject(value)) return `a ${typeof value}`;
  const names = Object.keys(value);
  if (names.length === 0) return "an object without fields";
  const more = names.length > 12 ? ` and ${names.length - 12} more` : "";
  const listed = names.slice(0, 12).map((name) => excerpt(name, 40, withoutSecrets));
  return `an object with the fields ${listed.join(", ")}${more}`;
}

/** What an answer of success says all the same: that the call failed. Some services answer 200 to everything. */
export interface BodyRefusal {
  /** The status that the body names, such as 404. */
  readonly status?: number;
  readonly words?: string;
}

export function refusalIn(body: unknown): BodyRefusal | undefined {
  if (typeof body === "string") return failureWords.has(body.trim().toLowerCase()) ? { words: body } : undefined;
  if (!isObject(body)) return undefined;
  const status = failureStatus(body);
  const words = errorMessage(body);
  if (status === undefined && !saysFailure(body)) return undefined;
  return definedFields({ status, words });
}

/** The same, also for a refusal that stands in an envelope or in a list of one. */
export function refusalWithin(body: unknown): BodyRefusal | undefined {
  const record: unknown = Array.isArray(body) && body.length === 1 ? body[0] : body;
  const inner = isObject(record) ? held(record, "data", "result") : undefined;
  return [record, Array.isArray(inner) && inner.length === 1 ? inner[0] : inner]
    .map(refusalIn)
    .find((refusal) => refusal !== undefined);
}

/** A status of failure as a number, which some write as a text. */
export function failureStatus(record: JsonObject): number | undefined {
  const error = held(record, "error");
  const candidates = [
    held(record, "statusCode"),
    held(record, "status"),
    isObject(error) ? held(error, "status", "code") : undefined,
  ];
  return candidates.map(asStatus).find((status) => status !== undefined);
}

function asStatus(value: unknown): number | undefined {
  const status = typeof value === "string" && /^[45]\d\d$/u.test(value.trim()) ? Number(value) : value;
  return typeof status === "number" && Number.isInteger(status) && status >= 400 && status < 600 ? status : undefined;
}

/** `success: false`, a word of failure as status, or an error that is not empty. */
export function saysFailure(record: JsonObject): boolean {
  if (shown(record, "success") === false || shown(record, "ok") === false) return true;
  const word = held(record, "status");
  if (typeof word === "string" && failureWords.has(word.trim().toLowerCase())) return true;
  return [held(record, "error"), held(record, "errors"), held(record, "errorMessage")].some(saysSomething);
}

const failureWords: ReadonlySet<string> = new Set(["error", "failed", "failure", "fail"]);

function saysSomething(error: unknown): boolean {
  if (error === undefined || error === false || error === "" || error === 0) return false;
  if (Array.isArray(error)) return error.length > 0;
  return !isObject(error) || Object.keys(error).length > 0;
}

/** They are cut to what is shown only once they are without secrets. */
const longest = 16_384;

/** The service's own words in an error's body, in whichever of the usual places they stand. */
export function errorMessage(body: unknown): string | undefined {
  const words = isObject(body) ? messageIn(body) : asText(body);
  return words?.slice(0, longest);
}

function messageIn(body: JsonObject): string | undefined {
  const error = held(body, "error");
  const errors = held(body, "errors");
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
  return firstText([
    held(body, "message"),
    held(body, "detail"),
    held(body, "error_description"),
    held(body, "errorMessage"),
    isObject(error) ? held(error, "message", "detail", "description") : error,
    held(body, "title"),
    isObject(first) ? held(first, "message", "detail", "title") : first,
  ]);
}

function firstText(candidates: readonly unknown[]): string | undefined {
  return candidates.map(asText).find((text) => text !== undefined && text.trim() !== "");
}

/** What a list shows of one thing: a record with an identifier, or the bare identifier. `what`: such as `a role`. */
export function decodeIdentified(
  value: unknown,
  what: string,
): Decoded<{ readonly identifier: string; readonly record: JsonObject }> {
  const record = isObject(value) ? value : {};
  const identifier = isObject(value) ? identifierOf(value, "identifier", "id") : asText(value);
  if (identifier !== undefined && identifier !== "") return success({ identifier, record });
  return misreading(`expected ${what} with an identifier, but got ${describeShape(value)}`);
}

/** A record while it is being made, field by field: there are very many users and keys. */
export type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

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
  return pageInHeader(link, /;\s*rel="?[^";]*\bnext\b/iu);
}

function pageInHeader(link: string | undefined, relation: RegExp): NextPage | undefined {
  const named = (link ?? "").split(/,(?=\s*<)/u).find((part) => relation.test(part));
  return named === undefined ? undefined : namedPage(/<([^>]*)>/u.exec(named)?.[1]);
}

/** The number of the last page, as a `Link` header names it. */
export function lastPageInHeader(link: string | undefined): number | undefined {
  return pageInHeader(link, /;\s*rel="?[^";]*\blast\b/iu)?.page;
}

function namedPage(value: unknown): NextPage | undefined {
  const text = asText(value);
  if (text === undefined || text === "") return undefined;
  const number = /^\d{1,9}$/u.test(text) ? text : /[?&]page=(\d{1,9})(?:&|#|$)/u.exec(text)?.[1];
  return number === undefined ? {} : { page: Number(number) };
}
