import type { EmailKey } from "../model/address.ts";
import { type Failure, type Result, success } from "../model/result.ts";
import { type Roster, removesRoles } from "../model/roster.ts";
import { findServiceReset } from "../model/service-reset.ts";
import {
  type Absence,
  accountStatus,
  byUserAddress,
  type ObservedAccount,
  type ObservedUser,
  presentMembers,
} from "../model/snapshot.ts";
import type { State } from "../model/state.ts";
import { kindWords, withClearKinds } from "../model/team.ts";
import type { AccountService, UserList, UserQuery, UserReader } from "../ports/account-service.ts";
import type { Progress } from "../ports/operator.ts";
import { boundedReads, type ReadNames, readNamesFor } from "./reads.ts";
import { type SearchPorts, type SearchResult, searchPeople } from "./search.ts";
import {
  type AddressQuery,
  distinctQueries,
  hasUnshownCreation,
  hasVanishedUser,
  holdersToRead,
  isListCheaper,
  KnownUserProbes,
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
  /** Somebody who is known to be there, whatever the reads show. */
  readonly known: AddressQuery | undefined;
}

/** Searches for everybody who was asked for, and reads the list of users where a search alone cannot tell. */
export async function readUsers(
  question: ObserveInput,
  asked: readonly AddressQuery[],
  accounts: ReadonlyMap<string, ObservedAccount>,
  ports: SearchPorts,
): Promise<Result<UsersRead, Failure>> {
  const { roster, state } = question;
  const people = await readQueriedUsers(question, asked, accounts, ports);
  if (!people.ok || people.value.list !== undefined) return people;
  const { users } = people.value;
  const toProve = teamsToProve(roster, { state, users, accounts });
  const near = question.namesakes === "sought" ? similarUsersToRead(roster, users, accounts) : [];
  const holders = holdersToRead(roster, question.sensitive ?? {}, users);
  const isInDoubt = findServiceReset(roster, { users, absences: people.value.misses }, state) !== undefined;
  const needsList =
    toProve.length > 0 || isInDoubt || hasVanishedUser(roster, state, users) || hasUnshownCreation(state, users);
  if (needsList || near === "everyone" || holders === "everyone") return addUserList(people.value, accounts, ports);
  return addOtherUsers(people.value, distinctQueries([...near, ...holders]), accounts, ports);
}

async function addUserList(
  people: UsersRead,
  accounts: ReadonlyMap<string, ObservedAccount>,
  ports: SearchPorts,
): Promise<Result<UsersRead, Failure>> {
  const list = await listUsers(ports);
  if (!list.ok) return list;
  const all = withAccounts(mergeReadUsers([people.users, list.value.users]), accounts.values());
  return success({ ...people, users: all, list: list.value });
}

/** The absence of these people does not matter. */
async function addOtherUsers(
  people: UsersRead,
  others: readonly AddressQuery[],
  accounts: ReadonlyMap<string, ObservedAccount>,
  ports: SearchPorts,
): Promise<Result<UsersRead, Failure>> {
  if (others.length === 0) return success(people);
  const search = await searchPeople(others, new KnownUserProbes(others), ports);
  if (!search.ok) return search;
  const all = withAccounts(mergeReadUsers([people.users, search.value.users]), accounts.values());
  return success({ ...people, users: all });
}

/** The list is read first where it is needed anyway, or where nobody is known that a search must find; last, where no such person was found. */
async function readQueriedUsers(
  { roster, state, everyone }: ObserveInput,
  asked: readonly AddressQuery[],
  accounts: ReadonlyMap<string, ObservedAccount>,
  ports: SearchPorts,
): Promise<Result<UsersRead, Failure>> {
  const known = knownUsers(accounts, state);
  const isWanted =
    everyone === "always" || removesRolesOfFormerMembers(roster) || (asked.length > 0 && known.best === undefined);
  const mayBeNeeded = teamsToProve(roster, { state, users: [], accounts }).length > 0;
  const listFirst = isWanted || (mayBeNeeded && isListCheaper(asked, accounts));
  const first = listFirst ? await listUsers(ports) : success(undefined);
  if (!first.ok) return first;
  const search = await searchUnlisted(first.value, asked, known, ports);
  if (!search.ok) return search;
  const { users: found, misses } = search.value;
  const isUnproven = ({ address }: AddressQuery) => misses.get(address)?.proven === false;
  const unproven = first.value === undefined ? asked.filter(isUnproven) : [];
  if (unproven.length === 0) return success(usersRead(first.value, search.value, known, accounts));
  const list = await listUsers(ports);
  if (!list.ok) return list;
  const again =
    list.value.complete.yes && list.value.users.length > 0
      ? await searchUnlisted(list.value, unproven, known.refined([], new Set(misses.keys())), ports)
      : success(noUsersFound);
  if (!again.ok) return again;
  const both = {
    users: [...found, ...again.value.users],
    misses: new Map([...misses, ...again.value.misses]),
  };
  return success(usersRead(list.value, both, known, accounts));
}

async function listUsers({ service, progress, signal }: SearchPorts): Promise<Result<UserList, Failure>> {
  const list = await service.listUsers(signal);
  if (list.ok) progress.report({ what: "users listed", done: list.value.users.length });
  return list;
}

/**
 * Searches for the people that the list, if there is one, does not show with their keys. Where nobody at all is known to be
 * there, a complete list of nobody proves by itself that everybody is absent.
 */
async function searchUnlisted(
  list: UserList | undefined,
  asked: readonly AddressQuery[],
  known: KnownUserProbes,
  ports: SearchPorts,
): Promise<Result<SearchResult, Failure>> {
  if (list === undefined) return searchPeople(asked, known, ports);
  const { users, complete } = list;
  if (complete.yes && users.length === 0 && known.best === undefined) {
    return success({ users: [], misses: allAbsent(asked) });
  }
  const wellShown = new Set(users.filter(({ keys }) => keys !== undefined).map(({ address }) => address));
  const unlisted = asked.filter(({ address }) => !wellShown.has(address));
  if (unlisted.length === 0) return success(noUsersFound);
  const listed = users.filter(({ status }) => accountStatus(status) !== "deleted");
  const probes = known.refined(
    listed.map(({ address, email }) => ({ address, sent: email })),
    new Set(),
  );
  return searchPeople(unlisted, probes, ports);
}

function allAbsent(asked: readonly AddressQuery[]): ReadonlyMap<EmailKey, Absence> {
  return new Map(asked.map(({ address }): [EmailKey, Absence] => [address, { proven: true, by: "list" }]));
}

const noUsersFound: SearchResult = { users: [], misses: new Map() };

function usersRead(
  list: UserList | undefined,
  { users: found, misses }: SearchResult,
  known: KnownUserProbes,
  accounts: ReadonlyMap<string, ObservedAccount>,
): UsersRead {
  const users = withAccounts(mergeReadUsers([list?.users ?? [], found]), accounts.values());
  return { users, list, found, misses, known: known.best };
}

/** Only the list shows extra members that no run has seen. */
function removesRolesOfFormerMembers({ teams }: Roster): boolean {
  return teams.some(removesRoles);
}

/** People that the details of an account show, then those that the state remembers. */
function knownUsers(accounts: ReadonlyMap<string, ObservedAccount>, state: State): KnownUserProbes {
  return new KnownUserProbes({
    *[Symbol.iterator]() {
      for (const account of accounts.values())
        for (const address of presentMembers(account)) yield { address, sent: address };
      for (const { address, email } of state.users.values()) yield { address, sent: email };
    },
  });
}

/**
 * Every user once, in the order of addresses. Of two reads of one user the later wins, field by field: what it does not show
 * stays as it was. Two identifiers under one address are two users.
 * @internal
 */
export function mergeReadUsers(readings: readonly (readonly ObservedUser[])[]): readonly ObservedUser[] {
  const gathering = new UserMerge();
  for (const reading of readings) for (const user of reading) gathering.add(user);
  return gathering.users.sort(byUserAddress);
}

class UserMerge {
  readonly users: ObservedUser[] = [];
  readonly #byIdentifier = new Map<string, number>();
  readonly #byAddress = new Map<EmailKey, number[]>();

  add(user: ObservedUser): void {
    const place = this.#placeOf(user);
    const earlier = place === undefined ? undefined : this.users[place];
    const at = place ?? this.users.length;
    this.users[at] = earlier === undefined ? user : { ...earlier, ...user };
    if (user.identifier !== undefined) this.#byIdentifier.set(user.identifier, at);
    const namesakes = this.#byAddress.get(user.address);
    if (namesakes === undefined) this.#byAddress.set(user.address, [at]);
    else if (!namesakes.includes(at)) namesakes.push(at);
  }

  /** The same identifier is the same user; without one on either side, the same address is. */
  #placeOf({ identifier, address }: ObservedUser): number | undefined {
    const known = identifier === undefined ? undefined : this.#byIdentifier.get(identifier);
    if (known !== undefined) return known;
    const namesakes = this.#byAddress.get(address) ?? [];
    return namesakes.find((at) => identifier === undefined || this.users[at]?.identifier === undefined);
  }
}

/** Adds the account of users who do not show it themselves, where the details of exactly one account show them. @internal */
export function withAccounts(
  users: readonly ObservedUser[],
  accounts: Iterable<ObservedAccount>,
): readonly ObservedUser[] {
  const accountless = new Set(users.filter(({ account }) => account === undefined).map(({ address }) => address));
  if (accountless.size === 0) return users;
  const accountOf = new Map<EmailKey, string | undefined>();
  for (const { identifier, members } of accounts) {
    for (const address of members ?? []) {
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
export function peopleReader(ports: {
  readonly service: AccountService;
  /** Reads at once. */
  readonly parallelism: number;
  readonly known: readonly UserQuery[];
  /** What reads have shown before. */
  readonly shown?: readonly ObservedUser[];
}): UserReader {
  const { service, parallelism } = ports;
  const reads = boundedReads(parallelism);
  const names = new Map<string, ReadNames>();
  let known = new KnownUserProbes(ports.known.map(toQuery));
  let words = kindWords(ports.shown ?? []);

  function namesFor(purpose: string): ReadNames {
    const given = names.get(purpose) ?? readNamesFor(purpose);
    names.set(purpose, given);
    return given;
  }

  return {
    async read(people, purpose, signal) {
      const asked = people.map(toQuery);
      const searchPorts = { service, reads, names: namesFor(purpose), progress: noProgress, signal };
      const list = known.best === undefined && asked.length > 0 ? await listUsers(searchPorts) : success(undefined);
      if (!list.ok) return list;
      const found = await searchUnlisted(list.value, asked, known, searchPorts);
      if (!found.ok) return found;
      const wanted = new Set(asked.map(({ address }) => address));
      const users = [...(list.value?.users ?? []), ...found.value.users];
      if (words === "unclear") words = kindWords(users);
      const present = users.filter(({ status }) => accountStatus(status) !== "deleted");
      known = known.with(present.map(toQuery));
      const shown = users.filter(({ address }) => wanted.has(address));
      return success({ users: withClearKinds(shown, words), absences: found.value.misses });
    },
  };
}

function toQuery({ address, email }: UserQuery): AddressQuery {
  return { address, sent: email };
}

const noProgress: Progress = { report: () => undefined };
