import { foldAddress } from "../model/address.ts";
import { maxRenewals } from "../model/capabilities.ts";
import { type Failure, problem, type Result, success } from "../model/result.ts";
import { definedFields } from "../model/role-set.ts";
import type { ObservedAccount, ObservedRole, ObservedUser } from "../model/snapshot.ts";
import type { UserList } from "../ports/account-service.ts";
import {
  type Decoded,
  decodeList,
  decodeRows,
  type ListBody,
  lastPageInHeader,
  nextPageInHeader,
} from "./decode/json.ts";
import { decodeRole } from "./decode/key.ts";
import { decodeFound, decodeListedAccount, decodeUser } from "./decode/user.ts";
import { type Page, saysNoSuchPage, scanPages } from "./page-scan.ts";
import {
  type LearnedPaging,
  learnPaging,
  type PageRequest,
  type Walk,
  type WalkOptions,
  walkPages,
} from "./page-walk.ts";
import { type Call, requestName } from "./requests.ts";
import type { Caller, Reply, ServiceParts } from "./retry.ts";

const perPage = 100;
/** Tried for a list of users that does not fit on a page of `perPage`. */
const largePerPage = 1000;
const maxPages = 20_000;

/** Walks the whole list of users; users are distinguished by identifier, else by address. */
export async function listUsers(
  parts: ServiceParts,
  signal: AbortSignal | undefined,
): Promise<Result<UserList, Failure>> {
  const { caller, clock, requests, reshape, learned, unread } = parts;
  const decodeRow = (row: unknown) => {
    unread.noteUser(row);
    return decodeUser(row, "list");
  };
  const reading = { list: reshape.users(decodeList), row: decodeRow };
  const readPage = (request: PageRequest) => readCollection(caller, requests.users(request), reading, signal);
  const larger = { perPage: largePerPage, clock };
  const walk = await walkWhole<ObservedUser>({ readPage, keyOf: userKey, stableOrder: "email", larger }, parts);
  if (!walk.ok) return walk;
  learnPaging(learned, walk.value);
  return success({
    users: walk.value.rows,
    complete: isEmptyUncounted(walk.value) ? emptyListInDoubt : walk.value.complete,
  });
}

/** A list of nobody is believed where the service counts nobody either: the owner of the key in use is somebody. */
function isEmptyUncounted({ rows, complete, showsTotal }: Walk<ObservedUser>): boolean {
  return complete.yes && rows.length === 0 && !showsTotal;
}

const emptyListInDoubt: UserList["complete"] = {
  yes: false,
  why: "it shows no users and no total, but the key in use belongs to a user",
};

/** Tells users apart. */
function userKey({ identifier, address }: ObservedUser): string {
  return identifier === undefined ? `address ${address}` : `identifier ${identifier}`;
}

/** Walks with what earlier walks have learned of this service's pages. */
function walkWhole<Row>(
  walk: Pick<WalkOptions<Row>, "readPage" | "keyOf" | "stableOrder" | "larger">,
  { caller, parallelism, learned: { firstPage, namesNextAlways } }: ServiceParts,
): Promise<Result<Walk<Row>, Failure>> {
  const options = { ...walk, firstPage, namesNextAlways, perPage, parallelism, maxPages };
  return withOneKey(caller, () => walkPages(options));
}

/** Reads anew where the key has changed meanwhile: another key may see other rows, and pages of two keys are no list. */
async function withOneKey<T>(
  caller: Caller,
  read: () => Promise<Result<T, Failure>>,
  renewals = 0,
): Promise<Result<T, Failure>> {
  const before = caller.keyChanges;
  const came = await read();
  if (caller.keyChanges === before) return came;
  if (renewals === maxRenewals) return came.ok ? problem(keysTooShort) : came;
  return withOneKey(caller, read, renewals + 1);
}

const keysTooShort: Failure = {
  code: "unauthorized",
  message: `roster read one list ${maxRenewals + 1} times, and the API key changed each time`,
  hint: "Use keys that stay valid for as long as roster reads the list of users",
};

/** Every account that the key may see. */
export async function listAccounts(
  parts: ServiceParts,
  signal: AbortSignal | undefined,
): Promise<Result<readonly ObservedAccount[], Failure>> {
  const { caller, requests, reshape } = parts;
  const reading = { list: reshape.accounts(decodeList), row: decodeListedAccount };
  const readPage = (request: PageRequest) => readCollection(caller, requests.accounts(request), reading, signal);
  const walk = await walkWhole<ObservedAccount>(
    { readPage, keyOf: ({ identifier }) => identifier, stableOrder: "identifier" },
    parts,
  );
  if (!walk.ok) return walk;
  const { complete, rows } = walk.value;
  if (complete.yes) return success(rows);
  const message = `The list of accounts is incomplete: ${complete.why}`;
  return problem({ code: "misunderstood", message, request: requestName(requests.accounts({})) });
}

/**
 * Every role. Roles are few: one request without a page number mostly shows them all, and the pages are walked only if it
 * may not. Of a list that may lack some, those that were shown are known: the others are not, and delay the caller that asks for them.
 */
export async function listRoles(
  parts: ServiceParts,
  signal: AbortSignal | undefined,
): Promise<Result<readonly ObservedRole[], Failure>> {
  const { caller, requests, reshape, learned } = parts;
  const reading = { list: reshape.roles(decodeList), row: decodeRole };
  const first = await readCollection(caller, requests.roles({ perPage }), reading, signal);
  if (!first.ok && !saysNoSuchPage(first.error)) return first;
  if (first.ok && isSurelyWhole(first.value, learned)) return success(first.value.rows);
  const readPage = (request: PageRequest) => readCollection(caller, requests.roles(request), reading, signal);
  const walk = await walkWhole<ObservedRole>(
    { readPage, keyOf: ({ identifier }) => identifier, stableOrder: "identifier" },
    parts,
  );
  if (!walk.ok) return walk;
  learned.namesNextAlways ||= walk.value.namesNextAlways;
  return success(walk.value.rows);
}

/**
 * No service pages by less than its default of 10, and a larger page size would be a round number: a page that is not
 * full by any of them, and hints at no other, is all there is.
 */
function isSurelyWhole({ rows, total, next }: Page<ObservedRole>, { namesNextAlways }: LearnedPaging): boolean {
  if ((next !== undefined && !namesNextAlways) || (total ?? 0) > rows.length) return false;
  return rows.length < 10 || rows.length % 5 !== 0;
}

const totalHeaders = ["x-total-count", "x-total", "total-count", "x-pagination-total"];

/** How the answers of a collection route are read. */
interface CollectionReading<Row> {
  /** Finds the rows in a body. */
  readonly list?: (body: unknown) => Decoded<ListBody>;
  readonly row: (row: unknown) => Decoded<Row>;
}

/** Reads one page of a collection route and decodes its rows. */
async function readCollection<Row>(
  caller: Caller,
  call: Call,
  { list: listIn = decodeList, row: decode }: CollectionReading<Row>,
  signal: AbortSignal | undefined,
): Promise<Result<Page<Row>, Failure>> {
  const reply = await caller.read(call, signal);
  if (!reply.ok) return reply;
  const list = listIn(reply.value.body);
  if (!list.ok) return problem(caller.misread(reply.value.answer, call, list.error));
  const rows = decodeRows(list.value.rows, decode);
  if (!rows.ok) return problem(caller.misread(reply.value.answer, call, rows.error));
  const total = totalIn(reply.value) ?? list.value.total;
  const link = reply.value.answer.headers.get("link");
  const next = nextPageInHeader(link) ?? list.value.next;
  return success({
    rows: rows.value,
    ...definedFields({ total, next, last: lastPageInHeader(link) }),
  });
}

function totalIn({ answer }: Reply): number | undefined {
  const value = totalHeaders.map((name) => answer.headers.get(name)).find((header) => header !== undefined);
  return value !== undefined && /^\d{1,9}$/.test(value.trim()) ? Number(value) : undefined;
}

type SearchAnswer = Result<Page<ObservedUser>, Failure>;
type Decode = (row: unknown) => Decoded<ObservedUser>;

/** One search names a hundred people at the most: more pages than this hold only strangers. */
const maxSearchPages = 50;

/**
 * One search. A page size is asked for, so that an answer has room to spare; a service that refuses the parameter is asked
 * without it from then on. An answer that names further pages while somebody is missing is read to its end. Some services
 * answer 404 where nobody is found.
 */
export class UserSearch {
  readonly #parts: ServiceParts;
  #takesPageSize = true;

  constructor(parts: ServiceParts) {
    this.#parts = parts;
  }

  search(
    identifiers: readonly string[],
    by: string,
    signal: AbortSignal | undefined,
  ): Promise<Result<readonly ObservedUser[], Failure>> {
    const spellings = inEachSpelling(identifiers);
    return withOneKey(this.#parts.caller, () => this.#search(spellings, by, signal));
  }

  async #search(
    identifiers: readonly string[],
    by: string,
    signal: AbortSignal | undefined,
  ): Promise<Result<readonly ObservedUser[], Failure>> {
    const decode = (row: unknown) => {
      this.#parts.unread.noteUser(row);
      return decodeUser(row, by);
    };
    const ask = (paging: Partial<PageRequest>) => this.#ask(identifiers, paging, decode, signal);
    const first = await this.#firstPage(ask);
    if (!first.ok) return first.error.code === "not-found" ? success([]) : first;
    if (!mayHoldMore(first.value, identifiers, this.#parts.learned)) return success(first.value.rows);
    return success(await this.#withFurtherPages(first.value.rows, ask));
  }

  async #firstPage(ask: (paging: Partial<PageRequest>) => Promise<SearchAnswer>): Promise<SearchAnswer> {
    const withSize = this.#takesPageSize;
    const found = await ask(withSize ? { perPage } : {});
    if (found.ok || !withSize || !saysNoSuchPage(found.error) || found.error.code === "not-found") return found;
    const again = await ask({});
    if (again.ok) this.#takesPageSize = false;
    return again.ok ? again : problem(found.error);
  }

  /** What cannot be read of the further pages is left out: a caller that searches knows by other means whether anybody may be missing. */
  async #withFurtherPages(
    rows: readonly ObservedUser[],
    ask: (paging: Partial<PageRequest>) => Promise<SearchAnswer>,
  ): Promise<readonly ObservedUser[]> {
    const { learned } = this.#parts;
    const size = this.#takesPageSize ? { perPage } : {};
    const pass = await scanPages<ObservedUser>({
      readPage: (page) => ask({ page, ...size }),
      keyOf: userKey,
      firstPage: learned.firstPage,
      size: perPage,
      maxPages: maxSearchPages,
      namesNextAlways: learned.namesNextAlways,
    });
    if (pass.ok) learned.namesNextAlways ||= pass.value.namesNextAlways;
    const all = new Map(rows.map((row) => [userKey(row), row]));
    if (pass.ok) for (const [key, row] of pass.value.rows) all.set(key, row);
    return [...all.values()];
  }

  #ask(
    identifiers: readonly string[],
    paging: Partial<PageRequest>,
    decode: Decode,
    signal: AbortSignal | undefined,
  ): Promise<SearchAnswer> {
    const { caller, requests, reshape } = this.#parts;
    const reading = { list: reshape.search(decodeFound), row: decode };
    return readCollection(caller, requests.search(identifiers, paging), reading, signal);
  }
}

/** An address as it is written, and folded: a service may store addresses folded, and find only what is spelled as it stores it. */
function inEachSpelling(identifiers: readonly string[]): readonly string[] {
  return [...new Set(identifiers.flatMap((one) => (one.includes("@") ? [one, foldAddress(one)] : [one])))];
}

/** The answer names further pages or counts more rows, and somebody who was asked for is not on this one. */
function mayHoldMore(
  { rows, total, next }: Page<ObservedUser>,
  identifiers: readonly string[],
  { namesNextAlways }: LearnedPaging,
): boolean {
  if ((next === undefined || namesNextAlways) && (total ?? 0) <= rows.length) return false;
  const found = new Set(rows.flatMap(({ address, identifier }) => [address, identifier]));
  return identifiers.some((identifier) => !found.has(identifier) && !found.has(foldAddress(identifier)));
}
