import { expect, test } from "vitest";
import { decodeFound } from "../../../../src/service/decode/user.ts";

const ada = { identifier: "u-1", email: "ada@ex.example" };
const bo = { identifier: "u-2", email: "bo@ex.example" };

test.each([
  ["S1: a bare array", [ada, bo], [ada, bo]],
  ["S2: an envelope", { content: [ada], totalElements: 1 }, [ada]],
  ["S3: a map by address", { "ada@ex.example": ada, "bo@ex.example": null }, [ada]],
  [
    "S3: a map whose users show no address",
    { "ada@ex.example": { identifier: "u-1" } },
    [{ identifier: "u-1", email: "ada@ex.example" }],
  ],
  ["S3: a map of nobody", { "ada@ex.example": null }, []],
  ["S4: nobody in a place", [null, ada, null], [ada]],
  ["S5: null", null, []],
  ["S5: an empty answer", undefined, []],
  ["S6: found and not found", { found: [ada], notFound: ["x@ex.example"] }, [ada]],
  ["S6: nobody found", { notFound: ["x@ex.example"] }, []],
  ["S7: a single user", ada, [ada]],
  ["S7: a single user in an envelope", { user: ada }, [ada]],
])("%s", (_name, body, rows) => {
  expect(decodeFound(body)).toMatchObject({ ok: true, value: { rows } });
});

test("what an envelope tells of further pages is kept", () => {
  const body = { results: [ada], count: 12, next: "/api/accounting/users/search?page=2" };
  expect(decodeFound(body)).toEqual({ ok: true, value: { rows: [ada], total: 12, next: { page: 2 } } });
});

test.each([
  [
    "an unknown envelope",
    { payload: [ada] },
    { why: "expected found users, but got an object with the fields payload" },
  ],
  ["an empty object", {}, { why: "expected found users, but got an object without fields" }],
  [
    "a map that holds other things",
    { "ada@ex.example": ada, took: 3 },
    { why: "expected found users, but got an object with the fields ada@ex.example, took" },
  ],
  ["a text", "nobody", { why: "expected a list, but got a string" }],
  ["a failure", { success: false }, { why: "it reports a failure", refused: {} }],
])("%s is never nobody", (_name, body, error) => {
  expect(decodeFound(body)).toEqual({ ok: false, error });
});
