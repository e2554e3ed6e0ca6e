import { describe, expect, test } from "vitest";
import { errorMessage } from "../../../../src/service/decode/json.ts";
import { decodeReplacedRoles, decodeRole } from "../../../../src/service/decode/key.ts";

describe("roles", () => {
  test.each([
    [
      "R1: an object",
      { identifier: "DEVELOPER", name: "Developer", description: "x", type: "user" },
      { identifier: "DEVELOPER", name: "Developer", type: "user" },
    ],
    ["R2: a bare identifier", "DEVELOPER", { identifier: "DEVELOPER" }],
    ["an identifier as a number", { id: 7, type: null }, { identifier: "7" }],
  ])("%s", (_name, value, expected) => {
    expect(decodeRole(value)).toEqual({ ok: true, value: expected });
  });

  test.each([[{ name: "x" }], [""], [null]])("%j is a misreading", (value) => {
    expect(decodeRole(value).ok).toBe(false);
  });
});

describe("replaced roles", () => {
  test.each([
    ["a list of roles", [{ identifier: "B" }, { identifier: "A" }], { roles: ["A", "B"] }],
    ["bare identifiers", ["B", "A", "A"], { roles: ["A", "B"] }],
    ["no roles at all, in a list that is called that of the roles", { roles: [] }, { roles: [] }],
    ["an empty list, which says nothing", [], {}],
    ["an empty list in an envelope", { data: [] }, {}],
    ["an empty object in a list", [{}], {}],
    ["a list in an envelope", { data: [{ identifier: "A" }] }, { roles: ["A"] }],
    ["the key with its roles", { prefix: "k", roles: [{ identifier: "A" }] }, { prefix: "k", roles: ["A"] }],
    ["the key in an envelope", { accessKey: { prefix: "k", roles: ["A"] } }, { prefix: "k", roles: ["A"] }],
    ["the key in an envelope of success", { success: true, data: { prefix: "k" } }, { prefix: "k" }],
    ["the prefix beside the envelope", { accessKeyPrefix: "k", data: { roles: ["A"] } }, { prefix: "k", roles: ["A"] }],
    ["the prefix beside a list of roles", { prefix: "k", data: ["A"] }, { prefix: "k", roles: ["A"] }],
    ["the key without roles", { prefix: "k" }, { prefix: "k" }],
    ["the key with roles without names", { prefix: "k", roles: [{ name: "A" }] }, { prefix: "k" }],
    ["a whole key, cut at its dot", { prefix: "k.SECRETBODY" }, { prefix: "k" }],
    ["a key without a prefix", { accessKey: { identifier: "7", roles: ["A"] } }, { roles: ["A"] }],
    ["roles without names", [{ name: "A" }], {}],
    ["a mere word of success", { success: true }, {}],
    ["an empty answer", undefined, {}],
  ])("%s", (_name, body, expected) => {
    expect(decodeReplacedRoles(body, ["A"])).toEqual({ ok: true, value: expected });
  });

  test("an empty list is the answer to an empty list", () => {
    expect(decodeReplacedRoles([], [])).toEqual({ ok: true, value: { roles: [] } });
  });

  test.each([
    ["as the whole", { success: false }, {}],
    ["in an envelope", { data: { success: false } }, {}],
    ["in a list of one", [{ statusCode: 409, message: "no" }], { status: 409, words: "no" }],
  ])("an error answered with success is a failure, %s", (_name, body, refused) => {
    expect(decodeReplacedRoles(body, ["A"])).toEqual({
      ok: false,
      error: { why: "it reports a failure", refused },
    });
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
});
