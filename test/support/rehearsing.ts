import { type Planned, type RehearsalSetup, rehearsePlan } from "../../src/library/planning/planning.ts";
import type { Plan, Rehearsal } from "../../src/model/plan.ts";
import { noon } from "./event-builders.ts";
import { clockAt } from "./fixed-ports.ts";
import { aPlanInput, planned } from "./plan-inputs.ts";

type RehearsalInput = Partial<Parameters<typeof aPlanInput>[0]> & Partial<RehearsalSetup>;

/** Rehearses the plan of a roster and a snapshot, with each call taking 100 ms. */
export async function rehearsed(
  wish: RehearsalInput,
): Promise<{ readonly plan: Plan; readonly rehearsal: Rehearsal | undefined }> {
  const { roster, policy, state, snapshot, keyInUse } = aPlanInput(wish);
  const { allows: _, ...others } = wish;
  const given = { ...others, policy };
  const plan = planned({ roster, policy, state, snapshot, keyInUse });
  const { service, readAt, everyone, capabilities, readings } = snapshot;
  const reading = { service, readAt, everyone, capabilities, readings };
  const made: Planned = { plan, snapshot, state, settled: [], reading };
  const rehearsal = await rehearsePlan(made, {
    loaded: { roster },
    everyone: "always",
    keyInUse,
    clock: clockAt(noon),
    progress: { report: () => {} },
    signal: new AbortController().signal,
    parallelism: 10,
    latency: 100,
    ...given,
  });
  return { plan, rehearsal };
}
