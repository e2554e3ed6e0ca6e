import { expect, test } from "vitest";
import { selectTargets } from "../../../src/fleet/select-targets.ts";
import { fleetTarget } from "../../support/fleet-target.ts";

const targets = [
  fleetTarget("acme", { tier: "gold", region: "eu" }),
  fleetTarget("bolt", { tier: "gold" }),
  fleetTarget("core", { tier: "tin" }),
];

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
  [["tier=gold"], ["acme", "bolt"]],
  [
    ["region=eu", "core"],
    ["acme", "core"],
  ],
])("%j selects %j", (selectors, names) => {
  expect(selected(...selectors)).toEqual(names);
});

test.each([
  ["acmee", { selector: "acmee", near: "acme" }],
  ["tier=golt", { selector: "tier=golt", near: "tier=gold" }],
  ["zzzzzz", { selector: "zzzzzz" }],
  ["constructor=x", { selector: "constructor=x" }],
])("a selector that matches nothing is refused: %s", (selector, error) => {
  expect(selected("acme", selector)).toEqual(error);
});
