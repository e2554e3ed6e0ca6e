import fc from "fast-check";
import { expect, test } from "vitest";
import { foldAddress } from "../../src/model/address.ts";
import { type AllowanceCode, allowableCodes, formatAllowanceCode, readAllowanceCode } from "../../src/model/policy.ts";
import { foldName } from "../../src/model/team.ts";
import { safe } from "../../src/report/safe.ts";
import { always } from "../support/always.ts";
import { codePoint } from "../support/code-point.ts";
import { printedWords } from "../support/drawn/printed-words.ts";
import { runs } from "../support/property-runs.ts";

const hostile = fc.oneof(
  fc.string({ unit: codePoint, minLength: 1 }),
  fc.string({ minLength: 1 }),
  fc.constantFrom(
    "Data Science",
    "R&D/Ops",
    "ops#0011aabbccdd",
    "100%",
    "a%20b",
    "O'Brien",
    "$(id)",
    "-x",
    "::error::",
    "ẖ",
  ),
);
const names = hostile.map(foldName).filter((name) => name !== "");
const addresses = fc
  .tuple(hostile, fc.oneof(fc.domain(), fc.constantFrom("deadbeefdeadbeef", "b%2fc.example", "x y.example")))
  .map(([local, domain]) => foldAddress(`${local}@${domain}`));

const codes: fc.Arbitrary<AllowanceCode> = fc.record({
  of: fc.constantFrom(...allowableCodes),
  about: fc.oneof(
    fc.constant(""),
    names,
    addresses,
    hostile,
    fc.tuple(names, addresses).map(([team, address]) => `${team}/${address}`),
  ),
  digits: fc
    .array(fc.constantFrom(..."0123456789abcdef"), { minLength: 12, maxLength: 12 })
    .map((digits) => digits.join("")),
});

test("a code is read as what was printed, whatever people and teams are called", () => {
  always({ numRuns: runs(2000) }, codes, (code) => {
    expect(readAllowanceCode(formatAllowanceCode(code))).toEqual(code);
    expect(readAllowanceCode(formatAllowanceCode({ ...code, digits: "" }))).toEqual({ ...code, digits: "" });
  });
});

test("a code is one word of a shell, of a list and of a text, and nothing in it has to be made safe", () => {
  always({ numRuns: runs(2000) }, codes, (code) => {
    const word = formatAllowanceCode(code);
    expect(word).toMatch(/^[\p{L}\p{N}\p{M}._+=:%@/#-]+$/u);
    expect(safe(word)).toBe(word);
    expect(printedWords(`say \`--allow ${word}\`.`).map((one) => one.word)).toEqual([word]);
  });
});
