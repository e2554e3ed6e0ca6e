import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  closestMatch,
  editDistance,
  foldAddress,
  isWithinOneEdit,
  oneEditSignatures,
  unsafeAddressReason,
} from "../../../src/model/address.ts";
import { always } from "../../support/always.ts";

describe("addresses of one person", () => {
  test.each([
    ["in another letter case", "ADA@Acme.Example", "ada@acme.example"],
    ["with a domain in its ASCII form", "ada@bücher.example", "ada@XN--BCHER-kva.example"],
    ["with a domain in capitals", "ada@BÜCHER.example", "ada@bücher.example"],
    ["with a domain in capitals that end with a sigma", "ada@ΤΈΛΟΣ.example", "ada@τέλοσ.example"],
    ["with a decomposed letter in the domain", "ada@bu\u0308cher.example", "ada@bücher.example"],
    ["with spaces around it", " ada@acme.example\r\n", "ada@acme.example"],
  ])("are one %s", (_, one, other) => {
    expect(foldAddress(one)).toBe(foldAddress(other));
  });
});

describe("addresses of two people", () => {
  test.each([
    ["a path after the domain", "ada@acme.example/é.evil.example", "ada@acme.example"],
    ["a query after the domain", "ada@acme.example?é", "ada@acme.example"],
    ["a fragment after the domain", "ada@acme.example#é", "ada@acme.example"],
    ["a backslash after the domain", "ada@acme.example\\é.evil.example", "ada@acme.example"],
    ["the usual port after the domain", "ada@é.example:80", "ada@é.example"],
    ["a user before the domain", "ada@é@acme.example", "ada@acme.example"],
    ["an escaped letter in the domain", "ada@%61cme.é", "ada@acme.é"],
    ["a full-width letter in the domain", "ada@ａcme.example", "ada@acme.example"],
    ["a full-width dot in the domain", "ada@acme。example", "ada@acme.example"],
    ["a Kelvin sign in the domain", "ada@\u212aelvin.example", "ada@kelvin.example"],
    ["a dotted capital I in the domain", "ada@İst.example", "ada@i\u0307st.example"],
    ["a soft hyphen in the domain", "ada@ac\u00adme.example", "ada@acme.example"],
    ["a joiner in the domain", "ada@acme\u200d.example", "ada@acme.example"],
    ["a sharp s in the domain", "ada@straße.example", "ada@strasse.example"],
    ["a final sigma in the domain", "ada@τέλος.example", "ada@τέλοσ.example"],
    ["a dot after the domain", "ada@acme.example.", "ada@acme.example"],
    ["a no-break space before the @", "ada\u00a0@acme.example", "ada@acme.example"],
    ["a space before the @", "ada @acme.example", "ada@acme.example"],
    ["letters beyond ASCII in another case", "É@acme.example", "é@acme.example"],
    ["the dotless i", "ı@acme.example", "i@acme.example"],
    ["an empty name of the ASCII form", "ada@xn--acme-.example", "ada@acme.example"],
  ])("are two with %s", (_, one, other) => {
    expect(foldAddress(one)).not.toBe(foldAddress(other));
  });
});

test("a text that no domain can be is folded in ASCII alone, so that it costs no time", () => {
  const text = Array.from({ length: 100_000 }, (_, index) => String.fromCodePoint(0x4e00 + (index % 20_000))).join("");
  expect(foldAddress(`ada@${text}É.EXAMPLE`)).toBe(`ada@${text}É.example`);
});

test.each([
  ["ada", "has no `@`"],
  ["ada@bo@acme.example", "has more than one `@`"],
  ["ada@acme.example/é.evil.example", "contains `/`"],
  ["ada lovelace@acme.example", "contains a space"],
  ["ad\u200ba@acme.example", "contains the character U+200B"],
  ["ada＠evil.example@acme.example", "contains `＠` (U+FF20)"],
  ["ada@ａcme.example", "contains `ａ` (U+FF41)"],
  ["ada@acme。example", "contains `。` (U+3002) in its domain"],
  ["ada@acme!.example", "contains `!` in its domain"],
  ["@acme.example", "has an empty name before the `@`"],
  [".ada@acme.example", "has a name before the `@` that begins or ends with a dot"],
  ["ada-@acme.example", "has a name before the `@` that begins or ends with a hyphen"],
  ["ada..lovelace@acme.example", "has a name before the `@` with two dots in a row"],
  ["ada@", "has an empty domain"],
  ["ada@acme..example", "has an empty part of its domain"],
  ["ada@-acme.example", "has a part of its domain that begins or ends with a hyphen"],
  ["ada@acme-", "has a domain that begins or ends with a hyphen"],
  ["o'brien@acme.example", undefined],
])("%j: nobody is created, since it %s", (address, fault) => {
  expect(unsafeAddressReason(address)).toBe(fault);
});

const texts = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 6 });

test("one edit is what a search through all edits finds", () => {
  always({ seed: 1, numRuns: 2000 }, texts, texts, (one, other) => {
    expect(isWithinOneEdit(one, other)).toBe(edits(one).has(other));
  });
});

test("texts within one edit share a near text", () => {
  always({ seed: 2, numRuns: 200 }, texts, (one) => {
    for (const other of edits(one)) {
      expect([...oneEditSignatures(one)].some((text) => oneEditSignatures(other).has(text))).toBe(true);
    }
  });
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
  expect([editDistance(a, b, 7), editDistance(b, a, 7)]).toEqual([slips, slips]);
  expect([editDistance(a, b, slips), editDistance(b, a, slips)]).toEqual([slips, slips]);
  expect(editDistance(a, b, slips - 1)).toBe(Number.POSITIVE_INFINITY);
});

test("a bound changes no distance that is within it", () => {
  always({ seed: 3, numRuns: 2000 }, texts, texts, fc.nat({ max: 6 }), (a, b, most) => {
    const whole = editDistance(a, b, 12);
    expect(editDistance(a, b, most)).toBe(whole <= most ? whole : Number.POSITIVE_INFINITY);
  });
});

test("a text has no more signatures than letters and one, and one that no roster can have is near to nothing", () => {
  const longest = "ab".repeat(127);
  expect(oneEditSignatures(longest).size).toBeLessThanOrEqual(255);
  const longer = `${longest}a`;
  expect(oneEditSignatures(longer)).toEqual(new Set());
  expect(isWithinOneEdit(longer, longer)).toBe(false);
  expect(closestMatch(longer, [longer])).toBeUndefined();
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
