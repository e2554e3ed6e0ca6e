import { isRefusedAccess, problem, type Result, success } from "../model/result.ts";
import type { AccountService } from "../ports/account-service.ts";
import type { Settings } from "./settings/settings.ts";
import { type CommandError, errorFromFailure } from "./stop.ts";

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
