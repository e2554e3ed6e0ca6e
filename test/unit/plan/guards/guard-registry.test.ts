import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { holdNames, stopNames } from "../../../../src/codes/guards.ts";
import { allowableCodes } from "../../../../src/model/allowance.ts";

test("every guard has a file of its own, and can be allowed, but for those that protect keys and people whatever is said", async () => {
  for (const name of [...holdNames, ...stopNames]) {
    await readFile(`src/plan/guards/${name}.ts`, "utf8");
    expect([name, allowableCodes.some((code) => code === name)]).toEqual([
      name,
      !/^(?:own-key|protected)$/u.test(name),
    ]);
  }
});

test("the page about guards has an entry for every guard, and for no other", async () => {
  const text = await readFile("docs/guards.md", "utf8");
  const rows = [...text.matchAll(/^- `([a-z-]+)` \((hold|stop),/gmu)].map(([, name, kind]) => [name, kind]);
  const guards = [...holdNames.map((name) => [name, "hold"]), ...stopNames.map((name) => [name, "stop"])];
  expect(rows.sort()).toEqual(guards.sort());
});
