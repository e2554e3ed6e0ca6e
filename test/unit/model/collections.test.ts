import { expect, test } from "vitest";
import { multimap } from "../../../src/model/collections.ts";

test("a multimap has every value of a key, keys and values in the order in which they came", () => {
  const groups = multimap([
    ["b", 2],
    ["a", 1],
    ["b", 1],
    ["b", 2],
  ]);
  expect([...groups]).toEqual([
    ["b", [2, 1, 2]],
    ["a", [1]],
  ]);
});
