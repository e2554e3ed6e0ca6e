import fc from "fast-check";
import { expect, test } from "vitest";
import { type Draw, draws } from "../support/drawn/draw.ts";
import { play, tallyOf } from "../support/drawn/play.ts";

const seed = Number(process.env["CHAOS_SEED"] ?? Date.now() % 1_000_000);
const services = Number(process.env["CHAOS_SERVICES"] ?? 2000);
/** One draw to play alone, as a failure names it. */
const alone = process.env["DRAW"];
/** Each test takes its share, so that a failure names a few services and not two thousand. */
const shares = Math.ceil(services / 50);

test.skipIf(alone !== undefined).each(Array.from({ length: shares }, (_, share) => ({ share, from: seed + share })))(
  "of random services with CHAOS_SEED=$from, none sees anybody, a team or a mail twice, and each that shows everything is reached",
  async ({ share, from }) => {
    const numRuns = Math.min(50, services - share * 50);
    const { failure, ...tally } = await tallyOf(fc.sample(draws, { seed: from, numRuns }));
    console.info(`CHAOS_SEED=${from}: ${JSON.stringify(tally)}`);
    expect(failure ?? "nothing").toBe("nothing");
  },
);

test.runIf(alone !== undefined)("one draw, alone", async () => {
  const { troubles } = await play(JSON.parse(alone ?? "") as Draw, (line) => console.info(line));
  expect(troubles).toEqual([]);
});
