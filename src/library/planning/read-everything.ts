import { foldAddress } from "../../model/address.ts";
import { observed, type Place } from "../../model/fact.ts";
import { type Failure, isRefusedAccess, problem, type Result, success } from "../../model/result.ts";
import { emptyRoster, type Roster, type RosterUser } from "../../model/roster.ts";
import type { ObservedUser, Snapshot } from "../../model/snapshot.ts";
import { emptyState, type State } from "../../model/state.ts";
import { type ObservePorts, observe, readingTimes } from "../../observe/observe.ts";
import { addressesToRead } from "../../observe/users-to-read.ts";
import type { AccountService, UserList } from "../../ports/account-service.ts";
import { isoTime } from "../../ports/clock.ts";
import { errorFromFailure, type RosterError } from "../error.ts";

/** What a service is read for as a whole: everybody whom the roster and the state know is searched for. */
interface EverythingInput {
  readonly roster: Roster;
  readonly state: State;
  /** Accounts that the settings name. */
  readonly accounts: readonly string[];
}

export interface EverythingReading {
  readonly snapshot: Snapshot;
  /** `all`: the accounts are all that the key may see. */
  readonly accounts: "all" | "named";
}

/**
 * Reads everything that a plan of any roster could need: every account that the key may see, the roles, all users by the list,
 * and each once more by a search, which may show more. An incomplete list is a failure: such a snapshot proves no absence.
 */
export async function readEverything(
  input: EverythingInput,
  ports: ObservePorts,
): Promise<Result<EverythingReading, Failure>> {
  const { service, clock } = ports;
  const readsBefore = service.requests.reads;
  const readAt = isoTime(clock);
  const times = readingTimes(service.times, ports.storeTimes);
  const accounts = await accountsToRead(input, ports);
  if (!accounts.ok) return accounts;
  const rosterFor = (users: readonly ObservedUser[]) => rosterForEverything(users, accounts.value.identifiers, input);
  const hint = "A snapshot needs a complete read of the service. Try again, or use a key that can see all users.";
  const read = await readListed({ rosterFor, state: input.state, everyone: "always", hint }, ports);
  if (!read.ok) return read;
  const roles = await rolesOf(read.value.snapshot, ports);
  if (!roles.ok) return roles;
  const reads = service.requests.reads - readsBefore;
  const { times: _later, ...listed } = read.value.snapshot;
  const snapshot = { ...listed, roles: roles.value, readAt, ...times(), reads };
  return success({ snapshot, accounts: accounts.value.are });
}

interface ListedInput {
  readonly rosterFor: (users: readonly ObservedUser[]) => Roster;
  readonly state: State;
  readonly everyone: "always" | "when-needed";
  /** What to do about an incomplete list. */
  readonly hint: string;
}

/** Lists all users, and reads what a plan for all of them reads. An incomplete list is a failure. */
async function readListed(
  { rosterFor, state, everyone, hint }: ListedInput,
  ports: ObservePorts,
): Promise<Result<{ readonly snapshot: Snapshot; readonly users: readonly ObservedUser[] }, Failure>> {
  const { service, signal } = ports;
  const list = await service.listUsers(signal);
  if (!list.ok) return list;
  const { users, complete } = list.value;
  if (!complete.yes) return problem(incompleteList(complete.why, hint));
  const input = { roster: rosterFor(users), state, everyone } as const;
  const read = await observe(input, { ...ports, service: withUserList(service, list.value) });
  if (!read.ok) return read;
  const { everyone: status } = read.value;
  if (status.read === "incomplete") return problem(incompleteList(status.why, hint));
  if (status.read !== "complete" && everyone === "always") return problem(incompleteList("it was not read", hint));
  return success({ snapshot: read.value, users });
}

function incompleteList(why: string, hint: string): Failure {
  return { code: "misunderstood", message: `The list of users is incomplete: ${why}`, hint };
}

interface AccountsToRead {
  readonly identifiers: readonly string[];
  readonly are: EverythingReading["accounts"];
}

/** A key that may not list accounts may still read those that are named. */
async function accountsToRead(
  { roster, accounts }: EverythingInput,
  { service, signal }: ObservePorts,
): Promise<Result<AccountsToRead, Failure>> {
  const named = [...accounts, ...roster.accounts.map(({ value }) => value)];
  const hint = "Name the accounts in the settings, or with --account ID, if the key may not list them.";
  const listed = await listAccounts(service, { named, hint, signal });
  if (!listed.ok) return listed;
  const identifiers = distinct([...(listed.value ?? []), ...named]).toSorted();
  return success({ identifiers, are: listed.value === undefined ? "named" : "all" });
}

interface NamedAccounts {
  readonly named: readonly string[];
  /** What to do if accounts are neither listed nor named. */
  readonly hint: string;
  readonly signal: AbortSignal | undefined;
}

/** The accounts that the key may see; undefined if it may not list them and others are named. */
async function listAccounts(
  service: AccountService,
  { named, hint, signal }: NamedAccounts,
): Promise<Result<readonly string[] | undefined, Failure>> {
  const listed = await service.listAccounts(signal);
  if (listed.ok) return success(listed.value.map(({ identifier }) => identifier));
  const { error } = listed;
  const isUnlisted = error.code === "not-found" || (isRefusedAccess(error) && error.code !== "unauthorized");
  if (!isUnlisted) return listed;
  return named.length > 0 ? success(undefined) : problem({ ...error, hint: error.hint ?? hint });
}

/** The roster, if there is one, and everybody who is listed or remembered. */
function rosterForEverything(
  listed: readonly ObservedUser[],
  accounts: readonly string[],
  { roster, state }: EverythingInput,
): Roster {
  const remembered = [
    ...addressesToRead(roster, state).map(({ email }) => email),
    ...[...state.users.values()].map(({ email }) => email),
    ...[...state.memberships.values()].map(({ address }) => address),
  ];
  const others = remembered.map((email) => ({ email, address: foldAddress(email), by: "" }));
  const everybody = rosterForUsers([...listed, ...others], accounts);
  return { ...roster, accounts: everybody.accounts, users: new Map([...everybody.users, ...roster.users]) };
}

/** Where nobody is there yet, nobody's keys asked for the roles. */
async function rolesOf(
  { roles }: Snapshot,
  { service, signal }: ObservePorts,
): Promise<Result<Snapshot["roles"], Failure>> {
  if (roles.known === "observed") return success(roles);
  const read = await service.listRoles(signal);
  return read.ok ? success(observed(read.value, "roles")) : read;
}

/** Everybody of a service, read in the way in which a plan for all of them reads them. */
export interface AllUsersReading {
  readonly snapshot: Snapshot;
  /** People whom the list of users shows and no search finds. */
  readonly listedOnly: readonly ObservedUser[];
}

/** Reads accounts, roles and all users. An incomplete list is a failure. */
export async function readAllUsers(
  accounts: readonly string[],
  ports: ObservePorts,
): Promise<Result<AllUsersReading, Failure>> {
  const readAt = isoTime(ports.clock);
  const times = readingTimes(ports.service.times, ports.storeTimes);
  const rosterFor = (users: readonly ObservedUser[]) => rosterForUsers(users, accounts);
  const hint = "An import needs a complete read of the service. Try again, or use a key that can see all users.";
  const read = await readListed({ rosterFor, state: emptyState("adoption"), everyone: "when-needed", hint }, ports);
  if (!read.ok) return read;
  const { users } = read.value;
  const { times: _later, ...snapshot } = read.value.snapshot;
  const shown = new Set(snapshot.users.map(({ address }) => address));
  const listedOnly = users.filter(({ address }) => !shown.has(address));
  return success({ snapshot: { ...snapshot, readAt, ...times() }, listedOnly });
}

/** The same service, whose list of users is not read twice. */
function withUserList(service: AccountService, list: UserList): AccountService {
  const listUsers: AccountService["listUsers"] = async () => success(list);
  return Object.assign(Object.create(service), { listUsers });
}

const nowhere: Place = { file: "", line: 1, column: 1 };

/** A roster that asks for everybody and for the roles of their keys. */
function rosterForUsers(users: readonly ObservedUser[], accounts: readonly string[]): Roster {
  const wanted = users.map(({ address, email }): [RosterUser["address"], RosterUser] => {
    const ownKeyRoles = { value: [], place: nowhere, because: [] };
    const user = { address, email, firstName: "", lastName: "", account: "", previously: [], ownKeyRoles };
    return [address, { ...user, distinctFrom: [], place: nowhere, because: [] }];
  });
  return {
    ...emptyRoster,
    accounts: accounts.map((value) => ({ value, place: nowhere })),
    users: new Map(wanted),
  };
}

/** The accounts to adopt, by their identifiers. */
export interface AccountsToImport {
  readonly accounts: readonly string[];
  /** True where the key may see no other: then everybody belongs to one of them. */
  readonly areAll: boolean;
}

/** Accounts as settings name them: one, and aliases of others. */
interface NamedAccountSettings {
  readonly account?: string;
  readonly accounts: ReadonlyMap<string, string>;
}

/** The accounts that flags name, else the settings, else every account that the key may see. */
export async function accountsToImport(
  flags: readonly string[],
  settings: NamedAccountSettings,
  service: AccountService,
  signal: AbortSignal,
): Promise<Result<AccountsToImport, RosterError>> {
  const named = namedAccounts(flags, settings);
  const hint = "Name the accounts with --account ID if the key may not list them.";
  const listed = await listAccounts(service, { named, hint, signal });
  if (!listed.ok) return problem(errorFromFailure(listed.error));
  if (listed.value === undefined) return success({ accounts: named, areAll: false });
  const seen = distinct(listed.value).toSorted();
  if (named.length === 0) return success({ accounts: seen, areAll: true });
  return success({ accounts: named, areAll: seen.every((account) => named.includes(account)) });
}

function namedAccounts(flags: readonly string[], { account, accounts }: NamedAccountSettings): readonly string[] {
  const identifierOf = (name: string) => accounts.get(name) ?? name;
  if (flags.length > 0) return distinct(flags.map(identifierOf));
  return distinct([...(account === undefined ? [] : [identifierOf(account)]), ...accounts.values()]);
}

function distinct(accounts: readonly string[]): readonly string[] {
  return [...new Set(accounts)];
}
