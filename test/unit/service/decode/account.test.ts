import { describe, expect, test } from "vitest";
import { decodeAccount, decodeListedAccount } from "../../../../src/service/decode/account.ts";

const asked = { identifier: "acc-1", by: "account acc-1" };
const plain = { identifier: "acc-1", name: "Acme", status: "Active" };
const told = { ...asked, name: "Acme", status: "Active" };
const users = [
  { identifier: "u-1", email: "Ada@Acme.example", status: "Invited" },
  { identifier: "u-2", email: "bo@acme.example", active: false },
];
const members = ["ada@acme.example", "bo@acme.example"];
const memberStatuses = new Map([
  ["ada@acme.example", "Invited"],
  ["bo@acme.example", "inactive"],
]);
const shown = { ...told, members, memberStatuses };

describe("account details", () => {
  test.each([
    ["A1: users as objects", { ...plain, users }, shown],
    ["A1: nobody", { ...plain, users: [] }, { ...told, members: [] }],
    ["A2: users as addresses", { ...plain, users: ["Ada@acme.example", "bo@acme.example"] }, { ...told, members }],
    ["A2: users as identifiers are not shown by address", { ...plain, users: ["u-1", "u-2"] }, told],
    [
      "A2: some without an address",
      { ...plain, users: ["bo@acme.example", "u-2"] },
      { ...told, members: ["bo@acme.example"], membersCut: true },
    ],
    ["A3: users in an envelope", { ...plain, users: { content: users, totalElements: 2 } }, shown],
    ["A3: fewer than they count", { ...plain, userCount: 57, users }, { ...shown, membersCut: true }],
    [
      "A3: fewer than their envelope counts",
      { ...plain, users: { items: users, total: 57 } },
      { ...shown, membersCut: true },
    ],
    [
      "A3: their envelope names a next page",
      { ...plain, users: { content: users, last: false } },
      { ...shown, membersCut: true },
    ],
    ["A4: a list of one", [{ ...plain, users }], shown],
    ["A5: in `account`", { account: { ...plain, users } }, shown],
    ["A5: in `data`", { success: true, data: { ...plain, users }, error: null }, shown],
    ["users not shown", { ...plain, status: null, users: null }, { ...asked, name: "Acme" }],
    ["an identifier as a number", { id: 1 }, asked],
    ["whether it is active", { id: 1, active: false }, { ...asked, status: "inactive" }],
    ["names from a hostile prototype", JSON.parse('{"__proto__":{"users":[]},"identifier":"acc-1"}'), asked],
  ])("%s", (_name, body, expected) => {
    expect(decodeAccount(body, "acc-1")).toEqual({ ok: true, value: expected });
  });

  test.each([
    ["a list of none", []],
    ["a list of two", [plain, plain]],
    ["nothing", undefined],
    ["an object of other keys", { payload: plain }],
  ])("%s is a misreading", (_name, body) => {
    expect(decodeAccount(body, "acc-1")).toMatchObject({
      ok: false,
      error: { why: expect.stringContaining("expected") },
    });
  });

  test("an error answered with success is a failure", () => {
    expect(decodeAccount({ statusCode: 404, status: "Not Found", message: "no" }, "acc-1")).toEqual({
      ok: false,
      error: { why: "it reports a failure", refused: { status: 404, words: "no" } },
    });
  });
});

describe("an account of a list", () => {
  test.each([
    [
      "the default dialect",
      { identifier: "acc-1", name: "Acme", status: "active" },
      { identifier: "acc-1", by: "accounts", name: "Acme", status: "active" },
    ],
    ["a number as its identifier", { id: 7, name: null }, { identifier: "7", by: "accounts" }],
    ["a bare identifier", "acc-1", { identifier: "acc-1", by: "accounts" }],
  ])("%s", (_name, value, expected) => {
    expect(decodeListedAccount(value)).toEqual({ ok: true, value: expected });
  });

  test.each([[{ name: "Acme" }], [""], [null], [[]]])("%j is a misreading", (value) => {
    expect(decodeListedAccount(value).ok).toBe(false);
  });
});
