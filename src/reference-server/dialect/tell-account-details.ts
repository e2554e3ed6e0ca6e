import type { RequestContext } from "../call.ts";
import type { Account, User } from "../entities.ts";
import { wrapPage } from "../knobs/envelope.ts";
import { type Answer, answer } from "../reply.ts";
import { renderAccount, renderUserReference } from "./show-user.ts";

const truncatedUserCount = 10;

/** The details of an account with its users. */
export function accountDetailsResponse({ knobs }: RequestContext, account: Account, users: readonly User[]): Answer {
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
