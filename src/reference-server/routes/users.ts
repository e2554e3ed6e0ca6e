import { checkNamed, mayActIn } from "../authorization.ts";
import type { Knobs } from "../knobs/registry.ts";
import { pageResponse, wrapPage } from "../responses/page.ts";
import { answer, isRefusal, type Refusal, type Reply, refuse, type ServedAnswer } from "../responses/reply.ts";
import { renderAccount, renderUser, renderUserReference } from "../responses/user.ts";
import type { RequestContext } from "../service-context.ts";
import { type Account, isDeleted, type Key, type User } from "../world.ts";
import { type Collection, listResponse, sortedItems } from "./paging.ts";
import type { SortColumns, SortValue } from "./sorting.ts";

const userColumns: SortColumns<User> = new Map<string, (user: User) => SortValue>([
  ["identifier", (user) => user.identifier],
  ["email", (user) => user.email],
  ["firstName", (user) => user.firstName],
  ["lastName", (user) => user.lastName],
  ["title", (user) => user.title],
  ["externalIdentifier", (user) => user.externalIdentifier],
  ["source", (user) => user.source],
  ["status", (user) => user.status],
  ["accessKeys.prefix", keyColumn((key) => [key.prefix])],
  ["accessKeys.status", keyColumn((key) => [key.status])],
  ["accessKeys.kind", keyColumn((key) => [key.kind])],
  ["accessKeys.isDefault", keyColumn((key) => [key.isDefault])],
  ["accessKeys.team.identifier", keyColumn((key) => [key.team?.identifier ?? null])],
  ["accessKeys.team.name", keyColumn((key) => [key.team?.name ?? null])],
  ["accessKeys.roles.identifier", keyColumn((key) => key.roles)],
]);

function keyColumn(values: (key: Key) => readonly (string | boolean | null)[]): (user: User) => SortValue {
  return (user) => user.keys.flatMap(values);
}

export function listUsers(call: RequestContext): Reply {
  const { caller, world, knobs } = call;
  const users = caller.is === "platform-administrator" ? world.userList : caller.account.users;
  return listResponse(call, {
    name: "users",
    items: listedUsers(call, users, knobs.listLagMs),
    ...userListing(call, knobs.listLagMs),
  });
}

type UserListing = Pick<Collection<User>, "columns" | "show">;

/** How users are shown by a list or a search with that lag. */
function userListing(call: RequestContext, lag: number): UserListing {
  return {
    columns: userColumns,
    show: (user) => renderUser(call.knobs, user, { keys: shownKeys(call, user, lag), on: "listed" }),
  };
}

export interface SearchUsersRequest {
  readonly identifiers: readonly string[];
}

export function searchUsers(call: RequestContext, { identifiers }: SearchUsersRequest): Reply {
  const { knobs } = call;
  const asked = limitSearch(knobs.searchOverMax, identifiers, knobs.searchMaxIdentifiers);
  if (isRefusal(asked)) return asked;
  const hits = asked.map((text) => ({ asked: text, users: foundUsers(call, text) }));
  return searchResponse(call, hits, userListing(call, knobs.searchLagMs));
}

/** What one text of a search found. */
interface SearchHit {
  readonly asked: string;
  readonly users: readonly User[];
}

/** What a search found: users once each, or what was found for each text, as this service answers it. */
function searchResponse(call: RequestContext, hits: readonly SearchHit[], listing: UserListing): Reply {
  const { show } = listing;
  const items = [...new Set(hits.flatMap((hit) => hit.users))];
  const found: Collection<User> = { name: "users", items, ...listing };
  switch (call.knobs.search) {
    case "S1":
      return foundUsersResponse({ ...call, knobs: bareArrays(call.knobs) }, found);
    case "S2":
      return foundUsersResponse(call, found);
    case "S3":
      return (
        checkUnpaged(call, hits.length) ??
        answer(200, Object.fromEntries(hits.map((hit) => [hit.asked, firstUser(hit, show)])))
      );
    case "S4":
      return (
        checkUnpaged(call, hits.length) ??
        answer(
          200,
          hits.map((hit) => firstUser(hit, show)),
        )
      );
    case "S5":
      return items.length === 0 ? refuse(404, "No user was found") : arrayOrPage(call, found);
    case "S6": {
      const missed = hits.filter((hit) => hit.users.length === 0);
      const body = { found: items.map(show), notFound: missed.map((hit) => hit.asked) };
      return checkUnpaged(call, hits.length) ?? answer(200, body);
    }
    case "S7":
      return items[0] !== undefined && items.length === 1 ? answer(200, show(items[0])) : arrayOrPage(call, found);
  }
}

/** A 400 where the query asks a search without pages and order for either. */
function checkUnpaged({ query }: RequestContext, rows: number): Refusal | undefined {
  const fits = (name: string, value: string) =>
    (name === "per-page" && Number(value) >= rows) || (name === "page" && Number(value) <= 1);
  const [misfit] = [...query].filter(([name, value]) => !fits(name, value));
  if (misfit === undefined) return undefined;
  return refuse(400, `This search has no pages and no order, so that it cannot take ${misfit[0]}=${misfit[1]}`);
}

function arrayOrPage(call: RequestContext, found: Collection<User>): Reply {
  return asksForPage(call)
    ? listResponse({ ...call, knobs: bareArrays(call.knobs) }, found)
    : bareArrayResponse(call, found);
}

function asksForPage({ query }: RequestContext): boolean {
  return query.has("page") || query.has("per-page");
}

function bareArrays(knobs: Knobs): Knobs {
  const isAsIs = knobs.envelope === "L1" && knobs.laterEnvelope === "same";
  return isAsIs ? knobs : { ...knobs, envelope: "L1", laterEnvelope: "same" };
}

function firstUser({ users }: SearchHit, show: (user: User) => unknown): unknown {
  return users[0] === undefined ? null : show(users[0]);
}

function foundUsersResponse(call: RequestContext, found: Collection<User>): Reply {
  const { searchPages } = call.knobs;
  const shown = searchPages === "first-ten" ? { ...found, items: found.items.slice(0, 10) } : found;
  return searchPages === "paged" || asksForPage(call) ? listResponse(call, shown) : onePageResponse(call, shown);
}

/** In the envelope of lists, as the only page; a bare array has no links then. */
function onePageResponse(call: RequestContext, found: Collection<User>): Reply {
  if (call.knobs.envelope === "L1") return bareArrayResponse(call, found);
  const rows = sortedItems(call, found);
  if (isRefusal(rows)) return rows;
  const page = { index: 0, perPage: Math.max(1, rows.length), last: 0, start: 0, end: rows.length, repeated: 0 };
  return pageResponse(call, found.name, page, rows.map(found.show), rows.length);
}

function bareArrayResponse(call: RequestContext, found: Collection<User>): Reply {
  const rows = sortedItems(call, found);
  if (isRefusal(rows)) return rows;
  return answer(200, rows.map(found.show));
}

/** The texts that are looked for. */
function limitSearch(how: Knobs["searchOverMax"], asked: readonly string[], most: number): readonly string[] | Refusal {
  if (most === 0 || asked.length <= most) return asked;
  return how === "drop" ? asked.slice(0, most) : refuse(400, `A search takes at most ${most} identifiers`);
}

const accountColumns: SortColumns<Account> = new Map([
  ["identifier", (account: Account) => account.identifier],
  ["name", (account: Account) => account.name],
  ["status", (account: Account) => account.status],
]);

export function listAccounts(call: RequestContext): Reply {
  const { caller, world, knobs } = call;
  const items = caller.is === "platform-administrator" ? [...world.accounts.values()] : [caller.account];
  return listResponse(call, {
    name: "accounts",
    items,
    columns: accountColumns,
    show: (account) => renderAccount(knobs, account),
  });
}

export function readAccount(call: RequestContext): Reply {
  const account = accountOfRequest(call);
  if (isRefusal(account)) return account;
  return accountDetailsResponse(call, account, listedUsers(call, account.users, call.knobs.detailLagMs));
}

/** The account that the path names: 404 where there is none, 403 where it is another administrator's. */
export function accountOfRequest(call: RequestContext): Account | Refusal {
  const found = call.world.accounts.get(call.pathParameter);
  const elsewhere = "is not the account of this administrator";
  return checkNamed(call, { what: "account", found, account: found, elsewhere });
}

const truncatedUserCount = 10;

/** The details of an account with its users. */
function accountDetailsResponse({ knobs }: RequestContext, account: Account, users: readonly User[]): ServedAnswer {
  const plain = renderAccount(knobs, account);
  const show = (user: User): object => renderUserReference(knobs, user);
  const detailed = (): object => ({ ...plain, users: users.map(show) });
  switch (knobs.accountDetails) {
    case "A1":
      return answer(200, detailed());
    case "A2":
      return answer(200, { ...plain, users: users.map((user) => user.email) });
    case "A2-identifiers":
      return answer(200, { ...plain, users: users.map((user) => user.identifier) });
    case "A3":
      return answer(200, { ...plain, users: asSpringPage(users.map(show)) });
    case "A3-truncated":
      return answer(200, {
        ...plain,
        userCount: users.length,
        users: users.slice(0, truncatedUserCount).map(show),
      });
    case "A4":
      return answer(200, [detailed()]);
    case "A5":
      return answer(200, { account: detailed() });
    case "A5-data":
      return answer(200, { data: detailed() });
    case "no-users":
      return answer(200, plain);
  }
}

function asSpringPage(rows: readonly object[]): unknown {
  const perPage = Math.max(1, rows.length);
  return wrapPage("L2", { name: "users", rows, index: 0, perPage, isLast: true, number: 0, total: rows.length });
}

/** The users that a list shows, in the order of their creation. No user is looked at where nothing is to be left out. */
function listedUsers(call: RequestContext, users: readonly User[], lag: number): readonly User[] {
  const { knobs } = call;
  const mates = knobs.credentialScope === "team" ? teamMates(call.caller.key) : undefined;
  if (mates === undefined && knobs.deleted === "visible" && lag === 0) return users;
  return users.filter(
    (user) => isListed(knobs, user) && isOlderThan(call, user, lag) && (mates === undefined || mates.has(user)),
  );
}

/** The users that a search for one text finds. */
function foundUsers(call: RequestContext, asked: string): readonly User[] {
  const { caller, knobs } = call;
  return searchCandidates(call, asked).filter(
    (user) => mayActIn(caller, user.account) && isListed(knobs, user) && isOlderThan(call, user, knobs.searchLagMs),
  );
}

/** The user that an identifier or an address names, unless it is none of the caller's concern. */
export function namedUser(
  call: RequestContext,
  who: string,
  by: Knobs["memberIdentifiers"] = "both",
): User | undefined {
  const identified = by === "email" ? undefined : call.world.users.get(who);
  const named = identified === undefined && by !== "identifier" ? usersWithAddress(call, who) : [];
  return [...(identified === undefined ? [] : [identified]), ...named].find(
    (user) => mayActIn(call.caller, user.account) && isListed(call.knobs, user),
  );
}

/** The user who stands in the way of a new one with that address. */
export function addressHolder(call: RequestContext, email: string): User | undefined {
  const { deleted } = call.knobs;
  return usersWithAddress(call, email).find((user) => deleted !== "reusable" || !isDeleted(user));
}

/** The keys that a list or a search shows of somebody, with the roles that it shows. `lag` is that of the list or search. */
function shownKeys(call: RequestContext, user: User, lag: number): readonly Key[] {
  const { shownKeyLagMs } = call.knobs;
  const longest = Math.max(lag, shownKeyLagMs);
  if (longest === 0) return user.keys;
  const old = user.keys.filter((key) => isOlderThan(call, key, longest));
  return old.map((key) => ({ ...key, roles: rolesBefore(key, call.now - shownKeyLagMs) }));
}

function rolesBefore({ roles, formerRoles }: Key, time: number): readonly string[] {
  return formerRoles.find(({ until }) => until > time)?.roles ?? roles;
}

export function isOlderThan(
  call: RequestContext,
  thing: { readonly createdAt: number },
  milliseconds: number,
): boolean {
  return call.now - thing.createdAt >= milliseconds;
}

function searchCandidates(call: RequestContext, asked: string): readonly User[] {
  const { world, knobs } = call;
  if (knobs.searchMatch === "fuzzy") return world.userList.filter((user) => contains(user, asked));
  const identified = world.users.get(asked);
  const exact = identified === undefined ? usersWithAddress(call, asked) : [identified];
  if (knobs.searchMatch === "exact" || exact.length > 0) return exact;
  return world.userList.filter((user) => user.externalIdentifier === asked);
}

function contains({ email, identifier }: User, asked: string): boolean {
  return email.toLowerCase().includes(asked.toLowerCase()) || identifier.includes(asked);
}

function usersWithAddress({ world, knobs }: RequestContext, email: string): readonly User[] {
  const users = world.usersByAddress(email);
  return knobs.match === "exact" ? users.filter((user) => user.email === email) : users;
}

function isListed({ deleted }: Knobs, user: User): boolean {
  return deleted === "visible" || !isDeleted(user);
}

function teamMates({ owner }: Key): ReadonlySet<User> {
  const mates = new Set([owner]);
  const teams = owner.keys.flatMap(({ team }) => (team?.members.has(owner) === true ? [team] : []));
  for (const { members } of teams) for (const member of members.keys()) mates.add(member);
  return mates;
}
