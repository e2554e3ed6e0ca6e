import { describe, expect, test } from "vitest";
import { decodeListedAccount } from "../../../../src/service/decode/listed-account.ts";

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
