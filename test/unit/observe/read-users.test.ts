import { describe, expect, test } from "vitest";
import { foldAddress } from "../../../src/model/address.ts";
import type { ObservedUser } from "../../../src/model/user.ts";
import { mergeReadUsers, withAccounts } from "../../../src/observe/read-users.ts";

function user(email: string, rest: Partial<ObservedUser> = {}): ObservedUser {
  return { email, address: foldAddress(email), by: "search 1", ...rest };
}

describe("gatherUsers", () => {
  test.each([
    [
      "a later read wins, and what it does not show stays",
      [
        [user("a@x.example", { identifier: "1", title: "Old", keys: [] })],
        [user("A@x.example", { identifier: "1", title: "New", by: "list" })],
      ],
      [user("A@x.example", { identifier: "1", title: "New", keys: [], by: "list" })],
    ],
    [
      "a read without an identifier is the user of that address",
      [[user("a@x.example")], [user("a@x.example", { identifier: "1" })], [user("a@x.example", { status: "active" })]],
      [user("a@x.example", { identifier: "1", status: "active" })],
    ],
    [
      "one address with two identifiers is two users",
      [[user("a@x.example", { identifier: "2" })], [user("a@x.example", { identifier: "1" })]],
      [user("a@x.example", { identifier: "1" }), user("a@x.example", { identifier: "2" })],
    ],
    [
      "an identifier whose address changed between the reads is one user",
      [[user("a@x.example", { identifier: "1" })], [user("b@x.example", { identifier: "1" })]],
      [user("b@x.example", { identifier: "1" })],
    ],
    [
      "in the order of addresses",
      [[user("c@x.example")], [user("a@x.example"), user("b@x.example")]],
      [user("a@x.example"), user("b@x.example"), user("c@x.example")],
    ],
  ])("%s", (_name, readings, gathered) => {
    expect(mergeReadUsers(readings)).toEqual(gathered);
  });
});

test("an account is added where the details of exactly one show the user, who does not say it", () => {
  const members = [foldAddress("a@x.example"), foldAddress("b@x.example"), foldAddress("c@x.example")];
  const accounts = [
    { identifier: "acc-1", members, by: "account acc-1" },
    { identifier: "acc-2", members: members.slice(1, 2), by: "account acc-2" },
    { identifier: "acc-3", by: "account acc-3" },
  ];
  const users = [
    user("a@x.example"),
    user("b@x.example"),
    user("c@x.example", { account: "acc-9" }),
    user("d@x.example"),
  ];
  expect(withAccounts(users, accounts)).toEqual([
    user("a@x.example", { account: "acc-1" }),
    user("b@x.example"),
    user("c@x.example", { account: "acc-9" }),
    user("d@x.example"),
  ]);
});
