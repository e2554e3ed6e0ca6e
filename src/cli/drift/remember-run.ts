import { computeDrift } from "../../plan/drift/drift-of.ts";
import type { Conclusion } from "../output/conclude.ts";
import type { Planned } from "../planning/pipeline.ts";
import type { ApplyWork } from "../running/apply-under-lock.ts";
import { sha256 } from "../system.ts";
import { doneBy } from "./done-by.ts";
import { recordLook } from "./record-look.ts";

/** Remembers what an apply has seen to differ and has left so, so that a drift tells since when. */
export async function rememberRun(ended: Conclusion, work: ApplyWork, planned: Planned): Promise<Conclusion> {
  if (ended.stop !== undefined) return ended;
  const { plan, snapshot, state } = planned;
  const { session, policy, loaded, host } = work;
  const about = { roster: loaded.roster, privilegedRoles: policy.privilegedRoles, digest: sha256 };
  const drift = computeDrift({ plan, snapshot, state, ...about });
  const done = await recordLook(session, { planned, drift, policy, settled: doneBy(ended.run, drift) }, host);
  return typeof done === "string" ? ended : { ...ended, stop: done };
}
