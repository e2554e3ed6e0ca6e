import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runs } from "../support/property-runs.ts";
import { crowdedSituations, rosterOf, situations, worldOf } from "../support/random-situations.ts";
import { rehearsed } from "../support/rehearsing.ts";
import { snapshotOf } from "../support/simulated-snapshot.ts";
import type { Hidden } from "../support/visibility.ts";

// Slow machines may take their time; the number of runs is what is bounded.
const hiddenThings: readonly (readonly Hidden[])[] = [[], [], ["keys"], ["roles"], ["teams"], ["keys", "roles"]];

const drawn = fc.record({
  situation: fc.oneof(situations, crowdedSituations),
  hides: fc.constantFrom(...hiddenThings),
  allows: fc.constantFrom<readonly string[]>(["absent:teams"], [], ["absent:team:team%200", "absent:team:team%202"]),
});

describe("a plan of any roster for any service", () => {
  test("is rehearsed without trouble, whatever the service hides", async () => {
    await fc.assert(
      fc.asyncProperty(drawn, async ({ situation, hides, allows }) => {
        const roster = rosterOf(situation);
        const snapshot = snapshotOf(worldOf(situation), { roster, hides });
        const { rehearsal } = await rehearsed({ roster, allows, snapshot });
        expect(rehearsal?.troubles).toEqual([]);
      }),
      { seed: 20261120, numRuns: runs(120) },
    );
  });
});
