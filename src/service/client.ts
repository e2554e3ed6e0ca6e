import type { NetworkOptions } from "../http/connection.ts";
import { type OriginOptions, openOrigin } from "../http/origin.ts";
import { foldAddress } from "../model/address.ts";
import { callTimeout } from "../model/capabilities.ts";
import { definedFields } from "../model/collections.ts";
import type { Failure } from "../model/failure.ts";
import { problem, type Result, success } from "../model/result.ts";
import type { ObservedAccount, ObservedRole } from "../model/snapshot.ts";
import type { ObservedUser } from "../model/user.ts";
import { momentOf, type Timer } from "../ports/clock.ts";
import {
  type Decoded,
  decodeList,
  decodeRows,
  type ListBody,
  lastPageInHeader,
  nextPageInHeader,
  type Reshape,
  reshapeBy,
  type Shapes,
} from "./decode/json.ts";
import {
  decodeAccount,
  decodeFound,
  decodeListedAccount,
  decodeReplacedRoles,
  decodeRole,
  decodeUser,
  UnreadFields,
} from "./decode/observed.ts";
import { decodeAddedMembers, decodeCreatedUser, showsCreatedUser } from "./decode/write-answers.ts";
import {
  type LearnedPaging,
  learnPaging,
  nothingLearned,
  type Page,
  type PageReading,
  type PageRequest,
  pagingShown,
  saysNoSuchPage,
  scanPages,
  type Walk,
  type WalkOptions,
  walkPages,
} from "./paging.ts";
import { type AccountService, type AddMembersResponse, maxRenewals, timeLeft, type UserList } from "./port.ts";
import { baseAddress, type Call, type Requests, requestName, requestsUnder } from "./requests.ts";
import { Caller, type CallerPorts, type Reply, type Transport } from "./retry.ts";

interface AccountServiceOptions extends Omit<CallerPorts, "transport" | "address"> {
  /** One that `endpointProblem` has nothing against; anything else throws. */
  readonly endpoint: URL;
  /** Where the answers hold what cannot be found by itself. */
  readonly shapes?: Shapes;
  /** Pages of one list that are read at the same time, once an answer has told how many there are; one by one without it. */
  readonly parallelism?: number;
}

/** The account service by whatever carries its calls. */
export function accountServiceClient(transport: Transport, options: AccountServiceOptions): AccountService {
  const { endpoint, shapes = {}, parallelism = 1, ...ports } = options;
  const { prefix, address } = baseAddress(endpoint);
  const { key, clock } = ports;
  const caller = new Caller({ ...ports, transport, address });
  const requests = requestsUnder(prefix);
  const reshape = reshapeBy(shapes);
  const learned = nothingLearned();
  const unread = new UnreadFields();
  const parts: ServiceParts = { caller, clock, parallelism, requests, reshape, learned, unread };
  return {
    address,
    get keyPrefix() {
      return key.prefix;
    },
    get requests() {
      return caller.requests;
    },
    get lists() {
      return { totals: learned.totals, paging: pagingShown(learned) };
    },
    times: caller.times,
    mayStart: caller.mayStart,
    get unread() {
      return unread.found;
    },
    listRoles: (signal) => listRoles(parts, signal),
    listAccounts: (signal) => listAccounts(parts, signal),
    listUsers: (signal) => listUsers(parts, signal),
    searchUsers: (identifiers, read, signal) => searchUsers(parts, identifiers, read, signal),
    async readAccount(account, signal) {
      const call = requests.account(account);
      if (!call.ok) return call;
      const reply = await caller.read(call.value, signal);
      if (!reply.ok) return reply;
      const { answer, body } = reply.value;
      const decoded = decodeAccount(reshape.account(body), account);
      return decoded.ok ? decoded : problem(caller.misread(answer, call.value, decoded.error));
    },
    async createUser(account, user, team, signal, announced) {
      const call = requests.createUser(account, user, team);
      if (!call.ok) return { outcome: "failed", failure: call.error };
      const decode = ({ answer: { status, headers }, body }: Reply) => {
        const [location, date] = [headers.get("location"), headers.get("date")];
        return decodeCreatedUser({ status, location, date, body: reshape.createdUser(body) }, team?.name);
      };
      return caller.write({ ...call.value, announced }, { decode, isDone: showsCreatedUser }, signal);
    },
    async addMembers(team, identifiers, signal, announced) {
      const call = requests.addMembers(team, identifiers);
      if (!call.ok) return { outcome: "failed", failure: call.error };
      const decode = ({ body }: Reply) => decodeAddedMembers(reshape.addedMembers(body));
      const isDone = ({ members }: AddMembersResponse) =>
        members.length > 0 && members.every(({ keys }) => keys?.are === "named");
      const write = await caller.write({ ...call.value, announced }, { decode, isDone }, signal);
      if (write.outcome !== "done") return write;
      // What the service says of one person who was not added are its own words, as those of a refusal are.
      const members = write.value.members.map((one) =>
        one.failure === undefined ? one : { ...one, failure: caller.cleanBesideKeys(one.failure) },
      );
      return { ...write, value: { ...write.value, members } };
    },
    async replaceRoles(prefix, roles, signal, announced) {
      const call = requests.replaceRoles(prefix, roles);
      if (!call.ok) return { outcome: "failed", failure: call.error };
      const decode = ({ body }: Reply) => decodeReplacedRoles(reshape.replacedRoles(body), roles);
      return caller.write({ ...call.value, announced }, { decode, isDone: () => false }, signal);
    },
  };
}

const largestAnswer = 64 * 1024 * 1024;

interface HttpAccountServiceOptions extends AccountServiceOptions {
  /** Connections at once. */
  readonly parallelism: number;
  /** Through which proxy, and trusting which authorities. */
  readonly way?: NetworkOptions;
  /** What carries the calls; over HTTP where it is absent. */
  readonly openTransport?: OpenTransport;
}

/** The account service over HTTP. Opens no connection before the first call. */
export function httpAccountService(options: HttpAccountServiceOptions): AccountService & { close(): Promise<void> } {
  const { origin } = baseAddress(options.endpoint);
  const { clock, parallelism: connections, way, openTransport: open = openTransport } = options;
  const transport = open({ origin, connections, timeout: callTimeout, largestAnswer, clock, ...way });
  // Its parts are read as they are now, and would be copied as they were.
  return Object.assign(accountServiceClient(transport, options), { close: () => transport.close() });
}

export type OpenTransport = (options: OriginOptions) => Transport;

/** Over HTTP. Opens no connection before the first call. */
export function openTransport(options: OriginOptions): Transport {
  const origin = openOrigin(options);
  return {
    send({ method, path, body, effect, announced }, key, signal) {
      const request = { method, path, headers: headersOf(key, body), ...definedFields({ body }) };
      if (effect === "read") return origin.send({ ...request, onceSent: "cut-off" }, signal);
      const leaves = { within: timeLeft, since: announced ?? momentOf(options.clock) };
      return origin.send({ ...request, onceSent: "let-end", leaves }, signal);
    },
    close: () => origin.close(),
  };
}

/** The headers of each request, apart from those that HTTP adds. */
export function headersOf(key: string, body: string | undefined): Record<string, string> {
  return {
    authorization: `ApiKey ${key}`,
    accept: "application/json",
    ...(body === undefined ? {} : { "content-type": "application/json" }),
  };
}

/** What the calls of one service share. */
interface ServiceParts {
  readonly caller: Caller;
  readonly clock: Timer;
  /** Pages of one list that are read at the same time. */
  readonly parallelism: number;
  readonly requests: Requests;
  readonly reshape: Reshape;
  readonly learned: LearnedPaging;
  readonly unread: UnreadFields;
}

const perPage = 100;
/** Tried for a list of users that does not fit on a page of `perPage`. */
const largePerPage = 1000;
const maxPages = 20_000;

/** A list of the service: how a page of it is asked for and read. */
interface Collection<Row> {
  readonly request: (paging: Partial<PageRequest>) => Call;
  readonly list: (body: unknown) => Decoded<ListBody>;
  readonly row: (row: unknown) => Decoded<Row>;
  /** Rows with one key are one row. */
  readonly keyOf: (row: Row) => string;
  /** A field whose order does not change between two reads. */
  readonly stableOrder: string;
}

/** Walks the whole list of users. */
async function listUsers(parts: ServiceParts, signal?: AbortSignal): Promise<Result<UserList, Failure>> {
  const { requests, reshape, clock, learned } = parts;
  const users = { ...usersBy("list", parts), request: requests.users, list: reshape.users(decodeList) };
  const walk = await walkWhole(users, parts, signal, { perPage: largePerPage, clock });
  if (!walk.ok) return walk;
  learnPaging(learned, walk.value);
  const { rows, complete, showsTotal } = walk.value;
  // A list of nobody is believed where the service counts nobody either.
  const inDoubt = complete.yes && rows.length === 0 && !showsTotal;
  return success({ users: rows, complete: inDoubt ? emptyListInDoubt : complete });
}

const emptyListInDoubt: UserList["complete"] = {
  yes: false,
  why: "it shows no users and no total, but the key in use belongs to a user",
};

/** Users are told apart by identifier, else by address. */
function usersBy(
  read: string,
  { unread }: ServiceParts,
): Pick<Collection<ObservedUser>, "row" | "keyOf" | "stableOrder"> {
  return {
    row(row) {
      unread.noteUser(row);
      return decodeUser(row, read);
    },
    keyOf: ({ identifier, address }) => (identifier === undefined ? `address ${address}` : `identifier ${identifier}`),
    stableOrder: "email",
  };
}

/** Every account that the key may see. */
async function listAccounts(
  parts: ServiceParts,
  signal?: AbortSignal,
): Promise<Result<readonly ObservedAccount[], Failure>> {
  const { requests, reshape } = parts;
  const accounts: Collection<ObservedAccount> = {
    request: requests.accounts,
    list: reshape.accounts(decodeList),
    row: decodeListedAccount,
    keyOf: ({ identifier }) => identifier,
    stableOrder: "identifier",
  };
  const walk = await walkWhole(accounts, parts, signal);
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
async function listRoles(parts: ServiceParts, signal?: AbortSignal): Promise<Result<readonly ObservedRole[], Failure>> {
  const { caller, requests, reshape, learned } = parts;
  const roles: Collection<ObservedRole> = {
    request: requests.roles,
    list: reshape.roles(decodeList),
    row: decodeRole,
    keyOf: ({ identifier }) => identifier,
    stableOrder: "identifier",
  };
  const first = await readPage(caller, roles, { perPage }, signal);
  if (!first.ok && !saysNoSuchPage(first.error)) return first;
  if (first.ok && isSurelyWhole(first.value, learned)) return success(first.value.rows);
  const walk = await walkWhole(roles, parts, signal);
  if (!walk.ok) return walk;
  learned.namesNextAlways ||= walk.value.namesNextAlways;
  return success(walk.value.rows);
}

/**
 * No service pages by less than its default of 10, and a larger page size would be a round number: a page that is not
 * full by any of them, and hints at no other, is all there is.
 */
function isSurelyWhole(page: Page<ObservedRole>, learned: LearnedPaging): boolean {
  const { length } = page.rows;
  return !namesMore(page, learned) && (length < 10 || length % 5 !== 0);
}

/** Whether an answer names further pages, or counts more rows. */
function namesMore({ rows, total = 0, next }: Page<unknown>, { namesNextAlways }: LearnedPaging): boolean {
  return (next !== undefined && !namesNextAlways) || total > rows.length;
}

/** Walks with what earlier walks have learned of this service's pages. */
function walkWhole<Row>(
  collection: Collection<Row>,
  { caller, parallelism, learned: { firstPage, namesNextAlways } }: ServiceParts,
  signal: AbortSignal | undefined,
  larger?: NonNullable<WalkOptions<Row>["larger"]>,
): Promise<Result<Walk<Row>, Failure>> {
  const { keyOf, stableOrder } = collection;
  return withOneKey(caller, () =>
    walkPages({
      readPage: (request) => readPage(caller, collection, request, signal),
      ...{ keyOf, stableOrder, firstPage, namesNextAlways, perPage, parallelism, maxPages },
      ...definedFields({ larger }),
    }),
  );
}

/** Reads anew where the key has changed meanwhile: another key may see other rows, and pages of two keys are no list. */
async function withOneKey<T>(caller: Caller, read: () => Promise<Result<T, Failure>>): Promise<Result<T, Failure>> {
  for (let renewals = 0; ; renewals += 1) {
    const before = caller.keyChanges;
    const came = await read();
    if (caller.keyChanges === before) return came;
    if (renewals === maxRenewals) return came.ok ? problem(keysTooShort) : came;
  }
}

const keysTooShort: Failure = {
  code: "unauthorized",
  message: `roster read one list ${maxRenewals + 1} times, and the API key changed each time`,
  hint: "Use keys that stay valid for as long as roster reads the list of users",
};

const totalHeaders = ["x-total-count", "x-total", "total-count", "x-pagination-total"];

/** Reads one page and decodes its rows. */
async function readPage<Row>(
  caller: Caller,
  { request, list: listIn, row: decode }: Collection<Row>,
  paging: Partial<PageRequest>,
  signal: AbortSignal | undefined,
): Promise<PageReading<Row>> {
  const call = request(paging);
  const reply = await caller.read(call, signal);
  if (!reply.ok) return reply;
  const { answer, body } = reply.value;
  const list = listIn(body);
  if (!list.ok) return problem(caller.misread(answer, call, list.error));
  const rows = decodeRows(list.value.rows, decode);
  if (!rows.ok) return problem(caller.misread(answer, call, rows.error));
  const counted = totalHeaders.map((name) => answer.headers.get(name)).find((header) => header !== undefined);
  const total = /^\d{1,9}$/.test(counted?.trim() ?? "") ? Number(counted) : list.value.total;
  const link = answer.headers.get("link");
  const next = nextPageInHeader(link) ?? list.value.next;
  return success({ rows: rows.value, ...definedFields({ total, next, last: lastPageInHeader(link) }) });
}

/** One search names a hundred people at the most: more pages than this hold only strangers. */
const maxSearchPages = 50;

/**
 * One search. A page size is asked for, so that an answer has room to spare; a service that refuses the parameter is asked
 * without it from then on. An answer that names further pages while somebody is missing is read to its end. Some services
 * answer 404 where nobody is found (trap 19).
 */
function searchUsers(parts: ServiceParts, identifiers: readonly string[], by: string, signal: AbortSignal | undefined) {
  const { caller, requests, reshape, learned } = parts;
  // A service may store addresses folded, and find only what is spelled as it stores it (trap 16).
  const spelled = new Set(identifiers.flatMap((one) => (one.includes("@") ? [one, foldAddress(one)] : [one])));
  const users: Collection<ObservedUser> = {
    ...usersBy(by, parts),
    request: (paging) => requests.search([...spelled], paging),
    list: reshape.search(decodeFound),
  };
  const ask = (paging: Partial<PageRequest>) => readPage(caller, users, paging, signal);
  return withOneKey(caller, async () => {
    const first = await firstFound(ask, learned);
    if (!first.ok) return first.error.code === "not-found" ? success([]) : first;
    const { rows } = first.value;
    const found = new Set(rows.flatMap(({ address, identifier }) => [address, identifier]));
    const isFound = (one: string) => found.has(one) || found.has(foldAddress(one));
    if (!namesMore(first.value, learned) || [...spelled].every(isFound)) return success(rows);
    const { firstPage, namesNextAlways, searchTakesSize } = learned;
    const sized = searchTakesSize ? { perPage } : {};
    const pages = { keyOf: users.keyOf, firstPage, namesNextAlways, size: perPage, maxPages: maxSearchPages };
    const pass = await scanPages({ readPage: (page) => ask({ page, ...sized }), ...pages });
    // What cannot be read of the further pages is left out: a caller that searches knows by other means whether anybody may be missing.
    if (!pass.ok) return success(rows);
    learned.namesNextAlways ||= pass.value.namesNextAlways;
    return success([...new Map([...rows.map((row) => [users.keyOf(row), row] as const), ...pass.value.rows]).values()]);
  });
}

async function firstFound(
  ask: (paging: Partial<PageRequest>) => Promise<PageReading<ObservedUser>>,
  learned: LearnedPaging,
): Promise<PageReading<ObservedUser>> {
  if (!learned.searchTakesSize) return ask({});
  const found = await ask({ perPage });
  if (found.ok || !saysNoSuchPage(found.error) || found.error.code === "not-found") return found;
  const again = await ask({});
  if (again.ok) learned.searchTakesSize = false;
  return again.ok ? again : found;
}
