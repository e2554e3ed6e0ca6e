import fc from "fast-check";
import { expect, test } from "vitest";
import { chaosDraws } from "../support/chaos-draw.ts";
import { story } from "../support/chaos-story.ts";

const seed = Number(process.env["CHAOS_SEED"] ?? Date.now() % 1_000_000);
const worlds = Number(process.env["CHAOS_RUNS"] ?? 1000);
/** Each test takes its share, so that a failure names a few worlds and not a thousand. */
const shares = Math.ceil(worlds / 50);

test.each(Array.from({ length: shares }, (_, share) => ({ share, from: seed + share })))(
  "of random worlds with CHAOS_SEED=$from, none sees anybody twice, and each comes to its roster",
  async ({ share, from }) => {
    await fc.assert(
      fc.asyncProperty(chaosDraws, async (draw) => {
        expect(await story(draw)).toEqual([]);
      }),
      { seed: from, numRuns: Math.min(50, worlds - share * 50), endOnFailure: true },
    );
  },
);
