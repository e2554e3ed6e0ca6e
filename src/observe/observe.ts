import type { EmailKey } from "../model/address.ts";
import { maxAnnouncementTime, maxClockSkew, readDelay } from "../model/capabilities.ts";
import { definedFields } from "../model/collections.ts";
import type { ReadName } from "../model/fact.ts";
import { isDeleted, kindWords, type ObservedKey, shownTeamKey, withClearKinds } from "../model/key.ts";
import type { Capabilities, Failure, Visibility } from "../model/recorded.ts";
import { problem, type Result, success } from "../model/result.ts";
import type { ReadRecord, Snapshot } from "../model/snapshot.ts";
import type { State } from "../model/state.ts";
import type { AddressedUser, ObservedUser } from "../model/user.ts";
import type { AccountService } from "../ports/account-service.ts";
import { type Clock, isoTime, stopwatch } from "../ports/clock.ts";
import type { ReadStep } from "../ports/operator.ts";
import type { ServerTimes } from "../ports/server-times.ts";
import { assessUserList, proveAbsences } from "./absence.ts";
import { type ObserveInput, readUsers } from "./read-users.ts";
import { boundedReads, numberedReads, type ReadPorts, readAccountsAndRoles, withOtherAccounts } from "./reads.ts";
import { addressesToRead } from "./users-to-read.ts";

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

/** Reads everything that a plan needs. A read that fails or is not understood fails the whole: it is never an empty list. */
export async function observe(question: ObserveInput, ports: ObservePorts): Promise<Result<Snapshot, Failure>> {
  const { service, clock, progress, parallelism, signal } = ports;
  const { roster, state } = question;
  const now = clock.now();
  // What was announced may be sent some time later, and by a machine with another clock.
  const open = state.open.map(({ at }) => lastEffect(at, now, { ahead: maxAnnouncementTime, apart: maxClockSkew }));
  await waitForSettling("unsettled calls", open, ports);
  if (signal?.aborted) return problem(stoppedBeforeReading);
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
  const waited = await waitForSettling("recent changes", unshown, ports);
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
    capabilities: observedCapabilities(users, service),
    ...(unread.length === 0 ? {} : { unread }),
  });
}

const stoppedBeforeReading: Failure = { code: "aborted", message: "The run stopped before it read anything" };

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
async function waitForSettling(
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
export function observedCapabilities(
  users: readonly ObservedUser[],
  { totals, paging }: Pick<AccountService, "totals" | "paging">,
): Capabilities {
  const keys = users.flatMap((user) => user.keys ?? []);
  return {
    keysOnUsers: users.length === 0 ? "unknown" : shownIf(users.some((user) => user.keys !== undefined)),
    rolesOnKeys: keys.length === 0 ? "unknown" : shownIf(keys.some(({ roles }) => roles !== undefined)),
    teamsOnKeys: teamVisibility(users, keys),
    titles: users.length === 0 ? "unknown" : shownIf(users.some(({ title }) => title !== undefined)),
    totals,
    paging,
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
