import pLimit from "p-limit";
import type { EmailKey } from "../model/address.ts";
import { type Fact, observed, type ReadName, unknown } from "../model/fact.ts";
import { type Failure, problem, type Result, success } from "../model/result.ts";
import type { Roster } from "../model/roster.ts";
import {
  accountStatus,
  listedMembers,
  type ObservedAccount,
  type ObservedRole,
  type ObservedUser,
  type ReadRecord,
} from "../model/snapshot.ts";
import type { AccountService } from "../ports/account-service.ts";
import { type Clock, isoTime } from "../ports/clock.ts";

interface RecordedReads {
  readonly service: AccountService;
  /** What was read so far, by the names of the reads. */
  readonly readings: ReadonlyMap<ReadName, ReadRecord>;
}

const apiPath = "/api/accounting";

/** The same service, of which is noted when each read began and what was asked. */
export function recordReads(service: AccountService, clock: Clock): RecordedReads {
  const readings = new Map<ReadName, ReadRecord>();
  const note = (name: ReadName, request: string) => {
    readings.set(name, { at: isoTime(clock), request });
  };
  const { address, keyPrefix, times } = service;
  return {
    readings,
    service: {
      address,
      ...(keyPrefix === undefined ? {} : { keyPrefix }),
      times,
      get requests() {
        return service.requests;
      },
      get paging() {
        return service.paging;
      },
      get totals() {
        return service.totals;
      },
      get unread() {
        return service.unread ?? [];
      },
      listRoles(signal) {
        note("roles", `GET ${apiPath}/roles`);
        return service.listRoles(signal);
      },
      listAccounts(signal) {
        note("accounts", `GET ${apiPath}/accounts`);
        return service.listAccounts(signal);
      },
      readAccount(account, signal) {
        note(`account ${account}`, `GET ${apiPath}/accounts/${account}`);
        return service.readAccount(account, signal);
      },
      listUsers(signal) {
        note("list", `GET ${apiPath}/users, every page`);
        return service.listUsers(signal);
      },
      searchUsers(identifiers, read, signal) {
        const count = identifiers.length === 1 ? "1 address" : `${identifiers.length} addresses`;
        note(read, `POST ${apiPath}/users/search for ${count}`);
        return service.searchUsers(identifiers, read, signal);
      },
      createUser: (...of) => service.createUser(...of),
      addMembers: (...of) => service.addMembers(...of),
      replaceRoles: (...of) => service.replaceRoles(...of),
    },
  };
}

/** Runs reads, so many at once; what is still waiting when one fails is not sent any more. */
export type BoundedReads = <T>(
  reads: readonly (() => Promise<Result<T, Failure>>)[],
) => Promise<Result<readonly T[], Failure>>;

export function boundedReads(parallelism: number): BoundedReads {
  const limit = pLimit(Math.max(1, parallelism));
  return async (reads) => {
    let failure: Failure | undefined;
    const settle = async (read: (typeof reads)[number]) => {
      if (failure !== undefined) return problem(failure);
      const result = await read();
      if (!result.ok) failure ??= result.error;
      return result;
    };
    const results = await Promise.all(reads.map((read) => limit(settle, read)));
    if (failure !== undefined) return problem(failure);
    return success(results.flatMap((result) => (result.ok ? [result.value] : [])));
  };
}

/** Names reads, in the order in which they are decided on. */
export interface ReadNames {
  next(kind: "search" | "confirm"): ReadName;
}

/** `search 1`, `search 2`, `confirm 1`. */
export function readNames(): ReadNames {
  const given = { search: 0, confirm: 0 };
  return {
    next(kind) {
      given[kind] += 1;
      return `${kind} ${given[kind]}`;
    },
  };
}

/** `recheck 1`, `recheck 2`, whatever kind of read it is. */
export function readNamesFor(purpose: string): ReadNames {
  let given = 0;
  return {
    next() {
      given += 1;
      return `${purpose} ${given}`;
    },
  };
}

/** What is read before anybody is searched for. */
interface AccountsAndRoles {
  readonly roles: Fact<readonly ObservedRole[]>;
  /** Accounts that the service does not know are not in it. */
  readonly accounts: ReadonlyMap<string, ObservedAccount>;
}

/** Reads the roster's accounts and, where the roster needs them, the roles: all at once. */
export async function readAccountsAndRoles(
  roster: Roster,
  ports: { readonly service: AccountService; readonly reads: BoundedReads; readonly signal: AbortSignal | undefined },
): Promise<Result<AccountsAndRoles, Failure>> {
  const { service, reads, signal } = ports;
  const accounts = new Map<string, ObservedAccount>();
  let roles: Fact<readonly ObservedRole[]> = unknown("not read, because the roster has no roles");
  const accountReads = roster.accounts.map(({ value }) => async () => {
    const account = await service.readAccount(value, signal);
    if (account.ok) accounts.set(value, account.value);
    return account.ok || account.error.code === "not-found" ? success(undefined) : account;
  });
  const roleRead = async () => {
    const read = await service.listRoles(signal);
    if (read.ok) roles = observed(read.value, "roles");
    return read.ok ? success(undefined) : read;
  };
  const done = await reads<undefined>(needsRoles(roster) ? [...accountReads, roleRead] : accountReads);
  if (!done.ok) return done;
  return success({ roles, accounts: inRosterOrder(accounts, roster) });
}

/** Roles are asked for by users, members and keys, and by every team that may have to be created. */
function needsRoles({ users, teams, keys }: Roster): boolean {
  if (keys.length > 0) return true;
  if (
    teams.some(
      ({ identifier, members }) => identifier === undefined || members.some(({ roles }) => roles !== undefined),
    )
  )
    return true;
  return [...users.values()].some(({ ownKeyRoles }) => ownKeyRoles !== undefined);
}

function inRosterOrder(
  accounts: ReadonlyMap<string, ObservedAccount>,
  roster: Roster,
): ReadonlyMap<string, ObservedAccount> {
  const ordered = new Map<string, ObservedAccount>();
  for (const { value } of roster.accounts) {
    const account = accounts.get(value);
    if (account !== undefined) ordered.set(value, account);
  }
  return ordered;
}

/** The account of somebody who is in none of those that the key in use may see. */
const anotherAccount = "(another one)";

const maxOtherAccounts = 50;

/**
 * Finds the account of people that the service shows without one and that the details of their own account, which show its
 * users, lack: by reading the other accounts, which is done for such people alone.
 */
export async function withOtherAccounts(
  users: readonly ObservedUser[],
  roster: Roster,
  accounts: ReadonlyMap<string, ObservedAccount>,
  ports: { readonly service: AccountService; readonly reads: BoundedReads; readonly signal: AbortSignal | undefined },
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

interface MissingFromAccounts {
  readonly lacked: ReadonlySet<EmailKey>;
  /** Details that lack as many as they show of those who are there may not show everybody. */
  readonly doubtful: ReadonlySet<EmailKey>;
}

function missingFromOwnAccount(
  users: readonly ObservedUser[],
  roster: Roster,
  accounts: ReadonlyMap<string, ObservedAccount>,
): MissingFromAccounts {
  const there = new Set(users.map(({ address }) => address));
  const seen = new Map([...accounts.values()].map((account) => [account.identifier, accountTally(account, there)]));
  for (const { address, account, status } of users) {
    const details = seen.get(roster.users.get(address)?.account ?? "");
    if (details === undefined || accountStatus(status) !== "active") continue;
    if (details.members.has(address)) details.shown += 1;
    else if (account === undefined && details.showsUsers) details.lacked.push(address);
  }
  const all = [...seen.values()];
  return {
    lacked: new Set(all.flatMap(({ lacked }) => lacked)),
    doubtful: new Set(all.flatMap(({ lacked, shown }) => (lacked.length < shown ? [] : lacked))),
  };
}

interface AccountTally {
  /** The details show all users of the account, and there are some. */
  readonly showsUsers: boolean;
  /** Those of them who were read. */
  readonly members: ReadonlySet<EmailKey>;
  readonly lacked: EmailKey[];
  shown: number;
}

function accountTally({ members = [], membersCut }: ObservedAccount, there: ReadonlySet<EmailKey>): AccountTally {
  const shown = membersCut ? [] : members;
  const read = new Set(shown.filter((address) => there.has(address)));
  return { showsUsers: shown.length > 0, members: read, lacked: [], shown: 0 };
}

interface OtherAccounts {
  readonly details: readonly ObservedAccount[];
  /** Every other account was seen, with all of its users. */
  readonly sawAll: boolean;
}

/** Accounts that cannot be listed or read are not seen; that is no failure. */
async function readOtherAccounts(
  accounts: ReadonlyMap<string, ObservedAccount>,
  {
    service,
    reads,
    signal,
  }: { readonly service: AccountService; readonly reads: BoundedReads; readonly signal: AbortSignal | undefined },
): Promise<Result<OtherAccounts, Failure>> {
  const listed = await service.listAccounts(signal);
  if (!listed.ok) return listed.error.code === "aborted" ? listed : success({ details: [], sawAll: false });
  const others = listed.value.map(({ identifier }) => identifier).filter((identifier) => !accounts.has(identifier));
  const read = await reads<ObservedAccount | undefined>(
    others.slice(0, maxOtherAccounts).map((identifier) => async () => {
      const details = await service.readAccount(identifier, signal);
      return details.ok || details.error.code === "aborted" ? details : success(undefined);
    }),
  );
  if (!read.ok) return read;
  const details = read.value.filter((one) => one !== undefined);
  const whole = details.filter(({ members, membersCut }) => members !== undefined && !membersCut);
  return success({ details, sawAll: whole.length === others.length });
}
