import type { EmailKey } from "../model/address.ts";
import type { Capabilities, Visibility } from "../model/capabilities.ts";
import { definedFields } from "../model/collections.ts";
import { type Fact, observed, type ReadName, unknown } from "../model/fact.ts";
import type { Failure } from "../model/failure.ts";
import { accountStatus, isDeleted, kindWords, type ObservedKey, shownTeamKey } from "../model/key.ts";
import { problem, type Result, success } from "../model/result.ts";
import type { Roster } from "../model/roster.ts";
import {
  listedMembers,
  type ObservedAccount,
  type ObservedRole,
  type ReadRecord,
  type Snapshot,
} from "../model/snapshot.ts";
import type { State } from "../model/state.ts";
import type { AddressedUser, ObservedUser } from "../model/user.ts";
import { type Clock, isoTime, type ServerTimes, stopwatch } from "../ports/clock.ts";
import type { ReadStep } from "../ports/operator.ts";
import { type AccountService, announcementTime, readDelay } from "../service/port.ts";
import { addressesToRead, type ObserveInput, readUsers, withClearKinds } from "./read-users.ts";
import { assessUserList, boundedReads, numberedReads, proveAbsences, type ReadPorts } from "./search.ts";

export interface ObservePorts {
  readonly service: AccountService;
  readonly clock: Clock;
  readonly progress: (step: ReadStep) => void;
  /** Reads at once. */
  readonly parallelism: number;
  readonly signal?: AbortSignal;
  /** The time of the store that keeps the state. */
  readonly storeTimes?: ServerTimes | undefined;
}

/** Milliseconds by which the clocks of two machines that share a state may differ. */
const maxClockSkew = 5 * 60_000;

/** Reads everything that a plan needs. A read that fails or is not understood fails the whole: it is never an empty list. */
export async function observe(question: ObserveInput, ports: ObservePorts): Promise<Result<Snapshot, Failure>> {
  const { service, clock, progress, parallelism, signal } = ports;
  const { roster, state } = question;
  const now = clock.now();
  // What was announced may be sent some time later, and by a machine with another clock.
  const open = state.open.map(({ at }) => lastEffect(at, now, { ahead: announcementTime.most, apart: maxClockSkew }));
  await waitUntilShown("open calls", open, ports);
  if (signal?.aborted) return problem({ code: "aborted", message: "The run stopped before it read anything" });
  const readsBefore = service.requests.reads;
  const readAt = isoTime(clock);
  const times = readingTimes(service.times, ports.storeTimes);
  const readings = new Map<ReadName, ReadRecord>();
  const readPorts: ReadPorts = {
    service,
    reads: boundedReads(parallelism),
    progress,
    signal,
    name: numberedReads(),
    note: (read, request) => void readings.set(read, { at: isoTime(clock), request }),
  };
  const overview = await readAccountsAndRoles(roster, readPorts);
  if (!overview.ok) return overview;
  const { roles, accounts } = overview.value;
  const asked = addressesToRead(roster, state);
  const readOnce = () => readUsers(question, asked, accounts, now, readPorts);
  let people = await readOnce();
  if (!people.ok) return people;
  // What we did a moment ago must show once the service has had its time.
  const unshown = pendingWrites(state, asked, people.value.users).map((at) => lastEffect(at, clock.now()));
  const waited = await waitUntilShown("recent changes", unshown, ports);
  if (waited && !signal?.aborted) people = await readOnce();
  if (!people.ok) return people;
  const { list, found, misses, known } = people.value;
  const placed = await withOtherAccounts(people.value.users, roster, accounts, readPorts);
  if (!placed.ok) return placed;
  const users = withClearKinds(placed.value, kindWords(placed.value));
  const everyone = assessUserList(list, { found, accounts: accounts.values(), known });
  const { unread = [] } = service;
  return success({
    service: service.address,
    readAt,
    ...times(),
    reads: service.requests.reads - readsBefore,
    readings,
    roles,
    accounts,
    users,
    absences: proveAbsences(asked, { users, misses, everyone, accounts: accounts.values() }),
    everyone,
    capabilities: observedCapabilities(users, service.lists),
    ...(unread.length === 0 ? {} : { unread }),
  });
}

/** Tells when what is read from now on was read, by other clocks than ours. */
export function readingTimes(
  service: ServerTimes | undefined,
  store: ServerTimes | undefined,
): () => Pick<Snapshot, "times"> {
  const told = { service: service?.reading(), store: store?.reading() };
  return () => {
    const times = definedFields({ service: isoOf(told.service?.()), store: isoOf(told.store?.()) });
    return Object.keys(times).length === 0 ? {} : { times };
  };
}

function isoOf(time: number | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString();
}

/**
 * The latest moment at which something that was recorded at a time may have been done. A time too far to come, or none, is some
 * other clock's: as if it were now. So is one that another clock may call now.
 */
function lastEffect(at: string, now: number, { ahead, apart } = { ahead: 0, apart: 0 }): number {
  const time = Date.parse(at);
  if (Number.isNaN(time) || time > now + ahead) return now;
  return time > now - apart ? Math.max(time, now) : time;
}

/**
 * Waits until what was done at the latest of the times must show, so that one shared wait is enough for all; says
 * whether there was anything to wait for.
 */
async function waitUntilShown(
  what: string,
  times: readonly number[],
  { clock, progress, signal }: Pick<ObservePorts, "clock" | "progress" | "signal">,
): Promise<boolean> {
  const latest = times.reduce((most, time) => Math.max(most, time), Number.NEGATIVE_INFINITY);
  const wait = latest + readDelay - clock.now();
  if (wait <= 0) return false;
  const elapsed = stopwatch(clock);
  progress({ what: `waiting for ${times.length} ${what} to show`, done: 0 });
  // A timer may go off a little early.
  for (let tries = 0; tries < 3 && elapsed() < wait && !signal?.aborted; tries += 1) {
    await clock.wait(wait - elapsed(), signal);
  }
  return true;
}

/** When we did what the reads do not show, for people who were asked for: ISO 8601, in no order. */
function pendingWrites(
  { users: records, memberships, teams }: State,
  asked: readonly AddressedUser[],
  users: readonly ObservedUser[],
): readonly string[] {
  if (records.size === 0 && memberships.size === 0) return [];
  const shown = new Map(users.map((user) => [user.address, user]));
  const wanted = new Set<EmailKey>(asked.map(({ address }) => address));
  const created = [...records.values()].flatMap(({ address, createdAt, seenAt }) =>
    createdAt !== undefined && seenAt === undefined && wanted.has(address) && !shown.has(address) ? [createdAt] : [],
  );
  const added = [...memberships.values()].flatMap(({ team, address, how, seenAt, at }) => {
    const user = shown.get(address);
    const record = teams.get(team);
    if (!wanted.has(address) || how === "seen" || seenAt !== undefined) return [];
    if (user === undefined || record === undefined) return [];
    return shownTeamKey(user, record).is === "absent" ? [at] : [];
  });
  return [...created, ...added];
}

/** What the answers of this run show, as the users that were read and the paging of their list show it. */
export function observedCapabilities(users: readonly ObservedUser[], lists: AccountService["lists"]): Capabilities {
  const keys = users.flatMap((user) => user.keys ?? []);
  return {
    keysOnUsers: users.length === 0 ? "unknown" : shownIf(users.some((user) => user.keys !== undefined)),
    rolesOnKeys: keys.length === 0 ? "unknown" : shownIf(keys.some(({ roles }) => roles !== undefined)),
    teamsOnKeys: teamVisibility(users, keys),
    titles: users.length === 0 ? "unknown" : shownIf(users.some(({ title }) => title !== undefined)),
    ...lists,
  };
}

/**
 * A team is only proven to be absent by keys that would show it. So one user without keys, or one key that may be a team's and
 * does not name it, hides the teams of this service.
 */
function teamVisibility(users: readonly ObservedUser[], keys: readonly ObservedKey[]): Visibility {
  if (keys.length === 0) return "unknown";
  const somebodyHidden = users.some((user) => user.keys === undefined && !isDeleted(user));
  return shownIf(!somebodyHidden && !keys.some(mayHideTeam) && keys.some(({ team }) => team !== undefined));
}

function mayHideTeam(key: ObservedKey): boolean {
  if (isDeleted(key)) return false;
  const { kind, team } = key;
  return team === undefined || team === "none" ? kind === "team" : team.name === undefined;
}

function shownIf(isShown: boolean): Visibility {
  return isShown ? "shown" : "hidden";
}

/** Reads the roster's accounts and, where the roster needs them, the roles: all at once, before anybody is searched for. */
async function readAccountsAndRoles(roster: Roster, ports: ReadPorts) {
  const { service, reads, note, signal } = ports;
  let roles: Fact<readonly ObservedRole[]> = unknown("not read, because the roster has no roles");
  const accountReads = roster.accounts.map(({ value }) => async () => {
    const account = await readAccount(value, ports);
    return account.ok || account.error.code !== "not-found" ? account : success(undefined);
  });
  const roleRead = async () => {
    note("roles", "GET /api/accounting/roles");
    const read = await service.listRoles(signal);
    if (read.ok) roles = observed(read.value, "roles");
    return read.ok ? success(undefined) : read;
  };
  const done = await reads<ObservedAccount | undefined>(
    needsRoles(roster) ? [...accountReads, roleRead] : accountReads,
  );
  if (!done.ok) return done;
  /** In the order of the roster. Accounts that the service does not know are not in it. */
  const accounts = new Map<string, ObservedAccount>();
  for (const [index, { value }] of roster.accounts.entries()) {
    const account = done.value[index];
    if (account !== undefined) accounts.set(value, account);
  }
  return success({ roles, accounts });
}

function readAccount(account: string, { service, note, signal }: ReadPorts): ReturnType<AccountService["readAccount"]> {
  note(`account ${account}`, `GET /api/accounting/accounts/${account}`);
  return service.readAccount(account, signal);
}

/** Roles are asked for by users, members and keys, and by every team that may have to be created. */
function needsRoles({ users, teams, keys }: Roster): boolean {
  return (
    keys.length > 0 ||
    teams.some(
      ({ identifier, members }) => identifier === undefined || members.some(({ roles }) => roles !== undefined),
    ) ||
    [...users.values()].some(({ ownKeyRoles }) => ownKeyRoles !== undefined)
  );
}

/** The account of somebody who is in none of those that the key in use may see. */
const anotherAccount = "(another one)";

const maxOtherAccounts = 50;

/**
 * Finds the account of people that the service shows without one and that the details of their own account, which show its
 * users, lack: by reading the other accounts, which is done for such people alone.
 */
async function withOtherAccounts(
  users: readonly ObservedUser[],
  roster: Roster,
  accounts: ReadonlyMap<string, ObservedAccount>,
  ports: ReadPorts,
): Promise<Result<readonly ObservedUser[], Failure>> {
  const { lacked, doubtful } = missingFromOwnAccount(users, roster, accounts);
  if (lacked.size === 0) return success(users);
  const others = await readOtherAccounts(accounts, ports);
  if (!others.ok) return others;
  const { details, sawAll } = others.value;
  const accountOf = new Map(listedMembers(details));
  return success(
    users.map((user) => {
      if (!lacked.has(user.address)) return user;
      const isElsewhere = !sawAll && !doubtful.has(user.address);
      const account = accountOf.get(user.address) ?? (isElsewhere ? anotherAccount : undefined);
      return account === undefined ? user : { ...user, account };
    }),
  );
}

/** `doubtful`: details that lack as many as they show of those who are there may not show everybody. */
function missingFromOwnAccount(
  users: readonly ObservedUser[],
  roster: Roster,
  accounts: ReadonlyMap<string, ObservedAccount>,
): { readonly lacked: ReadonlySet<EmailKey>; readonly doubtful: ReadonlySet<EmailKey> } {
  const there = new Set(users.map(({ address }) => address));
  const tallies = new Map(
    [...accounts.values()].map(({ identifier, members = [], membersCut }) => {
      const listed = membersCut === true ? [] : members;
      const read = new Set(listed.filter((address) => there.has(address)));
      return [identifier, { read, showsUsers: listed.length > 0, lacked: new Set<EmailKey>(), shown: 0 }];
    }),
  );
  for (const { address, account, status } of users) {
    const tally = tallies.get(roster.users.get(address)?.account ?? "");
    if (tally === undefined || accountStatus(status) !== "active") continue;
    if (tally.read.has(address)) tally.shown += 1;
    else if (account === undefined && tally.showsUsers) tally.lacked.add(address);
  }
  const all = [...tallies.values()];
  return {
    lacked: new Set(all.flatMap(({ lacked }) => [...lacked])),
    doubtful: new Set(all.flatMap(({ lacked, shown }) => (lacked.size < shown ? [] : [...lacked]))),
  };
}

/** Accounts that cannot be listed or read are not seen; that is no failure. */
async function readOtherAccounts(accounts: ReadonlyMap<string, ObservedAccount>, ports: ReadPorts) {
  const { service, reads, note, signal } = ports;
  note("accounts", "GET /api/accounting/accounts");
  const listed = await service.listAccounts(signal);
  if (!listed.ok) return listed.error.code === "aborted" ? listed : success({ details: [], sawAll: false });
  const others = listed.value.map(({ identifier }) => identifier).filter((identifier) => !accounts.has(identifier));
  const read = await reads<ObservedAccount | undefined>(
    others.slice(0, maxOtherAccounts).map((identifier) => async () => {
      const details = await readAccount(identifier, ports);
      return details.ok || details.error.code === "aborted" ? details : success(undefined);
    }),
  );
  if (!read.ok) return read;
  const details = read.value.filter((one) => one !== undefined);
  const whole = details.filter(({ members, membersCut }) => members !== undefined && !membersCut);
  /** Every other account was seen, with all of its users. */
  const sawAll = whole.length === others.length;
  return success({ details, sawAll });
}

/**
 * What a snapshot that was read without this roster says of its people. Nobody can be searched for any more. A user who was not
 * searched for then counts as absent if the complete list lacks them and no other read shows them. That is enough to foresee a
 * creation, and not to do it.
 */
export function withListedAbsences(snapshot: Snapshot, roster: Roster, state: State) {
  const { everyone, accounts } = snapshot;
  const there = new Set(snapshot.users.map(({ address }) => address));
  const shownBy = new Map(
    [...accounts.values()].flatMap(({ members = [], by }) => members.map((address) => [address, by] as const)),
  );
  const absences = new Map(snapshot.absences);
  /** Whose absence the complete list of users alone shows. */
  const unsearched = new Set<EmailKey>();
  for (const { address } of addressesToRead(roster, state)) {
    if (there.has(address) || absences.has(address)) continue;
    const by = shownBy.get(address);
    if (everyone.read !== "complete") {
      absences.set(address, { proven: false, why: "this run did not read all users" });
    } else if (by !== undefined) {
      const why = `the request "${by}" shows this address, but the list of users does not`;
      absences.set(address, { proven: false, why });
    } else {
      absences.set(address, { proven: true, by: everyone.by });
      unsearched.add(address);
    }
  }
  return { snapshot: { ...snapshot, absences }, unsearched };
}
