import type { Call } from "./call.ts";
import { mayActIn } from "./caller.ts";
import { answerPage } from "./collection.ts";
import { tellAccount } from "./dialect/show-user.ts";
import { tellAccountDetails } from "./dialect/tell-account-details.ts";
import type { Account } from "./entities.ts";
import { isRefusal, quoted, type Refusal, type Reply, refuse } from "./reply.ts";
import { listedUsers } from "./rules/people.ts";
import type { Columns } from "./sorting.ts";

const columns: Columns<Account> = new Map([
  ["identifier", (account: Account) => account.identifier],
  ["name", (account: Account) => account.name],
  ["status", (account: Account) => account.status],
]);

export function listAccounts(call: Call): Reply {
  const { caller, world, knobs } = call;
  const items = caller.is === "platform-administrator" ? [...world.accounts.values()] : [caller.account];
  return answerPage(call, { name: "accounts", items, columns, show: (account) => tellAccount(knobs, account) });
}

export function readAccount(call: Call): Reply {
  const account = accountOfPath(call);
  if (isRefusal(account)) return account;
  return tellAccountDetails(call, account, listedUsers(call, account.users, call.knobs.detailLagMs));
}

/** The account that the path names: 404 where there is none, 403 where it is another administrator's. */
export function accountOfPath(call: Call): Account | Refusal {
  const account = call.world.accounts.get(call.subject);
  if (account === undefined) return refuse(404, `The account ${quoted(call.subject)} was not found`);
  if (mayActIn(call.caller, account)) return account;
  return refuse(403, `The account ${quoted(call.subject)} is not the account of this administrator`);
}
