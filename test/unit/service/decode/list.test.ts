import { expect, test } from "vitest";
import { decodeList } from "../../../../src/service/decode/list.ts";

test.each([
  ["a bare array", [1, 2], { rows: [1, 2] }],
  ["an empty array", [], { rows: [] }],
  ["content", { content: [1], number: 0, totalElements: 5 }, { rows: [1], total: 5 }],
  ["data", { data: [1], meta: {} }, { rows: [1] }],
  ["items", { items: [], total: 0 }, { rows: [], total: 0 }],
  ["a total that is no count", { items: [1], total: -3 }, { rows: [1] }],
  ["users", { start: 0, users: [1], total: "5" }, { rows: [1] }],
])("%s", (_name, body, expected) => {
  expect(decodeList(body)).toEqual({ ok: true, value: expected });
});

test.each([
  ["an envelope of an unknown name", { payload: {} }, "a list was expected, and an object with the keys payload came"],
  ["several lists", { users: [], roles: [] }, "one list was expected, and an object with the keys users, roles came"],
  [
    "an error answered with success",
    { statusCode: 401, message: "no" },
    "a list was expected, and an object with the keys statusCode, message came",
  ],
  ["an empty object", {}, "a list was expected, and an object without keys came"],
  ["an empty body", undefined, "a list was expected, and nothing came"],
  ["null", null, "a list was expected, and null came"],
  [
    "a list in a hostile prototype",
    JSON.parse('{"__proto__":{"items":[]}}'),
    "a list was expected, and an object with the keys __proto__ came",
  ],
])("%s is never an empty list", (_name, body, why) => {
  expect(decodeList(body)).toEqual({ ok: false, error: { why } });
});
