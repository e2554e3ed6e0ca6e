import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  formatMatrix,
  readShard,
  selectTargets,
  shardTargets,
  targetQueue,
} from "../../../src/fleet/select-targets.ts";
import { sha256 } from "../../../src/model/sha256.ts";

import { fleetTarget } from "../../support/fleet-target.ts";

const targets = [fleetTarget("acme"), fleetTarget("bolt"), fleetTarget("core")];

const selected = (...selectors: readonly string[]) => {
  const found = selectTargets(targets, selectors);
  return found.ok ? found.value.map(({ name }) => name) : found.error;
};

test.each([
  [[], ["acme", "bolt", "core"]],
  [
    ["core", "acme"],
    ["acme", "core"],
  ],
])("%j selects %j", (selectors, names) => {
  expect(selected(...selectors)).toEqual(names);
});

test.each([
  ["acmee", { selector: "acmee", near: "acme" }],
  ["zzzzzz", { selector: "zzzzzz" }],
  ["constructor=x", { selector: "constructor=x" }],
])("a selector that matches nothing is refused: %s", (selector, error) => {
  expect(selected("acme", selector)).toEqual(error);
});

const at = (name: string, endpoint: string) => ({ ...fleetTarget(name), endpoint });

test("the next target is of the origin of which the fewest run, the first in the fleet first", () => {
  const queue = targetQueue([
    at("a1", "https://a.example/x"),
    at("a2", "https://a.example/y"),
    at("a3", "https://A.example"),
    at("b1", "https://b.example"),
    at("b2", "https://b.example"),
    at("none", "not an address"),
  ]);
  const taken = [queue.take(), queue.take(), queue.take(), queue.take()];
  expect(taken.map((target) => target?.name)).toEqual(["a1", "b1", "none", "a2"]);
  for (const target of taken.slice(1, 2)) if (target !== undefined) queue.end(target);
  expect([queue.take(), queue.take(), queue.take()].map((target) => target?.name)).toEqual(["b2", "a3", undefined]);
});

const digests = new Map<string, string>();
/** The same texts are asked for again and again. */
function digest(text: string): string {
  const known = digests.get(text) ?? sha256(text);
  digests.set(text, known);
  return known;
}

const named = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `target-${index}` }));
const shards = (targets: readonly { readonly name: string }[], of: number) =>
  Array.from({ length: of }, (_, index) => shardTargets(targets, { number: index + 1, of }, digest));

describe("shards", () => {
  test("have each target once, in the order of the fleet, and differ by one at most", () => {
    fc.assert(
      fc.property(fc.nat({ max: 60 }), fc.integer({ min: 1, max: 9 }), (count, of) => {
        const targets = named(count);
        const parts = shards(targets, of);
        expect(
          parts
            .flat()
            .map(({ name }) => name)
            .sort(),
        ).toEqual(targets.map(({ name }) => name).sort());
        const sizes = parts.map(({ length }) => length);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
        for (const part of parts) expect(targets.filter((target) => part.includes(target))).toEqual(part);
      }),
      { numRuns: 100 },
    );
  });

  test.each([4, 10])("a new target moves few others: of %i shards", (of) => {
    const shardOf = (targets: readonly { readonly name: string }[]) =>
      new Map(shards(targets, of).flatMap((part, index) => part.map(({ name }) => [name, index] as const)));
    const moved = Array.from({ length: 20 }, (_, index) => {
      const [before, after] = [shardOf(named(400 + index)), shardOf(named(401 + index))];
      return [...before].filter(([name, shard]) => after.get(name) !== shard).length;
    });
    expect(Math.max(...moved)).toBeLessThan(of);
  });
});

test.each([
  ["2/4", undefined, { number: 2, of: 4 }],
  ["auto/4", "0", { number: 1, of: 4 }],
  ["auto/4", "3", { number: 4, of: 4 }],
  ["auto/4", "4", undefined],
  ["auto/4", undefined, undefined],
  ["auto/4", "x", undefined],
  ["0/4", "1", undefined],
  ["5/4", undefined, undefined],
  ["2", undefined, undefined],
  ["2/4/8", undefined, undefined],
])("%s with JOB_COMPLETION_INDEX=%s", (said, index, shard) => {
  expect(readShard(said, index)).toEqual(shard);
});

describe("a matrix", () => {
  test("has a job for each target", () => {
    expect(formatMatrix("github", [{ name: "a", key: "ROSTER_KEY_A" }, { name: "b.c" }], sha256)).toBe(
      '{"include":[{"name":"a","flags":"--only a","key":"ROSTER_KEY_A"},{"name":"b.c","flags":"--only b.c"}]}\n',
    );
    expect(formatMatrix("gitlab", [{ name: "a", key: "ROSTER_KEY_A" }], sha256)).toBe(
      'fleet:\n  extends: .fleet\n  parallel:\n    matrix:\n      - FLEET_JOB: "a"\n        FLEET_FLAGS: "--only a"\n',
    );
    expect(formatMatrix("github", [], sha256)).toBe('{"include":[]}\n');
    expect(formatMatrix("gitlab", [], sha256)).toBe('no-target:\n  script: ["true"]\n');
  });

  test("has as many jobs as the system takes, each with several targets, where there are more", () => {
    const targets = named(1000).map(({ name }) => ({ name, key: "ROSTER_KEY" }));
    const names = targets.map(({ name }) => name);
    const { include } = JSON.parse(formatMatrix("github", targets, sha256));
    expect(Object.keys(include[0])).toEqual(["name", "flags"]);
    expect(include.length).toBe(256);
    const all = include.flatMap(({ flags }: { readonly flags: string }) =>
      flags.split(" ").filter((word) => word !== "--only"),
    );
    expect([...all].sort()).toEqual([...names].sort());
  });
});
