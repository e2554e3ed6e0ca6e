import fc from "fast-check";
import { expect, test } from "vitest";
import { foldAddress } from "../../src/model/address.ts";
import { type Exception, formatAllowance, guardNames, readAllowance } from "../../src/model/policy.ts";
import { foldName } from "../../src/model/team.ts";
import { safe } from "../../src/report/safe.ts";
import { codePoint } from "../support/code-point.ts";
import { printedWords } from "../support/drawn/printed-words.ts";
import { runs } from "../support/property-runs.ts";

const hostile = fc.oneof(
  fc.string({ unit: codePoint, minLength: 1 }),
  fc.string({ minLength: 1 }),
  fc.constantFrom(
    "Data Science",
    "R&D/Ops",
    "ops@0011aabb",
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
  .map(([local, domain]) => foldAddress(`${local}@${domain}`))
  .filter((address) => !/^@|@$/u.test(address));
const hex = (length: number) =>
  fc.array(fc.constantFrom(..."0123456789abcdef"), { minLength: length, maxLength: length }).map((all) => all.join(""));

const exceptions: fc.Arbitrary<Exception> = fc.oneof(
  fc.constantFrom(...guardNames).map((guard) => ({ is: "guard", guard }) as const),
  fc.record({ is: fc.constantFrom("recreate", "release", "retry-user"), address: addresses }),
  fc.record({ is: fc.constant("absent-team"), team: names }),
  fc.record({ is: fc.constant("retry-key"), prefix: hostile }),
  fc.record({ is: fc.constant("absent-creation"), team: names, call: hex(8) }),
  fc.record({ is: fc.constant("absent-member"), team: names, address: addresses }),
  fc.constantFrom({ is: "absent-teams" } as const, { is: "absent-members" } as const),
);

test("an allowance is read as what was printed, whatever people and teams are called", () => {
  fc.assert(
    fc.property(fc.record({ exception: exceptions, plan: hex(16) }), (allowance) => {
      expect(readAllowance(formatAllowance(allowance))).toEqual(allowance);
    }),
    { numRuns: runs(2000) },
  );
});

test("an allowance is one word of a shell, of a list and of a text, and nothing in it has to be made safe", () => {
  fc.assert(
    fc.property(fc.record({ exception: exceptions, plan: hex(16) }), (allowance) => {
      const word = formatAllowance(allowance);
      expect(word).toMatch(/^[\p{L}\p{N}\p{M}._+=:%@/-]+$/u);
      expect(safe(word)).toBe(word);
      expect(printedWords(`say \`--allow ${word}\`.`).map((one) => one.word)).toEqual([word]);
    }),
    { numRuns: runs(2000) },
  );
});
