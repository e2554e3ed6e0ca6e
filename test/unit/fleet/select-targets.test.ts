import { expect, test } from "vitest";
import { targetQueue } from "../../../src/fleet/select-targets.ts";
import { fleetTarget } from "../../support/fleet-target.ts";

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
