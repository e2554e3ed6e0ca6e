import { checkNamed } from "../authorization.ts";
import { wrapPage } from "../responses/page.ts";
import { answer, isRefusal, type Refusal, type Reply, type ServedAnswer } from "../responses/reply.ts";
import { renderAccount, renderUserReference } from "../responses/user.ts";
import type { RequestContext } from "../service-context.ts";
import type { Account, User } from "../world.ts";
import { listResponse } from "./paging.ts";
import type { SortColumns } from "./sorting.ts";
import { listedUsers } from "./visibility.ts";

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
  const found = call.world.accounts.get(call.pathParameter);
  const elsewhere = "is not the account of this administrator";
  return checkNamed(call, { what: "account", found, accountOf: (account) => account, elsewhere });
}

const truncatedUserCount = 10;

/** The details of an account with its users. */
function accountDetailsResponse({ knobs }: RequestContext, account: Account, users: readonly User[]): ServedAnswer {
  const plain = renderAccount(knobs, account);
  const show = (user: User): object => renderUserReference(knobs, user);
  const detailed = (): object => ({ ...plain, users: users.map(show) });
  switch (knobs.accountDetails) {
    case "A1":
      return answer(200, detailed());
    case "A2":
      return answer(200, { ...plain, users: users.map((user) => user.email) });
    case "A2-identifiers":
      return answer(200, { ...plain, users: users.map((user) => user.identifier) });
    case "A3":
      return answer(200, { ...plain, users: asSpringPage(users.map(show)) });
    case "A3-truncated":
      return answer(200, {
        ...plain,
        userCount: users.length,
        users: users.slice(0, truncatedUserCount).map(show),
      });
    case "A4":
      return answer(200, [detailed()]);
    case "A5":
      return answer(200, { account: detailed() });
    case "A5-data":
      return answer(200, { data: detailed() });
    case "no-users":
      return answer(200, plain);
  }
}

function asSpringPage(rows: readonly object[]): unknown {
  const perPage = Math.max(1, rows.length);
  return wrapPage("L2", { name: "users", rows, index: 0, perPage, isLast: true, number: 0, total: rows.length });
}
