import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { foldPersonName, isWithinOneEdit, oneEditSignatures } from "../../../src/model/likeness.ts";

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
