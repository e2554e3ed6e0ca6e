import { expect, test } from "vitest";
import { decodeUser } from "../../../../src/service/decode/user.ts";

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
    "expected a user with an email, but got an object with the keys identifier, email",
  ],
  ["an empty address", { email: " " }, "expected a user with an email, but got an object with the keys email"],
  ["a text", "ada", "expected a user, but got a string"],
  ["null", null, "expected a user, but got null"],
])("%s is a misreading", (_name, value, why) => {
  expect(decodeUser(value, "list")).toEqual({ ok: false, error: { why } });
});
