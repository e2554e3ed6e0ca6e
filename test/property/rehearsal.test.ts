import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import type { Planned, PlanQuestion } from "../../src/cli/pipeline.ts";
import { rehearsePlan } from "../../src/cli/plan-rehearsal.ts";
import type { Rehearsal } from "../../src/model/rehearsal.ts";
import type { Snapshot } from "../../src/model/snapshot.ts";
import { noon } from "../support/event-builders.ts";
import { clockAt } from "../support/fixed-ports.ts";
import { aPolicy, aState, planned } from "../support/plan-inputs.ts";
import { runs } from "../support/property-runs.ts";
import { crowdedSituations, rosterOf, situations, worldOf } from "../support/random-situations.ts";
import { simulatedService } from "../support/simulated-service.ts";
import { snapshotOf } from "../support/simulated-snapshot.ts";
import { aWorld } from "../support/simulated-world.ts";
import type { Hidden } from "../support/visibility.ts";

// Slow machines may take their time; the number of runs is what is bounded.
vi.setConfig({ testTimeout: 60_000 });

const hiddenThings: readonly (readonly Hidden[])[] = [[], [], ["keys"], ["roles"], ["teams"], ["keys", "roles"]];

const drawn = fc.record({
  situation: fc.oneof(situations, crowdedSituations),
  hides: fc.constantFrom(...hiddenThings),
  assumeAbsent: fc.constantFrom<"all" | readonly string[]>("all", [], ["team 0", "team 2"]),
});

async function rehearsed(question: PlanQuestion, snapshot: Snapshot): Promise<Rehearsal | undefined> {
  const { roster, policy, state } = question;
  const plan = planned({ roster, policy, state, snapshot });
  const { service, readAt, everyone, capabilities, readings } = snapshot;
  const made: Planned = {
    plan,
    snapshot,
    state,
    settled: [],
    reading: { service, readAt, everyone, capabilities, readings },
  };
  const ports = { clock: clockAt(noon), progress: { report: () => {} }, parallelism: 10, latency: 100 };
  const nobody = simulatedService({ world: aWorld() });
  return rehearsePlan(made, question, { ...ports, service: nobody, signal: new AbortController().signal });
}

describe("a plan of any roster for any service", () => {
  test("is rehearsed without trouble, whatever the service hides", async () => {
    await fc.assert(
      fc.asyncProperty(drawn, async ({ situation, hides, assumeAbsent }) => {
        const roster = rosterOf(situation);
        const snapshot = snapshotOf(worldOf(situation), { roster, hides });
        const policy = aPolicy({ assumeAbsentTeams: assumeAbsent });
        const rehearsal = await rehearsed({ roster, policy, state: aState(), everyone: "always" }, snapshot);
        expect(rehearsal?.troubles).toEqual([]);
      }),
      { seed: 20261120, numRuns: runs(300) },
    );
  });
});
