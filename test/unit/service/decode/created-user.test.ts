import { expect, test } from "vitest";
import { decodeCreatedUser } from "../../../../src/service/decode/created-user.ts";

const ada = { identifier: "u-9", email: "ada@acme.example", firstName: "Ada", title: null };
const told = { was: "created", identifier: "u-9", profile: { firstName: "Ada", title: "" } };

test.each([
  [
    "one key",
    undefined,
    { ...ada, accessKeys: [{ prefix: "k1", team: null }] },
    { ...told, key: { prefix: "k1", team: "none" } },
  ],
  [
    "one key and the founded team",
    "Data",
    {
      ...ada,
      accessKeys: [{ prefix: "k1", team: { identifier: "t-3", name: "Data" } }],
      team: { identifier: "t-3", name: "Data" },
    },
    {
      ...told,
      key: { prefix: "k1", team: { identifier: "t-3", name: "Data" } },
      team: { identifier: "t-3", name: "Data" },
    },
  ],
  [
    "the team known from the key alone",
    "Data",
    { ...ada, accessKeys: [{ prefix: "k1", team: { identifier: "t-3", name: "Data" } }] },
    {
      ...told,
      key: { prefix: "k1", team: { identifier: "t-3", name: "Data" } },
      team: { identifier: "t-3", name: "Data" },
    },
  ],
  [
    "two keys, one of the founded team",
    "Data",
    { ...ada, accessKeys: [{ prefix: "own" }, { prefix: "k1", team: { name: "DATA" } }] },
    { ...told, key: { prefix: "k1", team: { name: "DATA" } }, team: { name: "DATA" } },
  ],
  [
    "two keys, told apart by the team's identifier",
    "Data",
    { ...ada, team: { identifier: 3 }, accessKeys: [{ prefix: "own" }, { prefix: "k1", team: { identifier: "3" } }] },
    { ...told, key: { prefix: "k1", team: { identifier: "3" } }, team: { identifier: "3" } },
  ],
  [
    "two keys and nothing to tell them apart",
    undefined,
    { ...ada, accessKeys: [{ prefix: "a" }, { prefix: "b" }] },
    told,
  ],
  [
    "the key in the other list",
    undefined,
    { ...ada, listAccessKeys: [{ prefix: "k1" }] },
    { ...told, key: { prefix: "k1" } },
  ],
  [
    "a key and its user",
    undefined,
    { prefix: "k1", status: "Active", user: ada },
    { ...told, key: { prefix: "k1", status: "Active" } },
  ],
  ["a user and its key", undefined, { user: ada, accessKey: { prefix: "k1" } }, { ...told, key: { prefix: "k1" } }],
  ["a flat prefix", undefined, { ...ada, accessKeyPrefix: "k1" }, { ...told, key: { prefix: "k1" } }],
  ["a whole key, cut at its dot", undefined, { ...ada, apiKey: "k1.SECRETBODY" }, { ...told, key: { prefix: "k1" } }],
  ["a text without a dot may be a secret", undefined, { ...ada, apiKey: "SECRETBODY" }, told],
  ["no key", undefined, ada, told],
  ["an empty answer", undefined, undefined, { was: "created", profile: {} }],
])("%s", (_name, founded, body, expected) => {
  const decoded = decodeCreatedUser(body, founded);
  expect(decoded).toEqual({ ok: true, value: expected });
  expect(JSON.stringify(decoded)).not.toContain("SECRETBODY");
});

test.each([
  [
    "an error answered with success",
    { statusCode: 409, message: "no" },
    "a created user was expected, and an object with the keys statusCode, message came",
  ],
  ["a list", [ada], "a created user was expected, and a list of 1 came"],
  ["a text", "k1.SECRETBODY", "a created user was expected, and a string came"],
])("%s is a misreading", (_name, body, why) => {
  expect(decodeCreatedUser(body, undefined)).toEqual({ ok: false, error: { why } });
});
