import { describe, expect, test } from "vitest";
import { decodeAccount, decodeListedAccount, decodeUser } from "../../../../src/service/decode/user.ts";

const whole = {
  identifier: "u-1",
  email: "Ada@Acme.example",
  firstName: "Ada",
  lastName: "Lovelace",
  title: null,
  externalIdentifier: "x-1",
  source: "gitops",
  status: "Active",
  account: { identifier: "acc-1", name: "Acme" },
  accessKeys: [
    {
      prefix: "kp1.secretpart",
      status: "active",
      kind: "TEAM",
      team: { identifier: "t-1", name: "Data" },
      roles: [{ identifier: "TEAM_ROLE" }, { identifier: "DEVELOPER" }],
      isDefault: true,
    },
    { prefix: "kp2", keyType: "user", team: null, roles: ["B", "A", "B"] },
  ],
};

test("a user of the default dialect, the secret part of a key dropped", () => {
  const decoded = decodeUser(whole, "search 1");
  expect(decoded).toEqual({
    ok: true,
    value: {
      identifier: "u-1",
      email: "Ada@Acme.example",
      address: "ada@acme.example",
      firstName: "Ada",
      lastName: "Lovelace",
      title: "",
      externalIdentifier: "x-1",
      source: "gitops",
      status: "Active",
      account: "acc-1",
      keys: [
        {
          prefix: "kp1",
          status: "active",
          kind: "team",
          team: { identifier: "t-1", name: "Data" },
          roles: ["DEVELOPER", "TEAM_ROLE"],
          isDefault: true,
        },
        { prefix: "kp2", kind: "user", team: "none", roles: ["A", "B"] },
      ],
      by: "search 1",
    },
  });
  expect(JSON.stringify(decoded)).not.toContain("secretpart");
});

const bare = { email: "a@b.example", address: "a@b.example", by: "list" };

test.each([
  ["an identifier as a number", { id: 7, email: "a@b.example" }, { ...bare, identifier: "7" }],
  [
    "an identifier too large to be exact is none",
    JSON.parse('{"id":12345678901234567890,"email":"a@b.example"}'),
    bare,
  ],
  ["a status under its other name", { email: "a@b.example", state: "ACTIVE" }, { ...bare, status: "ACTIVE" }],
  ["whether somebody is active", { email: "a@b.example", active: false }, { ...bare, status: "inactive" }],
  [
    "keys in two lists",
    { email: "a@b.example", accessKeys: [], listAccessKeys: [{ prefix: "k" }], keys: ["k.secret"] },
    { ...bare, keys: [{ prefix: "k" }] },
  ],
  ["a key without its prefix, as a text, hides them all", { email: "a@b.example", keys: ["s3cret"] }, bare],
  ["nulls everywhere", { identifier: null, email: "a@b.example", status: null, accessKeys: null, account: null }, bare],
  [
    "keys under their other name",
    { email: "a@b.example", listAccessKeys: [{ prefix: "k" }] },
    { ...bare, keys: [{ prefix: "k" }] },
  ],
  ["an empty list of keys", { email: "a@b.example", accessKeys: [] }, { ...bare, keys: [] }],
  ["a key that cannot be read hides them all", { email: "a@b.example", accessKeys: [{ prefix: "k" }, {}] }, bare],
  [
    "roles that cannot be read are not shown",
    { email: "a@b.example", accessKeys: [{ prefix: "k", roles: [{}] }] },
    { ...bare, keys: [{ prefix: "k" }] },
  ],
  [
    "a role without a name makes the roles unreadable",
    { email: "a@b.example", accessKeys: [{ prefix: "k", roles: ["A", ""] }] },
    { ...bare, keys: [{ prefix: "k" }] },
  ],
  [
    "roles shown as null are not shown",
    { email: "a@b.example", accessKeys: [{ prefix: "k", roles: null }] },
    { ...bare, keys: [{ prefix: "k" }] },
  ],
  [
    "a team as a bare text is its identifier",
    { email: "a@b.example", accessKeys: [{ prefix: "k", team: "t-9" }] },
    { ...bare, keys: [{ prefix: "k", team: { identifier: "t-9" } }] },
  ],
  ["an address in the user name", { username: "a@b.example" }, bare],
  ["a flat account", { email: "a@b.example", accountIdentifier: "acc-2" }, { ...bare, account: "acc-2" }],
  [
    "names from a hostile prototype",
    JSON.parse('{"__proto__":{"identifier":"evil"},"constructor":"c","email":"a@b.example"}'),
    bare,
  ],
])("%s", (_name, value, expected) => {
  expect(decodeUser(value, "list")).toEqual({ ok: true, value: expected });
});

test.each([
  [
    "no address",
    { identifier: "u-1", email: null },
    "expected a user with an email, but got an object with the fields identifier, email",
  ],
  ["an empty address", { email: " " }, "expected a user with an email, but got an object with the fields email"],
  ["a text", "ada", "expected a user, but got a string"],
  ["null", null, "expected a user, but got null"],
])("%s is a misreading", (_name, value, why) => {
  expect(decodeUser(value, "list")).toEqual({ ok: false, error: { why } });
});

const asked = { identifier: "acc-1", by: "account acc-1" };
const plain = { identifier: "acc-1", name: "Acme", status: "Active" };
const told = { ...asked, name: "Acme", status: "Active" };
const users = [
  { identifier: "u-1", email: "Ada@Acme.example", status: "Invited" },
  { identifier: "u-2", email: "bo@acme.example", active: false },
];
const members = ["ada@acme.example", "bo@acme.example"];
const shown = { ...told, members };

describe("account details", () => {
  test.each([
    ["A1: users as objects", { ...plain, users }, shown],
    [
      "A1: users of whom some are deleted, unless they are listed once more",
      { ...plain, users: [{ ...users[0], status: "Deleted" }, { ...users[1], status: "DELETED" }, users[1]] },
      { ...told, members: [...members, "bo@acme.example"], deletedMembers: ["ada@acme.example"] },
    ],
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
