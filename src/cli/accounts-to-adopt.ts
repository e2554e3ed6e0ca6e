import { problem, type Result, success } from "../model/result.ts";
import type { AccountService } from "../ports/account-service.ts";
import type { Settings } from "./settings.ts";
import { type Stop, stopFor } from "./stop.ts";

/** The accounts that flags name, else the settings, else every account that the key may see. */
export async function accountsToAdopt(
  named: readonly string[],
  settings: Settings,
  service: AccountService,
  signal: AbortSignal,
): Promise<Result<readonly string[], Stop>> {
  const identifierOf = (name: string) => settings.accounts.get(name) ?? name;
  if (named.length > 0) return success(distinct(named.map(identifierOf)));
  const known = [
    ...(settings.account === undefined ? [] : [identifierOf(settings.account)]),
    ...settings.accounts.values(),
  ];
  if (known.length > 0) return success(distinct(known));
  const listed = await service.listAccounts(signal);
  if (listed.ok) return success(distinct(listed.value.map(({ identifier }) => identifier)).toSorted());
  const hint = listed.error.hint ?? "Name the accounts with --account ID if the key may not list them.";
  return problem(stopFor({ ...listed.error, hint }));
}

function distinct(accounts: readonly string[]): readonly string[] {
  return [...new Set(accounts)];
}
