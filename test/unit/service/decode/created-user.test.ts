import { describe, expect, test } from "vitest";
import { type CreationAnswer, decodeCreatedUser } from "../../../../src/service/decode/created-user.ts";

const ada = { identifier: "u-9", email: "ada@acme.example", firstName: "Ada", title: null };
const told = { was: "created", identifier: "u-9", profile: { firstName: "Ada", title: "" } };
const data = { identifier: "t-3", name: "Data" };

function decode(body: unknown, founded?: string, answer: Partial<CreationAnswer> = {}) {
  return decodeCreatedUser({ status: 201, body, ...answer }, founded);
}

describe("every known answer to a creation", () => {
  test.each([
    [
      "C1: one key",
      undefined,
      { ...ada, accessKeys: [{ prefix: "k1", team: null }] },
      { ...told, key: { prefix: "k1", team: "none" } },
    ],
    [
      "C1: one key and the founded team",
      "Data",
      { ...ada, accessKeys: [{ prefix: "k1", team: data }], team: data },
      { ...told, key: { prefix: "k1", team: data }, team: data },
    ],
    [
      "C1: the team known from the key alone",
      "Data",
      { ...ada, accessKeys: [{ prefix: "k1", team: data }] },
      { ...told, key: { prefix: "k1", team: data }, team: data },
    ],
    [
      "C2: a key and its user",
      undefined,
      { prefix: "k1", status: "Active", user: ada, account: { identifier: "acc-1" } },
      { ...told, key: { prefix: "k1", status: "Active" } },
    ],
    [
      "C3: the key in the other list",
      undefined,
      { ...ada, listAccessKeys: [{ prefix: "k1" }] },
      { ...told, key: { prefix: "k1" } },
    ],
    [
      "C4: a user and its key",
      undefined,
      { user: ada, accessKey: { prefix: "k1" } },
      { ...told, key: { prefix: "k1" } },
    ],
    ["C5: a flat prefix", undefined, { ...ada, accessKeyPrefix: "k1" }, { ...told, key: { prefix: "k1" } }],
    [
      "C6: a whole key, cut at its dot",
      undefined,
      { user: ada, apiKey: "k1.SECRETBODY" },
      { ...told, key: { prefix: "k1" } },
    ],
    [
      "C6: as the key's own prefix",
      undefined,
      { user: ada, accessKey: { prefix: "k1.SECRETBODY" } },
      { ...told, key: { prefix: "k1" } },
    ],
    ["C6: a text without a dot may be a secret", undefined, { ...ada, apiKey: "SECRETBODY" }, told],
    [
      "C7: in an envelope",
      undefined,
      { data: { user: ada, accessKeys: [{ prefix: "k1" }] } },
      { ...told, key: { prefix: "k1" } },
    ],
    [
      "C7: in an envelope of success",
      undefined,
      { success: true, data: { ...ada, accessKeys: [{ prefix: "k1" }] }, error: null },
      { ...told, key: { prefix: "k1" } },
    ],
    ["C12: a mere prefix", undefined, "12pref1x121", { was: "created", profile: {}, key: { prefix: "12pref1x121" } }],
    [
      "C12: a mere whole key",
      undefined,
      "12pref1x121.SECRETBODY\n",
      { was: "created", profile: {}, key: { prefix: "12pref1x121" } },
    ],
    [
      "C12: a prefix of digits alone",
      undefined,
      123456789,
      { was: "created", profile: {}, key: { prefix: "123456789" } },
    ],
    ["a mere word is no prefix", undefined, "Created", { was: "created", profile: {} }],
    ["no key", undefined, ada, told],
    ["an empty answer", undefined, undefined, { was: "created", profile: {} }],
    [
      "names from a hostile prototype",
      undefined,
      JSON.parse('{"__proto__":{"accessKeyPrefix":"evil"},"identifier":"u-9"}'),
      { was: "created", identifier: "u-9", profile: {} },
    ],
  ])("%s", (_name, founded, body, expected) => {
    const decoded = decode(body, founded);
    expect(decoded).toEqual({ ok: true, value: expected });
    expect(JSON.stringify(decoded)).not.toContain("SECRETBODY");
  });

  test.each([
    ["/api/accounting/accounts/acc-1/users/u-9", "u-9"],
    ["https://inner:8080/modzy/api/accounting/users/u%2F9/?x=1", "u/9"],
    ["/api/accounting/accounts/acc-1", undefined],
    ["/users/%E0%A4%A", undefined],
    [undefined, undefined],
  ])("C8: an empty answer whose location is %s", (location, identifier) => {
    const value = { was: "created", profile: {}, ...(identifier === undefined ? {} : { identifier }) };
    expect(decode(undefined, undefined, { location })).toEqual({ ok: true, value });
  });
});

describe("C10: which of several keys is the new one", () => {
  test.each([
    [
      "the one of the founded team, by name",
      "Data",
      [{ prefix: "own" }, { prefix: "k1", team: { name: "DATA" } }],
      "k1",
    ],
    [
      "the one of a team, by kind",
      "Data",
      [
        { prefix: "own", kind: "user" },
        { prefix: "k1", kind: "team" },
      ],
      "k1",
    ],
    [
      "the one that is not the user's own",
      "Data",
      [
        { prefix: "own", isDefault: true },
        { prefix: "k1", isDefault: false },
      ],
      "k1",
    ],
    [
      "the one that says it has no team is not the team's",
      "Data",
      [{ prefix: "own", team: null }, { prefix: "k1" }],
      "k1",
    ],
    [
      "the one that is marked",
      undefined,
      [
        { prefix: "own", isDefault: true },
        { prefix: "k1", isDefault: false },
      ],
      "own",
    ],
    [
      "the user's own",
      undefined,
      [
        { prefix: "own", kind: "user" },
        { prefix: "k1", kind: "project" },
      ],
      "own",
    ],
  ])("%s", (_name, founded, accessKeys, prefix) => {
    expect(decode({ ...ada, accessKeys }, founded)).toMatchObject({ ok: true, value: { key: { prefix } } });
  });

  test("by the identifier of the founded team", () => {
    const accessKeys = [
      { prefix: "own", team: { identifier: 4 } },
      { prefix: "k1", team: { identifier: "3" } },
    ];
    expect(decode({ ...ada, team: { identifier: 3 }, accessKeys }, "Data")).toMatchObject({
      ok: true,
      value: { key: { prefix: "k1" }, team: { identifier: "3" } },
    });
  });

  test.each([
    ["nothing tells them apart", undefined, [{ prefix: "a" }, { prefix: "b" }]],
    [
      "two are marked",
      undefined,
      [
        { prefix: "a", isDefault: true },
        { prefix: "b", isDefault: true },
      ],
    ],
    ["nothing tells the team's", "Data", [{ prefix: "a" }, { prefix: "b" }]],
  ])("none, and both are told, where %s", (_name, founded, accessKeys) => {
    expect(decode({ ...ada, accessKeys }, founded)).toEqual({
      ok: true,
      value: { ...told, ambiguousKeys: ["a", "b"] },
    });
  });

  test("none where the only one says that it has no team", () => {
    const body = { ...ada, accessKeys: [{ prefix: "own", team: null }] };
    expect(decode(body, "Data")).toEqual({ ok: true, value: told });
  });
});

describe("C11: somebody who was there before", () => {
  const date = "Fri, 20 Nov 2026 10:00:00 GMT";

  test.each([
    ["200 tells of somebody who was there", { status: 200 }, ada, "there-before"],
    ["201 tells of somebody new", { status: 201 }, { ...ada, createdAt: "2020-01-01T00:00:00Z" }, "created"],
    [
      "200 with a user of this minute",
      { status: 200, date },
      { ...ada, createdAt: "2026-11-20T09:59:58.187+0000" },
      "created",
    ],
    [
      "200 with a user of long ago",
      { status: 200, date },
      { ...ada, createdAt: "2020-01-01T00:00:00Z" },
      "there-before",
    ],
    [
      "200 with a user of this minute, in milliseconds",
      { status: 200, date },
      { ...ada, createdAt: Date.parse("2026-11-20T09:59:58Z") },
      "created",
    ],
  ])("%s", (_name, answer, body, was) => {
    expect(decode(body, undefined, answer)).toMatchObject({ ok: true, value: { was } });
  });
});

describe("what is no created user", () => {
  test.each([
    ["a list", [ada], "a created user was expected, and a list of 1 came"],
    ["an unknown envelope", { payload: ada }, "a created user was expected, and an object with the keys payload came"],
    ["an empty object", {}, "a created user was expected, and an object without keys came"],
  ])("%s is a misreading", (_name, body, why) => {
    expect(decode(body)).toEqual({ ok: false, error: { why } });
  });

  test("200 with nothing in it says neither that somebody was created nor that nobody was", () => {
    expect(decode(undefined, undefined, { status: 200 })).toMatchObject({
      ok: false,
      error: { why: expect.any(String) },
    });
  });

  test("an error answered with success is a failure", () => {
    expect(decode({ statusCode: 409, message: "there" })).toEqual({
      ok: false,
      error: { why: "it says that the call failed", refused: { status: 409, words: "there" } },
    });
  });
});
