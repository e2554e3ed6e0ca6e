import type { EmailKey } from "../model/address.ts";
import {
  type Capabilities,
  maxAnnouncementTime,
  maxClockSkew,
  readDelay,
  type Visibility,
} from "../model/capabilities.ts";
import { type Failure, problem, type Result, success } from "../model/result.ts";
import { definedFields } from "../model/role-set.ts";
import { accountStatus, type ObservedKey, type ObservedUser, type Snapshot } from "../model/snapshot.ts";
import type { RecordedMembership, State } from "../model/state.ts";
import { kindWords, shownTeamKey, withClearKinds } from "../model/team.ts";
import type { AccountService } from "../ports/account-service.ts";
import { type Clock, isoTime, stopwatch } from "../ports/clock.ts";
import type { Progress } from "../ports/operator.ts";
import type { ServerTimes } from "../ports/server-times.ts";
import { assessUserList, proveAbsences } from "./absence.ts";
import { type ObserveInput, readUsers, type UsersRead } from "./read-users.ts";
import { boundedReads, readAccountsAndRoles, readNames, recordReads, withOtherAccounts } from "./reads.ts";
import { type AddressQuery, addressesToRead } from "./users-to-read.ts";

export interface ObservePorts {
  readonly service: AccountService;
  readonly clock: Clock;
  readonly progress: Progress;
  /** Reads at once. */
  readonly parallelism: number;
  readonly signal?: AbortSignal;
  /** The time of the store that keeps the state. */
  readonly storeTimes?: ServerTimes | undefined;
}

/** Reads everything that a plan needs. A read that fails or is not understood fails the whole: it is never an empty list. */
export async function observe(question: ObserveInput, ports: ObservePorts): Promise<Result<Snapshot, Failure>> {
  const { service, clock, progress, parallelism, signal } = ports;
  const { open } = question.state;
  const announced = open.map(({ at }) => at);
  await waitForSettling(
    { what: "unsettled calls", times: announced, ahead: maxAnnouncementTime, apart: maxClockSkew },
    ports,
  );
  if (signal?.aborted) return problem(stoppedBeforeReading);
  const readsBefore = service.requests.reads;
  const readAt = isoTime(clock);
  const times = readingTimes(service.times, ports.storeTimes);
  const noted = recordReads(service, clock);
  const readPorts = { service: noted.service, reads: boundedReads(parallelism), names: readNames(), progress, signal };
  const overview = await readAccountsAndRoles(question.roster, readPorts);
  if (!overview.ok) return overview;
  const asked = addressesToRead(question.roster, question.state);
  const readOnce = () => readUsers(question, asked, overview.value.accounts, readPorts);
  const people = await readAgainIfPending(readOnce, question.state, asked, ports);
  if (!people.ok) return people;
  const { roles, accounts } = overview.value;
  const { list, found, misses, known } = people.value;
  const placed = await withOtherAccounts(people.value.users, question.roster, accounts, readPorts);
  if (!placed.ok) return placed;
  const users = withClearKinds(placed.value, kindWords(placed.value));
  const everyone = assessUserList(list, { found, accounts: accounts.values(), known });
  return success({
    service: service.address,
    readAt,
    ...times(),
    reads: service.requests.reads - readsBefore,
    readings: noted.readings,
    roles,
    accounts,
    users,
    absences: proveAbsences(asked, { users, misses, everyone, accounts: accounts.values() }),
    everyone,
    capabilities: observedCapabilities(users, service),
    ...unreadField(service),
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

function unreadField({ unread = [] }: AccountService): Pick<Snapshot, "unread"> {
  return unread.length === 0 ? {} : { unread };
}

/** Reads a second time where what we did a moment ago does not show: it must, once the service has had its time. */
async function readAgainIfPending(
  readOnce: () => Promise<Result<UsersRead, Failure>>,
  state: State,
  asked: readonly AddressQuery[],
  ports: ObservePorts,
): Promise<Result<UsersRead, Failure>> {
  const people = await readOnce();
  if (!people.ok) return people;
  const unshown = pendingWrites(state, asked, people.value.users);
  const waited = await waitForSettling({ what: "recent changes", times: unshown }, ports);
  return waited && !ports.signal?.aborted ? readOnce() : people;
}

const stoppedBeforeReading: Failure = { code: "aborted", message: "The run stopped before it read anything" };

interface WaitPorts {
  readonly clock: Clock;
  readonly progress: Progress;
  readonly signal?: AbortSignal;
}

/** What is waited for. */
interface PendingChanges {
  readonly what: string;
  readonly times: readonly string[];
  /** Milliseconds by which a time may be one to come; absent where it cannot be. */
  readonly ahead?: number;
  /** Milliseconds by which the clock of a time may be behind; absent where it was this one. */
  readonly apart?: number;
}

/**
 * Waits until what was done at the latest of the times must show, so that one shared wait is enough for all; says
 * whether there was anything to wait for.
 */
async function waitForSettling(
  { what, times, ahead = 0, apart = 0 }: PendingChanges,
  ports: WaitPorts,
): Promise<boolean> {
  const { clock, progress, signal } = ports;
  const began = clock.now();
  const starts = times.map((at) => settlingStart(at, began, { ahead, apart }));
  const youngest = starts.reduce((latest, start) => Math.max(latest, start), Number.NEGATIVE_INFINITY);
  const wait = youngest + readDelay - began;
  if (wait <= 0) return false;
  const elapsed = stopwatch(clock);
  progress.report({ what: `waiting for ${times.length} ${what} to show`, done: 0 });
  // A timer may go off a little early.
  for (let tries = 0; tries < 3 && elapsed() < wait && !signal?.aborted; tries += 1) {
    await clock.wait(wait - elapsed(), signal);
  }
  return true;
}

/** A time too far to come, or none, is some other clock's: as if it were now. So is one that another clock may call now. */
function settlingStart(
  at: string,
  now: number,
  { ahead, apart }: Required<Pick<PendingChanges, "ahead" | "apart">>,
): number {
  const time = Date.parse(at);
  if (Number.isNaN(time) || time > now + ahead) return now;
  return time > now - apart ? Math.max(time, now) : time;
}

/** When we did what the reads do not show, for people who were asked for: ISO 8601, in no order. */
function pendingWrites(
  state: State,
  asked: readonly AddressQuery[],
  users: readonly ObservedUser[],
): readonly string[] {
  if (state.users.size === 0 && state.memberships.size === 0) return [];
  const shown = new Map(users.map((user) => [user.address, user]));
  const wanted = new Set(asked.map(({ address }) => address));
  const created = [...state.users.values()].flatMap(({ address, createdAt, seenAt }) =>
    createdAt !== undefined && seenAt === undefined && wanted.has(address) && !shown.has(address) ? [createdAt] : [],
  );
  const added = [...state.memberships.values()].flatMap((membership) =>
    wanted.has(membership.address) && isUnshown(membership, state, shown) ? [membership.at] : [],
  );
  return [...created, ...added];
}

function isUnshown(
  { team, address, how, seenAt }: RecordedMembership,
  { teams }: State,
  shown: ReadonlyMap<EmailKey, ObservedUser>,
): boolean {
  const user = shown.get(address);
  const record = teams.get(team);
  if (how === "seen" || seenAt !== undefined || user === undefined || record === undefined) return false;
  return shownTeamKey(user, record).is === "absent";
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
  const somebodyHidden = users.some(
    ({ keys: shown, status }) => shown === undefined && accountStatus(status) !== "deleted",
  );
  return shownIf(!somebodyHidden && !keys.some(mayHideTeam) && keys.some(({ team }) => team !== undefined));
}

function mayHideTeam({ kind, team, status }: ObservedKey): boolean {
  if (accountStatus(status) === "deleted") return false;
  if (team === undefined || team === "none") return kind === "team";
  return team.name === undefined;
}

function shownIf(isShown: boolean): Visibility {
  return isShown ? "shown" : "hidden";
}
