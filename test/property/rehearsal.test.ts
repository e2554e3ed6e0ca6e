import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import type { Planned } from "../../src/cli/pipeline.ts";
import { rehearsePlan } from "../../src/cli/plan-rehearsal.ts";
import type { Rehearsal } from "../../src/model/rehearsal.ts";
import type { Snapshot } from "../../src/model/snapshot.ts";
import type { PlanInput } from "../../src/plan/make-plan.ts";
import { noon } from "../support/event-builders.ts";
import { clockAt } from "../support/fixed-ports.ts";
import { aPlanInput, aPolicy, planned } from "../support/plan-inputs.ts";
import { runs } from "../support/property-runs.ts";
import { crowdedSituations, rosterOf, situations, worldOf } from "../support/random-situations.ts";
import { snapshotOf } from "../support/simulated-snapshot.ts";
import type { Hidden } from "../support/visibility.ts";

// Slow machines may take their time; the number of runs is what is bounded.
vi.setConfig({ testTimeout: 60_000 });

const hiddenThings: readonly (readonly Hidden[])[] = [[], [], ["keys"], ["roles"], ["teams"], ["keys", "roles"]];

const drawn = fc.record({
  situation: fc.oneof(situations, crowdedSituations),
  hides: fc.constantFrom(...hiddenThings),
  assumeAbsent: fc.constantFrom<"all" | readonly string[]>("all", [], ["team 0", "team 2"]),
});

async function rehearsed({ roster, policy, state }: PlanInput, snapshot: Snapshot): Promise<Rehearsal | undefined> {
  const plan = planned({ roster, policy, state, snapshot });
  const { service, readAt, everyone, capabilities, readings } = snapshot;
  const reading = { service, readAt, everyone, capabilities, readings };
  const made: Planned = { plan, snapshot, state, settled: [], reading };
  const ports = { clock: clockAt(noon), progress: { report: () => {} }, signal: new AbortController().signal };
  return rehearsePlan(made, {
    loaded: { roster },
    policy,
    everyone: "always",
    ...ports,
    parallelism: 10,
    latency: 100,
  });
}

describe("a plan of any roster for any service", () => {
  test("is rehearsed without trouble, whatever the service hides", async () => {
    await fc.assert(
      fc.asyncProperty(drawn, async ({ situation, hides, assumeAbsent }) => {
        const roster = rosterOf(situation);
        const snapshot = snapshotOf(worldOf(situation), { roster, hides });
        const policy = aPolicy({ assumeAbsentTeams: assumeAbsent });
        const rehearsal = await rehearsed(aPlanInput({ roster, policy, snapshot }), snapshot);
        expect(rehearsal?.troubles).toEqual([]);
      }),
      { seed: 20261120, numRuns: runs(120) },
    );
  });
});
