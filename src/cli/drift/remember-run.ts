import { computeDrift } from "../../plan/drift/drift.ts";
import type { CommandResult } from "../output/conclude.ts";
import type { Planned } from "../planning/pipeline.ts";
import type { ApplySession } from "../running/apply-under-lock.ts";
import { sha256 } from "../system.ts";
import { fixedByRun } from "./done-by.ts";
import { recordSightings } from "./record-look.ts";

/** Remembers what an apply has seen to differ and has left so, so that a drift tells since when. */
export async function recordDriftAfterRun(
  ended: CommandResult,
  work: ApplySession,
  planned: Planned,
): Promise<CommandResult> {
  if (ended.stop !== undefined) return ended;
  const { plan, snapshot, state } = planned;
  const { session, policy, loaded, host } = work;
  const about = { roster: loaded.roster, privilegedRoles: policy.privilegedRoles, digest: sha256 };
  const drift = computeDrift({ plan, snapshot, state, ...about });
  const done = await recordSightings(session, { planned, drift, policy, settled: fixedByRun(ended.run, drift) }, host);
  return typeof done === "string" ? ended : { ...ended, stop: done };
}
