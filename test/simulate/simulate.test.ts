import { expect, test } from "vitest";
import { bundledSimulation } from "./bundle.ts";

/** `npm run test:simulate` plays others, and more; `npm run test:mutants` more of these. */
const companies = Number(process.env["SIMULATE_COMPANIES"] ?? 4);

test("applies that crash, meet faults and run beside another do nothing twice, lose nothing, and reach their roster", async () => {
  const { play } = await bundledSimulation();
  const breaches: string[] = [];
  const digests: string[] = [];
  const sum = { applies: 0, crashes: 0, overtaken: 0, faults: 0 };
  for (let seed = 1; seed <= companies; seed += 1) {
    const played = await play(seed);
    breaches.push(...played.breaches.map((breach) => `seed ${seed}: ${breach}`));
    digests.push(played.digest);
    for (const name of ["applies", "crashes", "overtaken", "faults"] as const) sum[name] += played[name];
  }
  expect(breaches).toEqual([]);
  expect(Math.min(sum.crashes, sum.overtaken, sum.faults)).toBeGreaterThan(0);
  const again: string[] = [];
  for (const seed of [1, 2, 3]) again.push((await play(seed)).digest);
  expect(again).toEqual(digests.slice(0, 3));
});
