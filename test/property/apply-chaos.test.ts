import fc from "fast-check";
import { expect, test } from "vitest";
import { chaosDraws } from "../support/chaos-draw.ts";
import { story } from "../support/chaos-story.ts";
import { isDeep } from "../support/property-runs.ts";

test("whatever befalls the applies of a company, nobody is created or mailed twice, and calm ones reach its roster", async () => {
  await fc.assert(
    fc.asyncProperty(chaosDraws, async (draw) => {
      expect(await story(draw)).toEqual([]);
    }),
    { seed: 7, numRuns: isDeep ? 10 : 4, endOnFailure: true },
  );
});
