import pLimit from "p-limit";
import type { EmailKey } from "../model/address.ts";
import { type Fact, observed, type ReadName, unknown } from "../model/fact.ts";
import { accountStatus } from "../model/key.ts";
import type { Failure } from "../model/recorded.ts";
import { problem, type Result, success } from "../model/result.ts";
import type { Roster } from "../model/roster.ts";
import { listedMembers, type ObservedAccount, type ObservedRole } from "../model/snapshot.ts";
import type { ObservedUser } from "../model/user.ts";
import type { AccountService } from "../ports/account-service.ts";
import type { ReadStep } from "../ports/operator.ts";

/** What the reads of one snapshot share. */
export interface ReadPorts {
  readonly service: AccountService;
  readonly reads: BoundedReads;
  readonly progress: (step: ReadStep) => void;
  readonly signal: AbortSignal | undefined;
  /** Names a read, in the order in which they are decided on. */
  readonly name: (kind: "search" | "confirm") => ReadName;
  /** Is told of each read when it begins. */
  readonly note: (read: ReadName, request: string) => void;
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

/** `search 1`, `search 2`, `confirm 1`. */
export function numberedReads(): (kind: string) => ReadName {
  const given = new Map<string, number>();
  return (kind) => {
    const number = (given.get(kind) ?? 0) + 1;
    given.set(kind, number);
    return `${kind} ${number}`;
  };
}

/** What is read before anybody is searched for. */
interface AccountsAndRoles {
  readonly roles: Fact<readonly ObservedRole[]>;
  /** In the order of the roster. Accounts that the service does not know are not in it. */
  readonly accounts: ReadonlyMap<string, ObservedAccount>;
}

/** Reads the roster's accounts and, where the roster needs them, the roles: all at once. */
export async function readAccountsAndRoles(
  roster: Roster,
  ports: ReadPorts,
): Promise<Result<AccountsAndRoles, Failure>> {
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
export async function withOtherAccounts(
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

interface OtherAccounts {
  readonly details: readonly ObservedAccount[];
  /** Every other account was seen, with all of its users. */
  readonly sawAll: boolean;
}

/** Accounts that cannot be listed or read are not seen; that is no failure. */
async function readOtherAccounts(
  accounts: ReadonlyMap<string, ObservedAccount>,
  ports: ReadPorts,
): Promise<Result<OtherAccounts, Failure>> {
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
  return success({ details, sawAll: whole.length === others.length });
}
