import { expect, test } from "vitest";
import { pointedAt, pointerProblem } from "../../../src/service/decode/json.ts";

test.each([
  ["", { a: 1 }, { a: 1 }],
  ["/a", { a: 1 }, 1],
  ["/a/b/0", { a: { b: [7] } }, 7],
  ["/a~1b/~0", { "a/b": { "~": 7 } }, 7],
  ["/a~01", { "a~1": 7 }, 7],
  ["/a/", { a: { "": 7 } }, 7],
  ["/b", { a: 1 }, undefined],
  ["/a/b", { a: null }, undefined],
  ["/length", [1], undefined],
  ["/__proto__/x", JSON.parse('{"__proto__":{"x":7}}'), 7],
  ["/constructor/name", {}, undefined],
])("%s leads in %j to %j", (pointer, value, expected) => {
  expect(pointedAt(value, pointer)).toEqual(expected);
});

test.each([
  ["payload/rows", "`payload/rows` is not a JSON Pointer. It must start with a slash, like /payload/rows"],
  ["/a~2", "`/a~2` is not a JSON Pointer. Write ~ as ~0, and / inside a name as ~1"],
  ["/a~", "`/a~` is not a JSON Pointer. Write ~ as ~0, and / inside a name as ~1"],
  ["/a~0/b~1", undefined],
  ["", undefined],
])("%s is judged", (text, problem) => {
  expect(pointerProblem(text)).toBe(problem);
});
