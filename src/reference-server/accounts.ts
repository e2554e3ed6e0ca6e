import { type Call, mayActIn } from "./call.ts";
import { answerPage } from "./collection.ts";
import type { Account } from "./entities.ts";
import { answer, isRefusal, quoted, type Refusal, type Reply, refuse } from "./reply.ts";
import type { Columns } from "./sorting.ts";
import { showAccount, showAccountDetails } from "./views.ts";

const columns: Columns<Account> = new Map([
  ["identifier", (account: Account) => account.identifier],
  ["name", (account: Account) => account.name],
  ["status", (account: Account) => account.status],
]);

export function listAccounts(call: Call): Reply {
  const { caller, world } = call;
  const items = caller.is === "platform-administrator" ? [...world.accounts.values()] : [caller.account];
  return answerPage(call, { items, columns, show: showAccount });
}

export function readAccount(call: Call): Reply {
  const account = accountOfPath(call);
  return isRefusal(account) ? account : answer(200, showAccountDetails(account));
}

/** The account that the path names: 404 where there is none, 403 where it is another administrator's. */
export function accountOfPath(call: Call): Account | Refusal {
  const account = call.world.accounts.get(call.subject);
  if (account === undefined) return refuse(404, `The account ${quoted(call.subject)} was not found`);
  if (mayActIn(call.caller, account)) return account;
  return refuse(403, `The account ${quoted(call.subject)} is not the account of this administrator`);
}
