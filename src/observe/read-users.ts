import { type EmailKey, isWithinOneEdit, localPartOf, oneEditSignatures } from "../model/address.ts";
import type { Intent, OpenIntent } from "../model/call.ts";
import { multimap } from "../model/collections.ts";
import { unshownUntil } from "../model/consistency-window.ts";
import { factValue } from "../model/fact.ts";
import type { Failure } from "../model/failure.ts";
import {
  accountStatus,
  isDeleted,
  type KindWords,
  kindWords,
  shownTeam,
  shownTeams,
  withClearKind,
} from "../model/key.ts";
import type { Plan } from "../model/plan.ts";
import { type Result, success } from "../model/result.ts";
import { droppedUsers, type Roster } from "../model/roster.ts";
import { findServiceReset } from "../model/service-reset.ts";
import { type Absence, type ObservedAccount, presentMembers, type Snapshot } from "../model/snapshot.ts";
import type { State } from "../model/state.ts";
import { type DesiredTeam, foldName, removesRoles, teamAliases } from "../model/team.ts";
import { type AddressedUser, byUserAddress, type ObservedUser, type RecordedUser } from "../model/user.ts";
import type { RoleSet } from "../model/values.ts";
import type { AccountService, UserList, UserReader } from "../service/port.ts";
import {
  assessUserList,
  boundedReads,
  distinctQueries,
  type KnownUsers,
  knownFirst,
  numberedReads,
  type ReadPorts,
  type SearchResult,
  searchPeople,
} from "./search.ts";

export interface ObserveInput {
  readonly roster: Roster;
  readonly state: State;
  readonly everyone: "when-needed" | "always";
  /** Users with a similar address are read as well, where a person of the roster is not there. */
  readonly namesakes?: "sought" | undefined;
  /** Roles and people for which it is read whose the keys are that the roster names. */
  readonly sensitive?:
    | { readonly privilegedRoles?: RoleSet | undefined; readonly protectedUsers?: readonly EmailKey[] | undefined }
    | undefined;
}

/** The users that the reads showed, and what they say of the others. */
interface UsersRead {
  readonly users: readonly ObservedUser[];
  /** The list of users, where it was read. */
  readonly list: UserList | undefined;
  /** The users that searches showed. */
  readonly found: readonly ObservedUser[];
  readonly misses: ReadonlyMap<EmailKey, Absence>;
  /** People who are known to be there, whatever the reads show. */
  readonly known: KnownUsers;
}

/** Searches for everybody who was asked for, and reads the list of users where a search alone cannot tell. */
export async function readUsers(
  question: ObserveInput,
  asked: readonly AddressedUser[],
  accounts: ReadonlyMap<string, ObservedAccount>,
  now: number,
  ports: ReadPorts,
): Promise<Result<UsersRead, Failure>> {
  const { roster, state, namesakes, sensitive = {} } = question;
  const people = await readAsked(question, asked, accounts, ports);
  if (!people.ok || people.value.list !== undefined) return people;
  const { users, misses } = people.value;
  const usersWith = (others: readonly ObservedUser[]) =>
    withAccounts(mergeReadUsers([users, others]), accounts.values());
  const near = namesakes === "sought" ? similarUsersToRead(roster, users, accounts) : [];
  const holders = holdersToRead(roster, sensitive, users);
  const needsList =
    hasUnprovenTeam(roster, state, users, accounts) ||
    findServiceReset(roster, { users, absences: misses }, state) !== undefined ||
    hasUnshownUser(roster, state, users, now);
  if (needsList || near === "everyone" || holders === "everyone") {
    const list = await listUsers(ports);
    return list.ok ? success({ ...people.value, users: usersWith(list.value.users), list: list.value }) : list;
  }
  const others = distinctQueries([...near, ...holders]);
  if (others.size === 0) return people;
  // The absence of these people does not matter.
  const search = await searchPeople([...others.values()], others, ports);
  return search.ok ? success({ ...people.value, users: usersWith(search.value.users) }) : search;
}

/** The list is read first where it is needed anyway, or where nobody is known that a search must find; last, where no such person was found. */
async function readAsked(
  { roster, state, everyone }: ObserveInput,
  asked: readonly AddressedUser[],
  accounts: ReadonlyMap<string, ObservedAccount>,
  ports: ReadPorts,
): Promise<Result<UsersRead, Failure>> {
  const known = knownUsers(accounts, state);
  const read = (
    list: UserList | undefined,
    { users: found, misses }: SearchResult,
    earlier: readonly ObservedUser[] = [],
  ): Result<UsersRead, Failure> => {
    const users = withAccounts(mergeReadUsers([earlier, list?.users ?? [], found]), accounts.values());
    return success({ users, list, found: [...earlier, ...found], misses, known });
  };
  // Only the list shows extra members that no run has seen.
  const isWanted = everyone === "always" || roster.teams.some(removesRoles) || (asked.length > 0 && known.size === 0);
  const mayBeNeeded = hasUnprovenTeam(roster, state, [], accounts);
  const listFirst = isWanted || (mayBeNeeded && isListCheaper(asked, accounts));
  const first = listFirst ? await listUsers(ports) : success(undefined);
  if (!first.ok) return first;
  const search = await searchUnlisted(first.value, asked, known, ports);
  if (!search.ok) return search;
  const { users: found, misses } = search.value;
  const unproven = asked.filter(({ address }) => misses.get(address)?.proven === false);
  // Users that were created since the list was read are in a later one; users that were known before are not.
  const unknown = found.filter(({ address }) => !known.has(address));
  const others = { found: unknown, accounts: [], known: distinctQueries([]) };
  const isOutdated = first.value?.complete.yes && assessUserList(first.value, others).read === "incomplete";
  if (first.value === undefined ? unproven.length === 0 : !isOutdated) return read(first.value, search.value);
  const list = await listUsers(ports);
  if (!list.ok) return list;
  if (isOutdated || !list.value.complete.yes || list.value.users.length === 0)
    return read(list.value, search.value, first.value?.users);
  const again = await searchUnlisted(list.value, unproven, knownFirst([], known, new Set(misses.keys())), ports);
  if (!again.ok) return again;
  return read(list.value, {
    users: [...found, ...again.value.users],
    misses: new Map([...misses, ...again.value.misses]),
  });
}

async function listUsers({ service, progress, note, signal }: ReadPorts): Promise<Result<UserList, Failure>> {
  note("list", "GET /api/accounting/users, every page");
  const list = await service.listUsers(signal);
  if (list.ok) progress({ what: "users listed", done: list.value.users.length });
  return list;
}

/**
 * Searches for the people that the list, if there is one, does not show with their keys. Where nobody at all is known to be
 * there, a complete list of nobody proves by itself that everybody is absent.
 */
async function searchUnlisted(
  list: UserList | undefined,
  asked: readonly AddressedUser[],
  known: KnownUsers,
  ports: ReadPorts,
): Promise<Result<SearchResult, Failure>> {
  if (list === undefined) return searchPeople(asked, known, ports);
  const { users, complete } = list;
  if (complete.yes && users.length === 0 && known.size === 0) {
    return success({ users: [], misses: new Map(asked.map(({ address }) => [address, { proven: true, by: "list" }])) });
  }
  const wellShown = new Set(users.filter(({ keys }) => keys !== undefined).map(({ address }) => address));
  const unlisted = asked.filter(({ address }) => !wellShown.has(address));
  const probes = knownFirst(
    users.filter((user) => !isDeleted(user)),
    known,
    new Set(),
  );
  return searchPeople(unlisted, probes, ports);
}

/** People that the details of an account show, then those that the state remembers. */
function knownUsers(accounts: ReadonlyMap<string, ObservedAccount>, state: State): KnownUsers {
  const members = [...accounts.values()].flatMap(presentMembers).map((address) => ({ address, email: address }));
  return distinctQueries([...members, ...state.users.values()]);
}

/**
 * Every user once, in the order of addresses. Of two reads of one user the later wins, field by field: what it does not show
 * stays as it was. The same identifier is the same user; without one on either side, the same address is. Two identifiers
 * under one address are two users (trap 15).
 */
export function mergeReadUsers(readings: readonly (readonly ObservedUser[])[]): readonly ObservedUser[] {
  const users: ObservedUser[] = [];
  const byIdentifier = new Map<string, number>();
  const byAddress = new Map<EmailKey, number[]>();
  for (const user of readings.flat()) {
    const { identifier, address } = user;
    const namesakes = byAddress.get(address);
    const known = identifier === undefined ? undefined : byIdentifier.get(identifier);
    const isSame = (at: number) => identifier === undefined || users[at]?.identifier === undefined;
    const at = known ?? namesakes?.find(isSame) ?? users.length;
    const earlier = users[at];
    users[at] = earlier === undefined ? user : { ...earlier, ...user };
    if (identifier !== undefined) byIdentifier.set(identifier, at);
    if (namesakes === undefined) byAddress.set(address, [at]);
    else if (!namesakes.includes(at)) namesakes.push(at);
  }
  return users.sort(byUserAddress);
}

/** Adds the account of users who do not show it themselves, where the details of exactly one account show them. */
export function withAccounts(
  users: readonly ObservedUser[],
  accounts: Iterable<ObservedAccount>,
): readonly ObservedUser[] {
  const accountless = new Set(users.filter(({ account }) => account === undefined).map(({ address }) => address));
  if (accountless.size === 0) return users;
  const accountOf = new Map<EmailKey, string | undefined>();
  for (const { identifier, members = [] } of accounts) {
    for (const address of members) {
      if (!accountless.has(address)) continue;
      const other = accountOf.has(address) && accountOf.get(address) !== identifier;
      accountOf.set(address, other ? undefined : identifier);
    }
  }
  return users.map((user) => {
    const account = user.account === undefined ? accountOf.get(user.address) : undefined;
    return account === undefined ? user : { ...user, account };
  });
}

/**
 * Reads people by the same judged search as a snapshot: `known` are people known to be there, the best known first; a
 * user whom a read finds is known from then on. Where nobody is known, the list of users is read too.
 */
export function peopleReader({
  service,
  parallelism,
  known: knownBefore,
  shown: shownBefore = [],
}: {
  readonly service: AccountService;
  /** Reads at once. */
  readonly parallelism: number;
  readonly known: readonly AddressedUser[];
  /** What reads have shown before. */
  readonly shown?: readonly ObservedUser[];
}): UserReader {
  const reads = boundedReads(parallelism);
  const numbered = numberedReads();
  let known = distinctQueries(knownBefore);
  let words = kindWords(shownBefore);
  return {
    async read(people, purpose, signal) {
      const name = () => numbered(purpose);
      const ports = { service, reads, name, note: () => undefined, progress: () => undefined, signal };
      const list = known.size === 0 && people.length > 0 ? await listUsers(ports) : success(undefined);
      if (!list.ok) return list;
      const found = await searchUnlisted(list.value, people, known, ports);
      if (!found.ok) return found;
      const wanted = new Set(people.map(({ address }) => address));
      const users = [...(list.value?.users ?? []), ...found.value.users];
      if (words === "unclear") words = kindWords(users);
      known = distinctQueries([...known.values(), ...users.filter((user) => !isDeleted(user))]);
      const shown = users.filter(({ address }) => wanted.has(address));
      return success({ users: withClearKinds(shown, words), absences: found.value.misses });
    },
  };
}

/** Everybody whose presence a plan must know: once each, in the order of the roster, then of the state. */
export function addressesToRead(roster: Roster, state: State): readonly AddressedUser[] {
  const asked = new Map<EmailKey, AddressedUser>();
  const ask = (address: EmailKey, email: string = address) => {
    if (!asked.has(address)) asked.set(address, { address, email });
  };
  for (const { address, email } of roster.users.values()) ask(address, email);
  for (const { previously } of roster.users.values()) for (const { value } of previously) ask(value);
  for (const { address, email } of roster.leavers.values()) ask(address, email);
  for (const { address, email } of droppedUsers(roster, state)) ask(address, email);
  const holders = recordedHolders(state);
  for (const { owner } of roster.keys) if (owner !== undefined) ask(owner.value);
  for (const holder of declaredPrefixes(roster).flatMap(({ prefix }) => holders.get(prefix) ?? [])) ask(holder);
  for (const address of recordedMembers(roster, state)) ask(address, state.users.get(address)?.email);
  for (const { intent } of [...state.open, ...(state.presumedUndone ?? [])])
    for (const address of addressesInIntent(intent, holders)) ask(address);
  return [...asked.values()];
}

/**
 * People who were put into a team of the roster: one of them may have left its members since, and only one of them can show
 * a team whose identifier was never learned.
 */
function recordedMembers({ teams }: Roster, { memberships, teams: records }: State): readonly EmailKey[] {
  const isNameless = ({ key, identifier }: DesiredTeam) =>
    identifier === undefined && records.has(key) && records.get(key)?.identifier === undefined;
  const asking = new Set(teams.filter((team) => !team.open || isNameless(team)).map(({ key }) => key));
  return [...memberships.values()].flatMap(({ team, address }) => (asking.has(team) ? [address] : []));
}

/** Whose key a prefix is, as far as the state remembers. */
function recordedHolders(state: State): ReadonlyMap<string, EmailKey> {
  const holders = new Map<string, EmailKey>();
  for (const { key, address } of state.users.values()) if (key !== undefined) holders.set(key, address);
  for (const { prefix, address } of state.memberships.values()) if (prefix !== undefined) holders.set(prefix, address);
  return holders;
}

function addressesInIntent(intent: Intent, holders: ReadonlyMap<string, EmailKey>): readonly EmailKey[] {
  switch (intent.kind) {
    case "create-user":
      return [intent.address];
    case "add-members":
      return intent.addresses;
    case "replace-roles":
      return [holders.get(intent.prefix) ?? []].flat();
  }
}

/** Every prefix whose roles the roster manages, with the roles that it asks for. A leaver's keys get no roles. */
function declaredPrefixes({ users, teams, keys, leavers }: Roster) {
  const own = [...users.values()].flatMap(({ key, ownKeyRoles }) =>
    key === undefined || ownKeyRoles === undefined ? [] : [{ prefix: key.value, roles: ownKeyRoles.value }],
  );
  const inTeams = teams.flatMap(({ members }) =>
    members.flatMap(({ key, roles }) =>
      key === undefined || roles === undefined ? [] : [{ prefix: key.value, roles }],
    ),
  );
  const ofLeavers = [...leavers.values()].flatMap(({ key, teamKeys }) =>
    [...(key === undefined ? [] : [key]), ...teamKeys].map(({ value }) => ({ prefix: value, roles: [] })),
  );
  return [...own, ...inTeams, ...keys.map(({ prefix, roles }) => ({ prefix, roles })), ...ofLeavers];
}

/**
 * Who else must be read because the roster names keys that no read has shown: everyone, where such a key is to get a
 * privileged role, else the protected people. Nobody, where the service does not show keys.
 */
export function holdersToRead(
  roster: Roster,
  { privilegedRoles = [], protectedUsers = [] }: NonNullable<ObserveInput["sensitive"]>,
  users: readonly ObservedUser[],
): readonly AddressedUser[] | "everyone" {
  if (users.length > 0 && users.every(({ keys }) => keys === undefined)) return [];
  const shown = new Set(users.flatMap(({ keys = [] }) => keys.map(({ prefix }) => prefix)));
  const unshown = declaredPrefixes(roster).filter(({ prefix }) => !shown.has(prefix));
  if (unshown.length === 0) return [];
  if (unshown.some(({ roles }) => roles.some((role) => privilegedRoles.includes(role)))) return "everyone";
  const read = new Set(users.map(({ address }) => address));
  return protectedUsers.filter((address) => !read.has(address)).map((address) => ({ address, email: address }));
}

/**
 * Who is to be read so that nobody is created who is there under a near address: the people of the roster's accounts who
 * have one and whom the roster does not name, once each, in the order of the addresses. `everyone` where the details of an account do not show all its users.
 */
function similarUsersToRead(
  roster: Roster,
  users: readonly ObservedUser[],
  accounts: ReadonlyMap<string, ObservedAccount>,
): readonly AddressedUser[] | "everyone" {
  const there = new Set(users.map(({ address }) => address));
  const absent = [...roster.users.values()].filter(
    ({ address, account }) => accounts.has(account) && !there.has(address),
  );
  if (absent.length === 0) return [];
  const details = [...accounts.values()];
  if (details.some(({ members, membersCut }) => members === undefined || membersCut === true)) return "everyone";
  const named = new Set(
    [...roster.users.values()].flatMap(({ address, previously }) => [address, ...previously.map(({ value }) => value)]),
  );
  const strangers = details.flatMap(presentMembers).filter((address) => !there.has(address) && !named.has(address));
  if (strangers.length === 0) return [];
  const byText = multimap(
    absent.flatMap((user) => [...oneEditSignatures(localPartOf(user.address))].map((text) => [text, user] as const)),
  );
  const near = strangers.filter((stranger) => {
    const local = localPartOf(stranger);
    const alike = [...oneEditSignatures(local)].flatMap((text) => byText.get(text) ?? []);
    const similar = alike.filter(({ address }) => isWithinOneEdit(local, localPartOf(address)));
    return similar.some(({ distinctFrom }) => distinctFrom.every(({ value }) => value !== stranger));
  });
  return [...new Set(near)].sort().map((address) => ({ address, email: address }));
}

/**
 * Whether a team is neither declared, recorded nor shown: only the complete list of users can tell whether it has to be created.
 * What a person allows changes no read: an allowance is for a plan, and the plan is made of the reads.
 */
function hasUnprovenTeam(
  { teams }: Roster,
  state: State,
  users: readonly ObservedUser[],
  accounts: ReadonlyMap<string, ObservedAccount>,
): boolean {
  const nameIn = (account: string | undefined, name: string) => JSON.stringify([account ?? null, foldName(name)]);
  /** With the account of the key's holder where that is shown. */
  const shown = new Set<string>();
  for (const { keys = [], account } of users) {
    for (const key of keys) {
      const name = isDeleted(key) ? undefined : shownTeam(key)?.name;
      if (name !== undefined) shown.add(nameIn(account, name));
    }
  }
  return teamAliases(teams).some(({ team, names, recordKeys }) => {
    if (team.identifier !== undefined || !accounts.has(team.account)) return false;
    if (recordKeys.some((key) => state.teams.has(key))) return false;
    return ![...names].some((name) => shown.has(nameIn(team.account, name)) || shown.has(nameIn(undefined, name)));
  });
}

/**
 * Whether a person of the roster that the state knows is not shown, or nobody at the address of a creation whose outcome is unknown. Only a list
 * can show the address that they have now. And without one, somebody whom searches pass over would be offered to be created again.
 */
function hasUnshownUser(
  { users: wanted }: Roster,
  { users: records, open }: State,
  users: readonly ObservedUser[],
  now: number,
): boolean {
  const addresses = new Set(users.map(({ address }) => address));
  const identifiers = new Set(users.map(({ identifier }) => identifier));
  const isVanished = (record: RecordedUser): boolean => {
    const { address, identifier } = record;
    if (!wanted.has(address) || addresses.has(address)) return false;
    return identifier === undefined ? now >= unshownUntil(record, undefined) : !identifiers.has(identifier);
  };
  const isUnshown = ({ intent }: OpenIntent) => intent.kind === "create-user" && !addresses.has(intent.address);
  return [...records.values()].some(isVanished) || open.some(isUnshown);
}

/** Requests for a list besides its pages: the first page may have two numbers, and the last is followed by an empty one. */
const extraListRequests = 2;
const usersPerRequest = 100;

/**
 * Whether to read the list of users before anybody is searched for, where it may be needed for a team in any case. It then
 * spares the searches for all that it shows, and costs its pages where the searches would have shown the team: it comes
 * first where it spares more than that. Without account details that show their users nobody knows how long it is.
 */
export function isListCheaper(
  asked: readonly AddressedUser[],
  accounts: ReadonlyMap<string, ObservedAccount>,
): boolean {
  const pagesOf = (users: number) => Math.ceil(users / usersPerRequest) + extraListRequests;
  const mostSearches = Math.ceil(asked.length / usersPerRequest);
  const members = new Set<EmailKey>();
  for (const account of accounts.values()) {
    if (account.members === undefined) return false;
    for (const address of account.members) {
      members.add(address);
      if (2 * mostSearches <= pagesOf(members.size)) return false;
    }
  }
  const searches = Math.ceil(asked.filter(({ address }) => members.has(address)).length / usersPerRequest);
  return searches > pagesOf(members.size) - searches;
}

export function withClearKinds(users: readonly ObservedUser[], words: KindWords): readonly ObservedUser[] {
  if (words === "tell-own-keys") return users;
  return users.map((user) =>
    user.keys === undefined ? user : { ...user, keys: user.keys.map((key) => withClearKind(key, words)) },
  );
}

const maxWitnesses = 5;

/** Some users who exist, for the searches of a later run: one of each team that people are added to, then people of the roster. */
export function searchWitnesses(
  { users }: Snapshot,
  roster: Roster,
  { actions, teams }: Plan,
): readonly AddressedUser[] {
  const there = users.filter(({ status }) => accountStatus(status) === "active" || accountStatus(status) === "pending");
  const joined = new Set(
    actions.flatMap((action) => {
      const team = action.kind === "add-members" ? teams.get(action.team) : undefined;
      return (team && factValue(team.identifier)) ?? [];
    }),
  );
  const members = there.filter(({ keys = [] }) =>
    shownTeams(keys).some(({ identifier }) => identifier !== undefined && joined.delete(identifier)),
  );
  const named = there.filter(({ address }) => roster.users.has(address));
  const best = new Set([...members, ...named, ...there]);
  return [...best].slice(0, Math.max(members.length, maxWitnesses)).map(({ address, email }) => ({ address, email }));
}
