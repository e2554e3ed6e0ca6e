import { describe, expect, test } from "vitest";
import { decodeAccount } from "../../../../src/service/decode/account.ts";
import { decodeAddedMembers } from "../../../../src/service/decode/added-members.ts";
import { errorMessage } from "../../../../src/service/decode/error-message.ts";
import { decodeReplacedRoles } from "../../../../src/service/decode/replaced-roles.ts";
import { decodeRole } from "../../../../src/service/decode/role.ts";

describe("account details", () => {
  const asked = { identifier: "acc-1", by: "account acc-1" };

  test.each([
    [
      "users as objects",
      {
        identifier: "acc-1",
        name: "Acme",
        status: "active",
        users: [{ email: "Ada@Acme.example", status: "active" }, {}],
      },
      { ...asked, name: "Acme", status: "active", members: ["ada@acme.example"] },
    ],
    ["users as addresses", { id: 1, users: ["ada@acme.example", "u-2"] }, { ...asked, members: ["ada@acme.example"] }],
    ["nobody", { identifier: "acc-1", users: [] }, { ...asked, members: [] }],
    ["users not shown", { identifier: "acc-1", status: null, users: null }, asked],
  ])("%s", (_name, body, expected) => {
    expect(decodeAccount(body, "acc-1")).toEqual({ ok: true, value: expected });
  });

  test.each([
    ["an error answered with success", { statusCode: 404, status: "Not Found" }],
    ["a list", []],
    ["nothing", undefined],
  ])("%s is a misreading", (_name, body) => {
    expect(decodeAccount(body, "acc-1").ok).toBe(false);
  });
});

describe("roles", () => {
  test.each([
    [
      "an object",
      { identifier: "DEVELOPER", name: "Developer", description: "x", type: "user" },
      { identifier: "DEVELOPER", name: "Developer", type: "user" },
    ],
    ["a bare identifier", "DEVELOPER", { identifier: "DEVELOPER" }],
  ])("%s", (_name, value, expected) => {
    expect(decodeRole(value)).toEqual({ ok: true, value: expected });
  });

  test.each([[{ name: "x" }], [""], [null]])("%j is a misreading", (value) => {
    expect(decodeRole(value).ok).toBe(false);
  });
});

describe("added members", () => {
  test.each([
    [
      "the default dialect",
      [{ identifier: "u-1", email: "a@b.example", accessKey: { prefix: "k1", status: "active", kind: "team" } }],
      [{ identifier: "u-1", email: "a@b.example", key: { prefix: "k1", status: "active", kind: "team" } }],
    ],
    [
      "one key in a list",
      [{ identifier: "u-1", accessKeys: [{ prefix: "k1" }] }],
      [{ identifier: "u-1", key: { prefix: "k1" } }],
    ],
    [
      "several keys",
      [{ identifier: "u-1", accessKeys: [{ prefix: "k1" }, { prefix: "k2" }] }],
      [{ identifier: "u-1" }],
    ],
    [
      "one who was refused",
      [{ identifier: "u-8", status: 404, detail: "gone" }],
      [
        {
          identifier: "u-8",
          failure: {
            code: "not-found",
            message: "The service did not add this member (404)",
            status: 404,
            serviceSays: "gone",
          },
        },
      ],
    ],
    ["an empty answer", undefined, []],
  ])("%s", (_name, body, members) => {
    expect(decodeAddedMembers(body)).toEqual({ ok: true, value: { members } });
  });

  test.each([
    ["an error answered with success", { status: "error", message: {} }],
    ["somebody without a name", [{ accessKey: { prefix: "k" } }]],
  ])("%s is a misreading", (_name, body) => {
    expect(decodeAddedMembers(body).ok).toBe(false);
  });
});

describe("replaced roles", () => {
  test.each([
    ["a list of roles", [{ identifier: "B" }, { identifier: "A" }], { roles: ["A", "B"] }],
    ["no roles at all", [], { roles: [] }],
    ["the key with its roles", { prefix: "k", roles: [{ identifier: "A" }] }, { roles: ["A"] }],
    ["the key without roles", { prefix: "k" }, {}],
    ["an empty answer", undefined, {}],
  ])("%s", (_name, body, expected) => {
    expect(decodeReplacedRoles(body)).toEqual({ ok: true, value: expected });
  });

  test("an error answered with success is a misreading", () => {
    expect(decodeReplacedRoles({ success: false }).ok).toBe(false);
  });
});

describe("the service's own words", () => {
  test.each([
    [{ statusCode: 404, status: "Not Found", message: "no account" }, "no account"],
    [{ status: 400, error: "Bad Request", message: "" }, "Bad Request"],
    [{ title: "Conflict", detail: "email already used" }, "email already used"],
    [{ error: { code: "user_exists", message: "there" } }, "there"],
    [{ errorMessage: "User exists" }, "User exists"],
    [{ error: "invalid", error_description: "bad mail" }, "bad mail"],
    [{ errors: [{ detail: "first" }, { detail: "second" }] }, "first"],
    [{ errors: ["plain"] }, "plain"],
    ["text", "text"],
    [{ code: 3 }, undefined],
    [[], undefined],
  ])("%j says %j", (body, words) => {
    expect(errorMessage(body)).toBe(words);
  });

  test("are bounded", () => {
    expect(errorMessage({ message: "x".repeat(10_000) })).toBe(`${"x".repeat(500)}…`);
  });
});
