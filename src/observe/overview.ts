import { type Fact, observed, unknown } from "../model/fact.ts";
import { type Failure, type Result, success } from "../model/result.ts";
import type { Roster } from "../model/roster.ts";
import type { ObservedAccount, ObservedRole } from "../model/snapshot.ts";
import type { AccountService } from "../ports/account-service.ts";
import type { BoundedReads } from "./bounded-reads.ts";

/** What is read before anybody is searched for. */
export interface AccountsAndRoles {
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
  let roles: Fact<readonly ObservedRole[]> = unknown("the roster asks for no roles, so they were not read");
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

/** Roles are asked for by users, members and keys, and by every team that may have to be founded. */
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
