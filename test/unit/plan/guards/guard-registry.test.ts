import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { holdNames, stopNames } from "../../../../src/codes/guards.ts";
import { allowableCodes } from "../../../../src/model/policy.ts";

test("every guard can be allowed, but for those that protect keys and people whatever is said", () => {
  const always = [...holdNames, ...stopNames].filter((name) => !allowableCodes.some((code) => code === name));
  expect(always).toEqual(["own-key", "protected"]);
});

test("the page about guards has an entry for every guard, and for no other", async () => {
  const text = await readFile("docs/guards.md", "utf8");
  const rows = [...text.matchAll(/^- `([a-z-]+)` \((hold|stop),/gmu)].map(([, name, kind]) => [name, kind]);
  const guards = [...holdNames.map((name) => [name, "hold"]), ...stopNames.map((name) => [name, "stop"])];
  expect(rows.sort()).toEqual(guards.sort());
});
