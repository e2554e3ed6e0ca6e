import { foldAddress } from "../model/address.ts";
import { observed, type Place } from "../model/fact.ts";
import { isRefusedAccess, success } from "../model/result.ts";
import type { Roster } from "../model/roster.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { emptyState, type State } from "../model/state.ts";
import type { DesiredUser, ObservedUser } from "../model/user.ts";
import { type ObservePorts, observe, readingTimes } from "../observe/observe.ts";
import { addressesToRead } from "../observe/read-users.ts";
import { isoTime } from "../ports/clock.ts";
import { emptyRoster } from "../roster/build.ts";
import type { AccountService } from "../service/port.ts";
import { errorFromFailure, orThrow } from "./error.ts";

/**
 * Reads all users by the list, and each once more by a search, which may show more. It also searches
 * for all users of the roster and of the state. `named`: the accounts of the settings. The result's `accounts`: whether they are all that the key may see.
 */
export async function readEverything(
  {
    roster,
    state,
    accounts: named,
  }: { readonly roster: Roster; readonly state: State; readonly accounts: readonly string[] },
  ports: ObservePorts,
): Promise<{ readonly snapshot: Snapshot; readonly accounts: "all" | "named" }> {
  const { service, signal } = ports;
  const readAt = isoTime(ports.clock);
  const times = readingTimes(service.times, ports.storeTimes);
  const readsBefore = service.requests.reads;
  // A key that may not list accounts may still read those that are named.
  const known = [...named, ...roster.accounts.map(({ value }) => value)];
  const naming = "Name the accounts in the settings, or with --account ID, if the key may not list them.";
  const listed = await listAccounts(known, naming, service, signal);
  const accounts = [...new Set([...(listed ?? []), ...known])].toSorted();
  const hint = "A snapshot needs a complete read of the service. Try again, or use a key that can see all users.";
  // The roster, if there is one, and everybody who is listed or remembered.
  const remembered = [
    ...addressesToRead(roster, state).map(({ email }) => email),
    ...[...state.users.values()].map(({ email }) => email),
    ...[...state.memberships.values()].map(({ address }) => address),
  ];
  const others = remembered.map((email) => ({ email, address: foldAddress(email), by: "" }));
  const rosterFor = (users: readonly ObservedUser[]) => {
    const everybody = rosterForUsers([...users, ...others], accounts);
    return { ...roster, accounts: everybody.accounts, users: new Map([...everybody.users, ...roster.users]) };
  };
  const { snapshot } = await readListed(rosterFor, state, "always", hint, ports);
  // Where nobody is there yet, nobody's keys asked for the roles.
  const isAsked = snapshot.roles.known === "observed";
  const roles = isAsked ? snapshot.roles : observed(orThrow(await service.listRoles(signal)), "roles");
  const reads = service.requests.reads - readsBefore;
  return {
    snapshot: { ...snapshot, roles, readAt, ...times(), reads },
    accounts: listed === undefined ? "named" : "all",
  };
}

/** `listedOnly`: people whom the list of users shows and no search finds. */
export async function readAllUsers(
  accounts: readonly string[],
  ports: ObservePorts,
): Promise<{ readonly snapshot: Snapshot; readonly listedOnly: readonly ObservedUser[] }> {
  const rosterFor = (users: readonly ObservedUser[]) => rosterForUsers(users, accounts);
  const hint = "An import needs a complete read of the service. Try again, or use a key that can see all users.";
  const read = await readListed(rosterFor, emptyState("adoption"), "when-needed", hint, ports);
  const shown = new Set(read.snapshot.users.map(({ address }) => address));
  return { snapshot: read.snapshot, listedOnly: read.users.filter(({ address }) => !shown.has(address)) };
}

/** The time of the snapshot is that of its first read. */
async function readListed(
  rosterFor: (users: readonly ObservedUser[]) => Roster,
  state: State,
  everyone: "always" | "when-needed",
  hint: string,
  ports: ObservePorts,
): Promise<{ readonly snapshot: Snapshot; readonly users: readonly ObservedUser[] }> {
  const readAt = isoTime(ports.clock);
  const times = readingTimes(ports.service.times, ports.storeTimes);
  const incomplete = (why: string) =>
    errorFromFailure({ code: "misunderstood", message: `The list of users is incomplete: ${why}`, hint });
  const list = orThrow(await ports.service.listUsers(ports.signal));
  const { users, complete } = list;
  if (!complete.yes) throw incomplete(complete.why);
  // The list of users is not read twice.
  const listUsers: AccountService["listUsers"] = async () => success(list);
  const service: AccountService = Object.assign(Object.create(ports.service), { listUsers });
  const observedUsers = await observe({ roster: rosterFor(users), state, everyone }, { ...ports, service });
  const { times: _later, ...snapshot } = orThrow(observedUsers);
  const { everyone: status } = snapshot;
  if (status.read === "incomplete") throw incomplete(status.why);
  if (status.read !== "complete" && everyone === "always") throw incomplete("it was not read");
  return { snapshot: { ...snapshot, readAt, ...times() }, users };
}

/** The accounts that the key may see; undefined if it may not list them and others are named. `hint`: what to do if there is neither. */
async function listAccounts(
  named: readonly string[],
  hint: string,
  service: AccountService,
  signal: AbortSignal | undefined,
): Promise<readonly string[] | undefined> {
  const listed = await service.listAccounts(signal);
  if (listed.ok) return listed.value.map(({ identifier }) => identifier);
  const { error } = listed;
  const isUnlisted = error.code === "not-found" || (isRefusedAccess(error) && error.code !== "unauthorized");
  if (isUnlisted && named.length > 0) return undefined;
  throw errorFromFailure(isUnlisted ? { ...error, hint: error.hint ?? hint } : error);
}

const nowhere: Place = { file: "", line: 1, column: 1 };

/** A roster that asks for everybody and for the roles of their keys. */
function rosterForUsers(users: readonly ObservedUser[], accounts: readonly string[]): Roster {
  const wanted = users.map(({ address, email }): [DesiredUser["address"], DesiredUser] => {
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

/** `areAll`: the key may see no other account, so that everybody belongs to one of them. */
export async function accountsToImport(
  named: readonly string[],
  service: AccountService,
  signal: AbortSignal | undefined,
): Promise<{ readonly accounts: readonly string[]; readonly areAll: boolean }> {
  const hint = "Name the accounts with --account ID if the key may not list them.";
  const listed = await listAccounts(named, hint, service, signal);
  if (listed === undefined) return { accounts: named, areAll: false };
  const seen = [...new Set(listed)].toSorted();
  if (named.length === 0) return { accounts: seen, areAll: true };
  return { accounts: named, areAll: seen.every((account) => named.includes(account)) };
}
