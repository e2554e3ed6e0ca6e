import { checkNamed, mayActIn } from "../authorization.ts";
import type { Knobs } from "../knobs/registry.ts";
import { answer, Refusal, type ServedAnswer } from "../responses/reply.ts";
import { renderAccount, renderUser, renderUserReference } from "../responses/user.ts";
import type { RequestContext } from "../service-context.ts";
import { type Account, isDeleted, type Key, type User } from "../world.ts";
import type { RequestBody } from "./bodies.ts";
import { type Collection, enveloped, listResponse, pageResponse, sortedItems } from "./paging.ts";
import { columnsOf, type SortColumns, type SortValue } from "./sorting.ts";

const userColumns: SortColumns<User> = new Map<string, (user: User) => SortValue>([
  ...columnsOf("identifier", "email", "firstName", "lastName", "title", "externalIdentifier", "source", "status"),
  ["accessKeys.prefix", ({ keys }) => keys.map((key) => key.prefix)],
  ["accessKeys.status", ({ keys }) => keys.map((key) => key.status)],
  ["accessKeys.kind", ({ keys }) => keys.map((key) => key.kind)],
  ["accessKeys.isDefault", ({ keys }) => keys.map((key) => key.isDefault)],
  ["accessKeys.team.identifier", ({ keys }) => keys.map((key) => key.team?.identifier ?? null)],
  ["accessKeys.team.name", ({ keys }) => keys.map((key) => key.team?.name ?? null)],
  ["accessKeys.roles.identifier", ({ keys }) => keys.flatMap((key) => key.roles)],
]);

export function listUsers(call: RequestContext): ServedAnswer {
  const { caller, world, knobs } = call;
  const users = caller.is === "platform-administrator" ? world.userList : caller.account.users;
  return listResponse(call, userCollection(call, listedUsers(call, users, knobs.listLagMs), knobs.listLagMs));
}

/** Users as they are shown by a list or a search with that lag. */
function userCollection(call: RequestContext, items: readonly User[], lag: number): Collection<User> {
  const show = (user: User) => renderUser(call.knobs, user, shownKeys(call, user, lag), "listed");
  return { name: "users", items, columns: userColumns, show };
}

export function searchUsers(call: RequestContext, body: RequestBody<"searchUsers">): ServedAnswer {
  const { searchMaxIdentifiers: most, searchOverMax, searchLagMs } = call.knobs;
  const isOver = most > 0 && body.identifiers.length > most;
  if (isOver && searchOverMax === "reject") throw new Refusal(400, `A search takes at most ${most} identifiers`);
  const asked = isOver ? body.identifiers.slice(0, most) : body.identifiers;
  const hits = asked.map((text) => ({ text, users: foundUsers(call, text) }));
  const found = userCollection(call, [...new Set(hits.flatMap(({ users }) => users))], searchLagMs);
  return searchResponse(call, hits, found);
}

interface SearchHit {
  readonly text: string;
  readonly users: readonly User[];
}

/** Users once each, or what was found for each text, as this service answers it. */
function searchResponse(call: RequestContext, hits: readonly SearchHit[], found: Collection<User>): ServedAnswer {
  const { items, show } = found;
  const firstOf = ({ users: [first] }: SearchHit) => (first === undefined ? null : show(first));
  const bare: RequestContext = { ...call, knobs: { ...call.knobs, envelope: "L1", laterEnvelope: "same" } };
  const whole = (value: unknown) => {
    checkUnpaged(call, hits.length);
    return answer(200, value);
  };
  switch (call.knobs.search) {
    case "S1":
      return foundUsersResponse(bare, found);
    case "S2":
      return foundUsersResponse(call, found);
    case "S3":
      return whole(Object.fromEntries(hits.map((hit) => [hit.text, firstOf(hit)])));
    case "S4":
      return whole(hits.map(firstOf));
    case "S5":
      if (items.length === 0) throw new Refusal(404, "No user was found");
      return arrayOrPage(bare, found);
    case "S6": {
      const notFound = hits.filter(({ users }) => users.length === 0).map(({ text }) => text);
      return whole({ found: items.map(show), notFound });
    }
    case "S7":
      return items[0] !== undefined && items.length === 1 ? answer(200, show(items[0])) : arrayOrPage(bare, found);
  }
}

/** A 400 where the query asks a search without pages and order for either. */
function checkUnpaged({ query }: RequestContext, rows: number): void {
  const fits = (name: string, value: string) =>
    (name === "per-page" && Number(value) >= rows) || (name === "page" && Number(value) <= 1);
  const [unfit] = [...query].filter(([name, value]) => !fits(name, value));
  if (unfit !== undefined)
    throw new Refusal(400, `This search has no pages and no order, so that it cannot take ${unfit[0]}=${unfit[1]}`);
}

function asksForPage({ query }: RequestContext): boolean {
  return query.has("page") || query.has("per-page");
}

function arrayOrPage(call: RequestContext, found: Collection<User>): ServedAnswer {
  return asksForPage(call) ? listResponse(call, found) : onePageResponse(call, found);
}

function foundUsersResponse(call: RequestContext, found: Collection<User>): ServedAnswer {
  const { searchPages } = call.knobs;
  const shown = searchPages === "first-ten" ? { ...found, items: found.items.slice(0, 10) } : found;
  return searchPages === "paged" ? listResponse(call, shown) : arrayOrPage(call, shown);
}

/** In the envelope of lists, as the only page; a bare array has no links and no total then. */
function onePageResponse(call: RequestContext, found: Collection<User>): ServedAnswer {
  const rows = sortedItems(call, found).map(found.show);
  if (call.knobs.envelope === "L1") return answer(200, rows);
  const total = rows.length;
  return pageResponse(call, { name: found.name, rows, index: 0, last: 0, perPage: Math.max(1, total), total });
}

export function listAccounts(call: RequestContext): ServedAnswer {
  const { caller, world, knobs } = call;
  const items = caller.is === "platform-administrator" ? [...world.accounts.values()] : [caller.account];
  const show = (account: Account) => renderAccount(knobs, account);
  return listResponse(call, { name: "accounts", items, columns: columnsOf("identifier", "name", "status"), show });
}

/** The account that the path names: 404 where there is none, 403 where it is another administrator's. */
export function accountOfRequest(call: RequestContext): Account {
  const found = call.world.accounts.get(call.pathParameter);
  return checkNamed(call, "account", found, (account) => account, "is not the account of this administrator");
}

export function readAccount(call: RequestContext): ServedAnswer {
  const { knobs } = call;
  const account = accountOfRequest(call);
  const users = listedUsers(call, account.users, knobs.detailLagMs);
  const plain = renderAccount(knobs, account);
  const rows = users.map((user) => renderUserReference(knobs, user));
  const detailed = { ...plain, users: rows };
  switch (knobs.accountDetails) {
    case "A1":
      return answer(200, detailed);
    case "A2":
      return answer(200, { ...plain, users: users.map((user) => user.email) });
    case "A2-identifiers":
      return answer(200, { ...plain, users: users.map((user) => user.identifier) });
    case "A3": {
      const total = rows.length;
      const page = { name: "users", rows, index: 0, last: 0, number: 0, perPage: Math.max(1, total), total };
      return answer(200, { ...plain, users: enveloped("L2", page) });
    }
    case "A3-truncated":
      return answer(200, { ...plain, userCount: rows.length, users: rows.slice(0, 10) });
    case "A4":
      return answer(200, [detailed]);
    case "A5":
      return answer(200, { account: detailed });
    case "A5-data":
      return answer(200, { data: detailed });
    case "no-users":
      return answer(200, plain);
  }
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

function teamMates({ owner }: Key): ReadonlySet<User> {
  const teams = owner.keys.flatMap(({ team }) => (team?.members.has(owner) === true ? [team] : []));
  return new Set([owner, ...teams.flatMap(({ members }) => [...members.keys()])]);
}

function foundUsers(call: RequestContext, asked: string): readonly User[] {
  const { caller, knobs } = call;
  return searchCandidates(call, asked).filter(
    (user) => mayActIn(caller, user.account) && isListed(knobs, user) && isOlderThan(call, user, knobs.searchLagMs),
  );
}

function searchCandidates(call: RequestContext, asked: string): readonly User[] {
  const { world, knobs } = call;
  if (knobs.searchMatch === "fuzzy") {
    const folded = asked.toLowerCase();
    return world.userList.filter(
      ({ email, identifier }) => email.toLowerCase().includes(folded) || identifier.includes(asked),
    );
  }
  const identified = world.users.get(asked);
  const exact = identified === undefined ? usersWithAddress(call, asked) : [identified];
  if (knobs.searchMatch === "exact" || exact.length > 0) return exact;
  return world.userList.filter((user) => user.externalIdentifier === asked);
}

/** The user that an identifier or an address names, unless it is none of the caller's concern. */
export function namedUser(
  call: RequestContext,
  who: string,
  by: Knobs["memberIdentifiers"] = "both",
): User | undefined {
  const identified = by === "email" ? undefined : call.world.users.get(who);
  const named = by === "identifier" ? [] : usersWithAddress(call, who);
  return (identified === undefined ? named : [identified]).find(
    (user) => mayActIn(call.caller, user.account) && isListed(call.knobs, user),
  );
}

/** The user who stands in the way of a new one with that address. */
export function addressHolder(call: RequestContext, email: string): User | undefined {
  const { deleted } = call.knobs;
  return usersWithAddress(call, email).find((user) => deleted !== "reusable" || !isDeleted(user));
}

function usersWithAddress({ world, knobs }: RequestContext, email: string): readonly User[] {
  const users = world.usersByAddress(email);
  return knobs.match === "exact" ? users.filter((user) => user.email === email) : users;
}

function isListed({ deleted }: Knobs, user: User): boolean {
  return deleted === "visible" || !isDeleted(user);
}

/** The keys that a list or a search shows of somebody, with the roles that it shows. `lag` is that of the list or search. */
function shownKeys(call: RequestContext, { keys }: User, lag: number): readonly Key[] {
  const { shownKeyLagMs } = call.knobs;
  const longest = Math.max(lag, shownKeyLagMs);
  if (longest === 0) return keys;
  const readAt = call.now - shownKeyLagMs;
  return keys
    .filter((key) => isOlderThan(call, key, longest))
    .map((key) => ({ ...key, roles: key.formerRoles.find(({ until }) => until > readAt)?.roles ?? key.roles }));
}

export function isOlderThan(
  call: RequestContext,
  thing: { readonly createdAt: number },
  milliseconds: number,
): boolean {
  return call.now - thing.createdAt >= milliseconds;
}
