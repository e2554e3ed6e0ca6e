import { expect, test } from "vitest";
import { closestMatch, editDistance } from "../../../src/roster/nearest.ts";

test.each([
  ["", "", 0],
  ["abc", "abc", 0],
  ["abc", "acb", 1],
  ["abc", "ab", 1],
  ["abc", "xabc", 1],
  ["abc", "axc", 1],
  ["ca", "abc", 3],
  ["", "abc", 3],
  ["kitten", "sitting", 3],
])("from %j to %j: %i", (a, b, slips) => {
  expect(editDistance(a, b)).toBe(slips);
  expect(editDistance(b, a)).toBe(slips);
});

test.each([
  ["emial", ["email", "title"], "email"],
  ["Members", ["members", "admin"], "members"],
  ["engineers", ["engineer", "engine"], "engineer"],
  ["lastNane", ["firstName", "lastName"], "lastName"],
  ["x", ["y", "xy"], undefined],
  ["leavers", ["users", "teams"], undefined],
  ["abcdef", ["abcdee", "abcdeg"], "abcdee"],
  ["boo@acme.example", ["cy@acme.example", "bo@acme.example"], "bo@acme.example"],
  ["fay@acme.example", ["cy@acme.example", "ada@acme.example"], undefined],
  ["create-user:fay@acme.example", ["create-user:cy@acme.example"], undefined],
  ["kim.tanaka@acme.exmaple", ["kim.tanka@acme.example"], "kim.tanka@acme.example"],
])("nearest to %j of %j: %j", (name, candidates, expected) => {
  expect(closestMatch(name, candidates)).toBe(expected);
});
