import fc from "fast-check";
import { expect, test } from "vitest";
import {
  allWays,
  arePassing,
  arePlain,
  everyWay,
  fewWays,
  type SecondWays,
  usualWays,
} from "../../support/drawn/second-ways.ts";

test("every value of every way is drawn, and few ways differ from the usual in three at most", () => {
  const lines = (ways: SecondWays) => Object.entries(ways).map(([way, value]) => `${way}: ${value}`);
  const every = everyWay.map(({ way, value }) => `${way}: ${value}`);
  const drawn = new Set(fc.sample(allWays, { numRuns: 400, seed: 1 }).flatMap(lines));
  expect(every.filter((line) => !drawn.has(line))).toEqual([]);
  const usual = new Set(lines(usualWays));
  const changed = fc
    .sample(fewWays, { numRuns: 4_000, seed: 1 })
    .map((ways) => lines(ways).filter((line) => !usual.has(line)));
  expect(new Set(changed.map(({ length }) => length))).toEqual(new Set([1, 2, 3]));
  const unusual = new Set(changed.flat());
  expect(every.filter((line) => !unusual.has(line)).toSorted()).toEqual([...usual].toSorted());
});

test("a failing draw shrinks to the ways that it needs", () => {
  const property = fc.property(allWays, (ways) => ways.listLag === 0 || ways.keyTeams !== "hidden");
  const { counterexample } = fc.check(property, { numRuns: 500, seed: 1 });
  expect(counterexample).toEqual([{ ...usualWays, listLag: 2_000, keyTeams: "hidden" }]);
});

test("ways pass as long as what they delay, refuse or fail is over in time", () => {
  expect(
    arePassing({ ...usualWays, order: "by-address", listLag: 2_000, cachedAnswer: "first-addition", throttled: "429" }),
  ).toBe(true);
  expect(arePassing({ ...usualWays, listLag: 2_000, keyTeams: "flat-name" })).toBe(false);
});

test("ways are plain as long as no value is hard", () => {
  expect(arePlain(usualWays)).toBe(true);
  expect(arePlain({ ...usualWays, searchShape: "map", order: "by-address", pageCap: "clamped-to-3" })).toBe(true);
  expect(arePlain({ ...usualWays, listLag: 2_000 })).toBe(false);
  expect(arePlain({ ...usualWays, keyTeams: "flat-name" })).toBe(false);
});
