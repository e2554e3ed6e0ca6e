import type { RequestContext } from "./call.ts";
import { mayActIn } from "./caller.ts";
import { listResponse } from "./collection.ts";
import { renderAccount } from "./dialect/show-user.ts";
import { accountDetailsResponse } from "./dialect/tell-account-details.ts";
import type { Account } from "./entities.ts";
import { isRefusal, quoted, type Refusal, type Reply, refuse } from "./reply.ts";
import { listedUsers } from "./rules/people.ts";
import type { SortColumns } from "./sorting.ts";

const columns: SortColumns<Account> = new Map([
  ["identifier", (account: Account) => account.identifier],
  ["name", (account: Account) => account.name],
  ["status", (account: Account) => account.status],
]);

export function listAccounts(call: RequestContext): Reply {
  const { caller, world, knobs } = call;
  const items = caller.is === "platform-administrator" ? [...world.accounts.values()] : [caller.account];
  return listResponse(call, { name: "accounts", items, columns, show: (account) => renderAccount(knobs, account) });
}

export function readAccount(call: RequestContext): Reply {
  const account = accountOfRequest(call);
  if (isRefusal(account)) return account;
  return accountDetailsResponse(call, account, listedUsers(call, account.users, call.knobs.detailLagMs));
}

/** The account that the path names: 404 where there is none, 403 where it is another administrator's. */
export function accountOfRequest(call: RequestContext): Account | Refusal {
  const account = call.world.accounts.get(call.pathParameter);
  if (account === undefined) return refuse(404, `The account ${quoted(call.pathParameter)} was not found`);
  if (mayActIn(call.caller, account)) return account;
  return refuse(403, `The account ${quoted(call.pathParameter)} is not the account of this administrator`);
}
