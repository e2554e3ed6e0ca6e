import type { Call } from "../call.ts";
import type { Account, User } from "../entities.ts";
import { wrap } from "../knobs/envelope.ts";
import { type Answer, answer } from "../reply.ts";
import { tellAccount, tellReference } from "./show-user.ts";

const shownWhereTruncated = 10;

/** The details of an account with its users. */
export function tellAccountDetails({ knobs }: Call, account: Account, users: readonly User[]): Answer {
  const plain = tellAccount(knobs, account);
  const show = (user: User): object => tellReference(knobs, user);
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
        users: users.slice(0, shownWhereTruncated).map(show),
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
  return wrap("L2", { name: "users", rows, index: 0, perPage, isLast: true, number: 0, total: rows.length });
}
