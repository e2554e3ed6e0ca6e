import { definedFields } from "../../model/collections.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { profileFieldNames } from "../../model/values.ts";
import { excerpt, withoutSecrets } from "../secrets.ts";

/** A JSON object as it came. Read it with the functions of this file alone, which see own properties only (trap 59). */
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

/** What a property holds, null included. */
export function shown(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** The first of the named properties that holds a value. */
export function held(object: JsonObject, ...names: readonly string[]): unknown {
  for (const name of names) {
    const value = Object.hasOwn(object, name) ? object[name] : undefined;
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

/** An object, and what its named properties hold, as far as those are objects. */
function objectsIn(object: JsonObject, names: readonly string[]): readonly JsonObject[] {
  return [object, ...names.map((name) => shown(object, name)).filter(isObject)];
}

/** A list of one is that one. */
export function onlyOne(value: unknown): unknown {
  return Array.isArray(value) && value.length === 1 ? value[0] : value;
}

/** A text, or a number as a service may write an identifier. */
export function textOf(object: JsonObject, ...names: readonly string[]): string | undefined {
  return asText(held(object, ...names));
}

/** A whole number too large to be exact is not a text: it would name somebody else. */
export function asText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value !== "number" || !Number.isFinite(value)) return undefined;
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : String(value);
}

/** A text that is not empty: an empty identifier names nothing. */
export function identifierOf(object: JsonObject, ...names: readonly string[]): string | undefined {
  return textOf(object, ...names) || undefined;
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

/** What an answer of success says all the same: that the call failed. Some services answer 200 to everything (trap 48). */
export interface BodyRefusal {
  /** The status that the body names, such as 404. */
  readonly status?: number;
  readonly words?: string;
}

export function refusalIn(body: unknown): BodyRefusal | undefined {
  if (typeof body === "string") return isFailureWord(body) ? { words: body } : undefined;
  if (!isObject(body)) return undefined;
  const status = failureStatus(body);
  if (status === undefined && !saysFailure(body)) return undefined;
  return definedFields({ status, words: errorMessage(body) });
}

/** The same, also for a refusal that stands in an envelope or in a list of one. */
export function refusalWithin(body: unknown): BodyRefusal | undefined {
  const record = onlyOne(body);
  const inner = isObject(record) ? onlyOne(held(record, "data", "result")) : undefined;
  return refusalIn(record) ?? refusalIn(inner);
}

/** A status of failure as a number, which some write as a text. */
export function failureStatus(record: JsonObject): number | undefined {
  const error = held(record, "error");
  const inError = isObject(error) ? held(error, "status", "code") : undefined;
  for (const written of [held(record, "statusCode"), held(record, "status"), inError]) {
    const status = typeof written === "string" && /^[45]\d\d$/u.test(written.trim()) ? Number(written) : written;
    if (isCount(status) && status >= 400 && status < 600) return status;
  }
  return undefined;
}

/** `success: false`, a word of failure as status, or an error that is not empty. */
export function saysFailure(record: JsonObject): boolean {
  if (shown(record, "success") === false || shown(record, "ok") === false) return true;
  if (isFailureWord(held(record, "status"))) return true;
  return ["error", "errors", "errorMessage"].map((name) => held(record, name)).some(saysSomething);
}

function isFailureWord(value: unknown): boolean {
  return typeof value === "string" && ["error", "failed", "failure", "fail"].includes(value.trim().toLowerCase());
}

function saysSomething(error: unknown): boolean {
  if (error === undefined || error === false || error === "" || error === 0) return false;
  return typeof error !== "object" || error === null || Object.keys(error).length > 0;
}

/** They are cut to what is shown only once they are without secrets. */
const longest = 16_384;

/** The service's own words in an error's body, in whichever of the usual places they stand. */
export function errorMessage(body: unknown): string | undefined {
  if (!isObject(body)) return asText(body)?.slice(0, longest);
  const errors = held(body, "errors");
  const [error, first]: readonly unknown[] = [held(body, "error"), Array.isArray(errors) ? errors[0] : undefined];
  const words = [
    ...["message", "detail", "error_description", "errorMessage"].map((name) => held(body, name)),
    isObject(error) ? held(error, "message", "detail", "description") : error,
    held(body, "title"),
    isObject(first) ? held(first, "message", "detail", "title") : first,
  ].map(asText);
  return words.find((text) => text !== undefined && text.trim() !== "")?.slice(0, longest);
}

/** What a list shows of one thing: a record with an identifier, or the bare identifier. `what`: such as `a role`. */
export function decodeIdentified(value: unknown, what: string) {
  const record = isObject(value) ? value : {};
  const identifier = isObject(value) ? identifierOf(value, "identifier", "id") : asText(value) || undefined;
  if (identifier !== undefined) return success({ identifier, record });
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
  ...["content", "data", "items", "results", "records", "Resources"],
  ...["users", "accounts", "roles", "members", "teams", "value"],
];
const innerNames = ["data", "result"];
const totalNames = ["total", "totalElements", "totalCount", "totalResults", "total_count", "count"];

/** A bare array, or an object that holds exactly one list under a usual name. Never takes anything else for an empty list (trap 12). */
export function decodeList(body: unknown): Decoded<ListBody> {
  if (Array.isArray(body)) return success({ rows: body });
  const refusal = refusalIn(body);
  if (refusal !== undefined) return refused(refusal);
  if (!isObject(body)) return misreading(`expected a list, but got ${describeShape(body)}`);
  const [rows = emptyHalPage(body), another] = listsIn(body);
  if (rows === undefined || another !== undefined) {
    return misreading(`expected ${another === undefined ? "a" : "one"} list, but got ${describeShape(body)}`);
  }
  const counted = objectsIn(body, ["page", "meta", "pagination", ...innerNames]);
  const total = counted.flatMap((place) => totalNames.map((name) => shown(place, name))).find(isCount);
  return success({ rows, ...definedFields({ total, next: nextPageIn(body) }) });
}

/** Every array that may be the list: under a usual name, there or one level further in, or embedded under any name. */
function listsIn(body: JsonObject): readonly (readonly unknown[])[] {
  const places = objectsIn(body, innerNames);
  const named = places.flatMap((place) => listNames.map((name) => shown(place, name)));
  const embedded = places.map((place) => shown(place, "_embedded")).filter(isObject);
  return [...named, ...embedded.flatMap((place) => Object.values(place))].filter((value) => Array.isArray(value));
}

/** A HAL page without rows leaves `_embedded` out. */
function emptyHalPage(body: JsonObject): readonly unknown[] | undefined {
  const page = shown(body, "page");
  const isHal = isObject(page) && isObject(shown(body, "_links")) && held(body, "_embedded") === undefined;
  return isHal && held(page, "totalElements", "size", "number") !== undefined ? [] : undefined;
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

/** A next page that an answer names, with its number where the hint tells one. Never followed, and never the only reason to stop (trap 7). */
interface NextPage {
  readonly page?: number;
}

/** The next page that the body of a list names. */
function nextPageIn(body: JsonObject): NextPage | undefined {
  const places = objectsIn(body, ["links", "_links", "paging", "pagination", "meta"]);
  const named = places.map((place) => held(place, "next", "nextPage", "next_page"));
  const next = named.find((value) => value !== undefined && value !== false);
  if (next !== undefined) return namedPage(isObject(next) ? held(next, "href", "url") : next);
  const moreNames = ["hasNext", "hasMore", "has_next", "has_more"];
  const goesOn = places.some((place) => moreNames.some((name) => shown(place, name) === true));
  return goesOn || shown(body, "last") === false ? {} : undefined;
}

/** The next page that a `Link` header names. */
export function nextPageInHeader(link: string | undefined): NextPage | undefined {
  return pageInHeader(link, /;\s*rel="?[^";]*\bnext\b/iu);
}

/** The number of the last page, as a `Link` header names it. */
export function lastPageInHeader(link: string | undefined): number | undefined {
  return pageInHeader(link, /;\s*rel="?[^";]*\blast\b/iu)?.page;
}

function pageInHeader(link: string | undefined, relation: RegExp): NextPage | undefined {
  const named = (link ?? "").split(/,(?=\s*<)/u).find((part) => relation.test(part));
  return named === undefined ? undefined : namedPage(/<([^>]*)>/u.exec(named)?.[1]);
}

function namedPage(value: unknown): NextPage | undefined {
  const text = asText(value);
  if (text === undefined || text === "") return undefined;
  const number = /^\d{1,9}$/u.test(text) ? text : /[?&]page=(\d{1,9})(?:&|#|$)/u.exec(text)?.[1];
  return number === undefined ? {} : { page: Number(number) };
}

const userFields = ["identifier", "email", "status", "account", "keys", ...profileFieldNames] as const;

/** The parts of answers that can be mapped, and the fields of each. Pointers to fields start at the row, if there are rows. */
export const shapeFields = {
  users: ["list", "total", ...userFields],
  search: ["list", "total"],
  accounts: ["list", "total", "identifier", "name", "status"],
  account: ["name", "status", "users"],
  roles: ["list", "total", "identifier", "name", "type"],
  key: ["prefix", "status", "kind", "team", "roles", "isDefault"],
  team: ["identifier", "name"],
  createdUser: [...userFields, "prefix", "team"],
  addedMembers: ["list", "identifier", "email", "key", "prefix", "error"],
  replacedRoles: ["list"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

type ShapePart = keyof typeof shapeFields;

/** Where a service's answers hold what roster could not find by itself. */
export type Shapes = {
  readonly [Part in ShapePart]?: Readonly<Partial<Record<(typeof shapeFields)[Part][number], Pointer>>>;
};

/** A JSON Pointer (RFC 6901), such as `/payload/rows`. */
export type Pointer = string;

/** Says what is wrong with a pointer, or nothing. */
export function pointerProblem(text: string): string | undefined {
  if (text !== "" && !text.startsWith("/"))
    return `\`${text}\` is not a JSON Pointer. It must start with a slash, like /payload/rows`;
  return /~(?![01])/u.test(text)
    ? `\`${text}\` is not a JSON Pointer. Write ~ as ~0, and / inside a name as ~1`
    : undefined;
}

/** What a pointer leads to; `undefined` where it leads nowhere. Sees own properties only. */
export function pointedAt(value: unknown, pointer: Pointer): unknown {
  let at = value;
  for (const written of pointer.split("/").slice(1)) {
    const step = written.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, step)) return undefined;
    at = Object.entries(at).find(([name]) => name === step)?.[1];
  }
  return at;
}

type ReadList = (body: unknown) => Decoded<ListBody>;

/** Brings answers of mapped shapes into those that the decoders know. What is not mapped stays as it is. */
export type Reshape = ReturnType<typeof reshapeBy>;

const keyLists = ["accessKeys", "listAccessKeys", "keys", "apiKeys"];

export function reshapeBy(shapes: Shapes) {
  const { users = {}, search = users, accounts = {}, roles = {}, account = {}, createdUser = {} } = shapes;
  const { list: membersAt, key: memberKey, ...memberFields } = shapes.addedMembers ?? {};
  const team = overlay(shapes.team ?? {});
  const key = keyChange(shapes.key ?? {}, shapes.team ?? {}, team);
  const user = userChange(users, key);
  const member = inTurn(overlay({ ...memberFields, accessKey: memberKey }), within(["accessKey", ...keyLists], key));
  const rowsOf = (fields: FieldPointers) => overlay({ ...fields, list: undefined, total: undefined });
  return {
    users: (decode: ReadList) => listAt(users, decode, user),
    search: (decode: ReadList) => listAt(search, decode, user),
    accounts: (decode: ReadList) => listAt(accounts, decode, rowsOf(accounts)),
    roles: (decode: ReadList) => listAt(roles, decode, rowsOf(roles)),
    account: inTurn(overlay(account), within(["users"], user)),
    createdUser: inTurn(userChange(createdUser, key), within(["team"], team)),
    addedMembers: inTurn(wholeAt(membersAt), (body) => (Array.isArray(body) ? body.map(member) : body)),
    replacedRoles: wholeAt(shapes.replacedRoles?.list),
  };
}

/** Pointers by the name under which the decoders know what they lead to. */
type FieldPointers = Readonly<Record<string, Pointer | undefined>>;

/** Changes a value, or leaves it as it is. */
type Change = (value: unknown) => unknown;

const unchanged: Change = (value) => value;

function keyChange(fields: FieldPointers, teamFields: FieldPointers, team: Change): Change {
  if (fields["team"] !== "") return inTurn(overlay(fields), within(["team"], team));
  return inTurn(overlay({ ...fields, team: undefined }), flatTeam(teamFields));
}

/** A team whose fields stand on the key itself: none where all of them are null. */
function flatTeam(fields: FieldPointers): Change {
  return (row) => {
    if (!isObject(row)) return row;
    const pointed = Object.entries(fields).map(([name, pointer]) => [name, pointedAt(row, pointer ?? "")] as const);
    const shown = pointed.filter(([, value]) => value !== undefined);
    if (shown.length === 0) return row;
    const isNone = shown.every(([, value]) => value === null);
    return { ...row, team: isNone ? null : Object.fromEntries(shown) };
  };
}

/** A user with mapped fields; mapped keys, and a mapped prefix of a new key, stand in for whatever else looks like keys. */
function userChange({ keys, prefix, list: _list, total: _total, ...fields }: FieldPointers, key: Change): Change {
  const laid = overlay({ ...fields, accessKeys: keys });
  const user: Change = (row) => {
    const changed = laid(row);
    const found = prefix === undefined ? undefined : pointedAt(row, prefix);
    if (!isObject(changed) || (keys === undefined && found === undefined)) return changed;
    const others = Object.entries(changed).filter(([name]) => !keyLists.includes(name));
    const mapped = found === undefined ? changed["accessKeys"] : [{ prefix: found }];
    return { ...Object.fromEntries(others), accessKeys: mapped };
  };
  return inTurn(laid === unchanged && prefix === undefined ? unchanged : user, within(keyLists, key));
}

function wholeAt(pointer: Pointer | undefined): Change {
  return pointer === undefined ? unchanged : (body) => pointedAt(body, pointer) ?? body;
}

/** The list under its pointer, or where `decode` finds it. A pointer that leads to no list is a misreading. */
function listAt({ list: pointer, total }: FieldPointers, decode: ReadList, row: Change): ReadList {
  const read: ReadList = pointer === undefined ? decode : (body) => rowsAt(body, pointer, total);
  if (row === unchanged) return read;
  return (body) => {
    const list = read(body);
    return list.ok ? success({ ...list.value, rows: list.value.rows.map(row) }) : list;
  };
}

function rowsAt(body: unknown, pointer: Pointer, total: Pointer | undefined): Decoded<ListBody> {
  const rows = pointedAt(body, pointer);
  if (!Array.isArray(rows)) {
    return misreading(`the settings name its list at ${pointer || "the top"}, but there is ${describeShape(rows)}`);
  }
  const counted = total === undefined ? undefined : pointedAt(body, total);
  return success({ rows, ...(isCount(counted) ? { total: counted } : {}) });
}

/** Puts each mapped field that is there under its own name, next to everything else. */
function overlay(fields: FieldPointers): Change {
  const mapped = Object.entries(fields).filter((field): field is [string, Pointer] => field[1] !== undefined);
  if (mapped.length === 0) return unchanged;
  return (value) => {
    if (!isObject(value)) return value;
    const found = mapped.map(([name, pointer]): [string, unknown] => [name, pointedAt(value, pointer)]);
    return { ...value, ...Object.fromEntries(found.filter(([, there]) => there !== undefined)) };
  };
}

/** Changes what stands under one of the names, where it is there; lists, entry by entry. */
function within(names: readonly string[], change: Change): Change {
  if (change === unchanged) return unchanged;
  const each: Change = (held) => (Array.isArray(held) ? held.map(change) : change(held));
  return (value) => {
    if (!isObject(value)) return value;
    const entries = Object.entries(value).map(([name, held]) => [name, names.includes(name) ? each(held) : held]);
    return Object.fromEntries(entries);
  };
}

function inTurn(...changes: readonly Change[]): Change {
  const real = changes.filter((change) => change !== unchanged);
  return real.length === 0 ? unchanged : (value) => real.reduce((changed, change) => change(changed), value);
}
