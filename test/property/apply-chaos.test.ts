import { expect, test } from "vitest";
import { alwaysAsync } from "../support/always.ts";
import { chaosDraws } from "../support/chaos-draw.ts";
import { story } from "../support/chaos-story.ts";
import { isDeep } from "../support/property-runs.ts";

test("whatever befalls the applies of a company, nobody is created or mailed twice, and calm ones reach its roster", async () => {
  await alwaysAsync({ seed: 7, numRuns: isDeep ? 10 : 4, endOnFailure: true }, chaosDraws, async (draw) => {
    expect(await story(draw)).toEqual([]);
  });
});
