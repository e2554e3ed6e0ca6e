import { foldAddress } from "../../model/address.ts";
import { observed, type Place } from "../../model/fact.ts";
import { type Failure, isRefusedAccess, problem, type Result, success } from "../../model/result.ts";
import type { Roster, RosterUser } from "../../model/roster.ts";
import type { ObservedUser, Snapshot } from "../../model/snapshot.ts";
import { emptyState, type State } from "../../model/state.ts";
import { type ObservePorts, observe } from "../../observe/observe.ts";
import { addressesToRead } from "../../observe/users-to-read.ts";
import type { AccountService, UserList } from "../../ports/account-service.ts";
import { isoTime } from "../../ports/clock.ts";
import { type CommandError, errorFromFailure } from "../command-error.ts";
import type { Settings } from "../settings/settings.ts";

/** For whom a service is read as a whole: whoever the roster and the state know is searched for, as a plan would. */
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
 * Reads everything that a plan of any roster could need: every account that the key may see, the roles, everybody listed, and
 * everybody once more by a search, which may show more of them. A list that cannot be shown to be complete is a failure: of such
 * a snapshot nobody's absence could be told.
 */
export async function readEverything(
  question: EverythingInput,
  ports: ObservePorts,
): Promise<Result<EverythingReading, Failure>> {
  const { service, clock, signal } = ports;
  const readsBefore = service.requests.reads;
  const readAt = isoTime(clock);
  const accounts = await accountsToRead(question, ports);
  if (!accounts.ok) return accounts;
  const list = await service.listUsers(signal);
  if (!list.ok) return list;
  if (!list.value.complete.yes) return problem(incompleteReading(list.value.complete.why));
  const roster = rosterForEverything(list.value.users, accounts.value.identifiers, question);
  const asked = { roster, state: question.state, everyone: "always", assumeAbsentTeams: "all" } as const;
  const read = await observe(asked, { ...ports, service: withUserList(service, list.value) });
  if (!read.ok) return read;
  const { everyone } = read.value;
  if (everyone.read !== "complete")
    return problem(incompleteReading(everyone.read === "incomplete" ? everyone.why : "it was not read"));
  const roles = await rolesOf(read.value, ports);
  if (!roles.ok) return roles;
  const snapshot = { ...read.value, roles: roles.value, readAt, reads: service.requests.reads - readsBefore };
  return success({ snapshot, accounts: accounts.value.are });
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
  const listed = await service.listAccounts(signal);
  if (listed.ok) {
    const identifiers = new Set([...listed.value.map(({ identifier }) => identifier), ...named]);
    return success({ identifiers: [...identifiers].sort(), are: "all" });
  }
  const { error } = listed;
  const isNoMatter = error.code === "not-found" || (isRefusedAccess(error) && error.code !== "unauthorized");
  if (!isNoMatter) return listed;
  if (named.length > 0) return success({ identifiers: [...new Set(named)].sort(), are: "named" });
  const hint = error.hint ?? "Name the accounts in the settings, or with --account ID, if the key may not list them.";
  return problem({ ...error, hint });
}

/** The roster, where there is one, and beside it everybody who is listed or remembered. */
function rosterForEverything(
  listed: readonly ObservedUser[],
  accounts: readonly string[],
  { roster, state }: EverythingInput,
): Roster {
  const remembered = [
    ...addressesToRead(roster, state).map(({ sent }) => sent),
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

function incompleteReading(why: string): Failure {
  return {
    code: "misunderstood",
    message: `The list of users is incomplete: ${why}`,
    hint: "No snapshot is made of a service that was not read completely. Try again, or use a key that may see everybody.",
  };
}

/** Everybody of a service, read in the way in which a plan for all of them reads them. */
export interface AllUsersReading {
  readonly snapshot: Snapshot;
  /** People whom the list of users shows and no search finds. */
  readonly listedOnly: readonly ObservedUser[];
}

/** Reads accounts, roles and everybody. A list that cannot be shown to be complete is a failure. */
export async function readAllUsers(
  accounts: readonly string[],
  ports: ObservePorts,
): Promise<Result<AllUsersReading, Failure>> {
  const { service, clock, signal } = ports;
  const readAt = isoTime(clock);
  const list = await service.listUsers(signal);
  if (!list.ok) return list;
  if (!list.value.complete.yes) return problem(incompleteUserList(list.value.complete.why));
  const roster = rosterForUsers(list.value.users, accounts);
  const question = {
    roster,
    state: emptyState("adoption"),
    everyone: "when-needed",
    assumeAbsentTeams: "all",
  } as const;
  const read = await observe(question, { ...ports, service: withUserList(service, list.value) });
  if (!read.ok) return read;
  const snapshot: Snapshot = { ...read.value, readAt };
  if (snapshot.everyone.read === "incomplete") return problem(incompleteUserList(snapshot.everyone.why));
  const shown = new Set(snapshot.users.map(({ address }) => address));
  return success({ snapshot, listedOnly: list.value.users.filter(({ address }) => !shown.has(address)) });
}

function incompleteUserList(why: string): Failure {
  return {
    code: "misunderstood",
    message: `The list of users is incomplete: ${why}`,
    hint: "Nothing is adopted of a service that was not read completely. Try again, or use a key that may see everybody.",
  };
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
    accounts: accounts.map((value) => ({ value, place: nowhere })),
    users: new Map(wanted),
    leavers: new Map(),
    teams: [],
    keys: [],
    roleSets: new Map(),
  };
}

/** The accounts to adopt, by their identifiers. */
export interface AccountsToImport {
  readonly accounts: readonly string[];
  /** True where the key may see no other: then everybody belongs to one of them. */
  readonly areAll: boolean;
}

/** The accounts that flags name, else the settings, else every account that the key may see. */
export async function accountsToImport(
  flags: readonly string[],
  settings: Settings,
  service: AccountService,
  signal: AbortSignal,
): Promise<Result<AccountsToImport, CommandError>> {
  const named = namedAccounts(flags, settings);
  const listed = await service.listAccounts(signal);
  if (listed.ok) {
    const seen = distinct(listed.value.map(({ identifier }) => identifier)).toSorted();
    if (named.length === 0) return success({ accounts: seen, areAll: true });
    return success({ accounts: named, areAll: seen.every((account) => named.includes(account)) });
  }
  const { error } = listed;
  const isNoMatter = error.code === "not-found" || (isRefusedAccess(error) && error.code !== "unauthorized");
  if (!isNoMatter) return problem(errorFromFailure(error));
  if (named.length > 0) return success({ accounts: named, areAll: false });
  const hint = error.hint ?? "Name the accounts with --account ID if the key may not list them.";
  return problem(errorFromFailure({ ...error, hint }));
}

function namedAccounts(flags: readonly string[], { account, accounts }: Settings): readonly string[] {
  const identifierOf = (name: string) => accounts.get(name) ?? name;
  if (flags.length > 0) return distinct(flags.map(identifierOf));
  return distinct([...(account === undefined ? [] : [identifierOf(account)]), ...accounts.values()]);
}

function distinct(accounts: readonly string[]): readonly string[] {
  return [...new Set(accounts)];
}
