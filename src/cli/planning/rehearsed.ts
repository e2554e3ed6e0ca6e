import type { Rehearsal } from "../../model/plan.ts";
import type { Host } from "../host.ts";
import { readProgress } from "../onlooking/onlooker.ts";
import type { CommandResult } from "../output/conclude.ts";
import type { CommandError } from "../stop.ts";
import type { Planned } from "./pipeline.ts";
import { rehearsePlan } from "./plan-rehearsal.ts";
import type { RehearsalOptions } from "./rehearsal-flags.ts";
import type { PlanSession } from "./with-plan.ts";

/** What a rehearsal takes beside the plan. */
export type RehearsalSession = RehearsalOptions &
  Pick<
    PlanSession,
    "loaded" | "policy" | "settings" | "halting" | "onlooker" | "readTimes" | "host" | "everyone" | "keyInUse"
  >;

/** Milliseconds of a call where nobody says how long one takes: the same input makes the same text. */
const defaultLatency = 100;

/**
 * What was concluded of a plan, with what a rehearsal of it came to, where one is wanted: refused where it ran into trouble. A
 * plan that is refused already is not rehearsed.
 */
export async function rehearseIfWanted(
  so: CommandResult,
  planned: Planned,
  means: RehearsalSession,
): Promise<CommandResult> {
  const { settings, halting, onlooker, readTimes, host } = means;
  if (so.stop !== undefined || planned.refusal !== undefined) return so;
  if (!means.rehearse && !settings.rehearse) return so;
  const { latency = defaultLatency } = means;
  const { parallelism } = settings;
  const ports = { parallelism, progress: readProgress(onlooker), signal: halting.signal };
  const rehearsal = await rehearsePlan(planned, { ...means, ...ports, latency, clock: host.clock });
  if (rehearsal === undefined) {
    const stop = halting.outOfTime();
    return stop === undefined ? so : { ...so, stop };
  }
  if (means.latency === undefined) reportMeasuredLatency(readTimes, host);
  const told = { ...so, rehearsal };
  return rehearsal.converges ? told : { ...told, stop: rehearsalFailed(rehearsal) };
}

/** Told beside the results, since it differs from run to run. */
function reportMeasuredLatency(readTimes: readonly number[], host: Host): void {
  const sorted = [...readTimes].sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)];
  if (median === undefined) return;
  const measured = Math.max(1, Math.round(median));
  host.stderr.write(
    `The reads of this run took ${measured} ms each (median): --latency ${measured}ms says how long an apply takes at that.\n`,
  );
}

function rehearsalFailed({ troubles }: Rehearsal): CommandError {
  const many = troubles.length === 1 ? "1 trouble" : `${troubles.length} troubles`;
  return {
    reason: "refused",
    problem: {
      code: "rehearsal-failed",
      message: `a rehearsal of this plan ran into ${many}: an apply would not bring about what it shows`,
      hint: "nothing was sent; correct what the rehearsal tells, or go without one (no --rehearse and no --latency, and ROSTER_REHEARSE=0) where it cannot be right about this service",
    },
  };
}
