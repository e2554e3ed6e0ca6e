import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  closestMatch,
  editDistance,
  foldPersonName,
  isWithinOneEdit,
  oneEditSignatures,
} from "../../../src/model/similarity.ts";

describe("names of people are one", () => {
  test.each([
    ["in any letter case", ["ADA", "lovelace"], ["Ada", "Lovelace"]],
    ["with any white space", [" Ada  Maria", "Lovelace "], ["Ada", "Maria Lovelace"]],
    ["composed or not", ["Jos\u00e9", "D\u00edaz"], ["Jose\u0301", "Di\u0301az"]],
    ["with or without marks", ["José", "Müller"], ["Jose", "Muller"]],
  ] as const)("%s", (_, one, other) => {
    expect(foldPersonName(one[0], one[1])).toBe(foldPersonName(other[0], other[1]));
  });
});

describe("names of people are two", () => {
  test.each([
    ["where a letter is a letter of its own", ["Søren", "Sø"], ["Soren", "So"]],
    ["where first and last name are exchanged", ["Ada", "King"], ["King", "Ada"]],
    ["where one is a part of the other", ["Ada", "Lovelace"], ["Ada", ""]],
  ] as const)("%s", (_, one, other) => {
    expect(foldPersonName(one[0], one[1])).not.toBe(foldPersonName(other[0], other[1]));
  });

  test("and nobody's name is none", () => {
    expect([foldPersonName(undefined, undefined), foldPersonName(" ", "")]).toEqual([undefined, undefined]);
  });
});

test.each([
  ["ada", "ada", true],
  ["ada", "ad", true],
  ["ada", "aada", true],
  ["ada", "aba", true],
  ["ada", "daa", true],
  ["", "a", true],
  ["ada", "adaaa", false],
  ["ada", "bda", true],
  ["ada", "bdb", false],
  ["abcd", "badc", false],
  ["ada.lovelace", "alovelace", false],
])("%s and %s are within one edit: %s", (one, other, near) => {
  expect([isWithinOneEdit(one, other), isWithinOneEdit(other, one)]).toEqual([near, near]);
});

const texts = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 6 });

test("one edit is what a search through all edits finds", () => {
  fc.assert(
    fc.property(texts, texts, (one, other) => {
      expect(isWithinOneEdit(one, other)).toBe(edits(one).has(other));
    }),
    { seed: 1, numRuns: 2000 },
  );
});

test("texts within one edit share a near text", () => {
  fc.assert(
    fc.property(texts, (one) => {
      for (const other of edits(one)) {
        expect([...oneEditSignatures(one)].some((text) => oneEditSignatures(other).has(text))).toBe(true);
      }
    }),
    { seed: 2, numRuns: 200 },
  );
});

function edits(text: string): ReadonlySet<string> {
  const all = new Set([text]);
  for (let at = 0; at <= text.length; at += 1) {
    const [head, tail] = [text.slice(0, at), text.slice(at)];
    for (const letter of ["a", "b", "c"]) {
      all.add(`${head}${letter}${tail}`);
      if (tail !== "") all.add(`${head}${letter}${tail.slice(1)}`);
    }
    if (tail !== "") all.add(`${head}${tail.slice(1)}`);
    if (tail.length > 1) all.add(`${head}${tail[1]}${tail[0]}${tail.slice(2)}`);
  }
  return all;
}

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
