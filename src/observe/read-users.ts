import type { EmailKey } from "../model/address.ts";
import { isDeleted, kindWords, withClearKinds } from "../model/key.ts";
import type { Failure } from "../model/recorded.ts";
import { type Result, success } from "../model/result.ts";
import type { Roster } from "../model/roster.ts";
import { findServiceReset } from "../model/service-reset.ts";
import { type Absence, type ObservedAccount, presentMembers } from "../model/snapshot.ts";
import type { State } from "../model/state.ts";
import { removesRoles } from "../model/team.ts";
import { type AddressedUser, byUserAddress, type ObservedUser } from "../model/user.ts";
import type { AccountService, UserList, UserReader } from "../ports/account-service.ts";
import { boundedReads, numberedReads, type ReadPorts } from "./reads.ts";
import { distinctQueries, type KnownUsers, knownFirst, type SearchResult, searchPeople } from "./search.ts";
import {
  hasUnshownCreation,
  hasVanishedUser,
  holdersToRead,
  isListCheaper,
  type SensitiveSubjects,
  similarUsersToRead,
  teamsToProve,
} from "./users-to-read.ts";

export interface ObserveInput {
  readonly roster: Roster;
  readonly state: State;
  readonly everyone: "when-needed" | "always";
  /** Users with a similar address are read as well, where a person of the roster is not there. */
  readonly namesakes?: "sought" | undefined;
  /** Roles and people for which it is read whose the keys are that the roster names. */
  readonly sensitive?: SensitiveSubjects | undefined;
}

/** The users that the reads showed, and what they say of the others. */
export interface UsersRead {
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
    teamsToProve(roster, { state, users, accounts }).length > 0 ||
    findServiceReset(roster, { users, absences: misses }, state) !== undefined ||
    hasVanishedUser(roster, state, users, now) ||
    hasUnshownCreation(state, users);
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
  const read = (list: UserList | undefined, { users: found, misses }: SearchResult): Result<UsersRead, Failure> => {
    const users = withAccounts(mergeReadUsers([list?.users ?? [], found]), accounts.values());
    return success({ users, list, found, misses, known });
  };
  // Only the list shows extra members that no run has seen.
  const isWanted = everyone === "always" || roster.teams.some(removesRoles) || (asked.length > 0 && known.size === 0);
  const mayBeNeeded = teamsToProve(roster, { state, users: [], accounts }).length > 0;
  const listFirst = isWanted || (mayBeNeeded && isListCheaper(asked, accounts));
  const first = listFirst ? await listUsers(ports) : success(undefined);
  if (!first.ok) return first;
  const search = await searchUnlisted(first.value, asked, known, ports);
  if (!search.ok) return search;
  const { users: found, misses } = search.value;
  const unproven = asked.filter(({ address }) => misses.get(address)?.proven === false);
  if (first.value !== undefined || unproven.length === 0) return read(first.value, search.value);
  const list = await listUsers(ports);
  if (!list.ok) return list;
  if (!list.value.complete.yes || list.value.users.length === 0) return read(list.value, search.value);
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
