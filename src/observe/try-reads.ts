import { definedFields } from "../model/collections.ts";
import type { Failure } from "../model/failure.ts";
import { accountStatus } from "../model/key.ts";
import { type Result, success } from "../model/result.ts";
import type { ObservedAccount, SearchCheck } from "../model/snapshot.ts";
import type { AccountService } from "../service/port.ts";
import { observedCapabilities } from "./observe.ts";
import { assessUserList } from "./search.ts";

const maxAccounts = 3;

/**
 * Tries the reads of a plan one after the other. `named`: the accounts whose details are read, of those that the key may see where it is
 * empty. `search`: for a user of the list. `owner`: who has the key in use.
 */
export async function tryReads(service: AccountService, named: readonly string[], signal: AbortSignal | undefined) {
  const accounts = await service.listAccounts(signal);
  const listed = accounts.ok ? accounts.value.map(({ identifier }) => identifier) : [];
  const details: { readonly account: string; readonly reading: Result<ObservedAccount, Failure> }[] = [];
  for (const account of (named.length > 0 ? named : listed).slice(0, maxAccounts))
    details.push({ account, reading: await service.readAccount(account, signal) });
  const before = service.requests.reads;
  const list = await service.listUsers(signal);
  if (!list.ok) return { accounts, details, list, owner: undefined };
  const requests = service.requests.reads - before;
  const known = list.value.users.find(({ status }) => accountStatus(status) !== "deleted");
  const search = known && (await service.searchUsers([known.email], "search 1", signal));
  const found = search?.ok ? search.value : [];
  const users = [...list.value.users, ...found];
  const read = details.flatMap(({ reading }) => (reading.ok ? [reading.value] : []));
  const everyone = assessUserList(list.value, { found, accounts: read, known: new Map() });
  // Who owns the key in use, and its roles, where an answer shows them.
  const [owner] = users.flatMap(({ email, keys = [] }) => {
    const own = keys.filter(({ prefix }) => prefix === service.keyPrefix);
    return own.map(({ roles }) => ({ email, ...definedFields({ roles }) }));
  });
  const others = found.filter(({ address }) => address !== known?.address).length;
  const isFound = others < found.length;
  const check: SearchCheck = !isFound ? "not-found" : others > 0 ? "found-among-others" : "found";
  const searched = known && search && { email: known.email, reading: search.ok ? success(check) : search };
  return {
    accounts,
    details,
    list: success({ users: list.value.users.length, requests, everyone }),
    capabilities: observedCapabilities(users, service.lists),
    unread: service.unread ?? [],
    ...definedFields({ owner, search: searched }),
  };
}
