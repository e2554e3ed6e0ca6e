import type { Policy } from "../../model/policy.ts";
import type { Host } from "../host.ts";
import { type Conclusion, conclude } from "../output/conclude.ts";
import { shownAs, unseenView } from "../output/view-flag.ts";
import { type OutFlags, readOut } from "../plan-file/out-flags.ts";
import type { Planned } from "../planning/pipeline.ts";
import type { PlanningFlags } from "../planning/prepare.ts";
import { type RehearsalFlags, readRehearsal } from "../planning/rehearsal-flags.ts";
import { rehearsed } from "../planning/rehearsed.ts";
import { selectedPart } from "../planning/selectors.ts";
import { withPlan } from "../planning/with-plan.ts";
import { readSnapshotFlags, type SnapshotFlags } from "../snapshot-file/snapshot-flags.ts";

export interface PlanFlags extends PlanningFlags, OutFlags, SnapshotFlags, RehearsalFlags {
  readonly detailedExitcode?: boolean;
}

/** Shows what `apply` would do, and saves it where a file is named. Takes no lock and writes nothing else. */
export async function plan(paths: readonly string[], flags: PlanFlags, host: Host): Promise<number> {
  const tells = flags.detailedExitcode === true ? "what-remains" : "success-only";
  const begun = { command: "plan", tells, diagnostics: [] } as const;
  const unseen = unseenView(flags, { asks: "nobody" });
  if (unseen !== undefined) return conclude({ ...begun, stop: unseen }, flags, host);
  const snapshot = readSnapshotFlags(flags, host);
  if (!snapshot.ok) return conclude({ ...begun, stop: snapshot.error }, flags, host);
  const wished = readRehearsal(flags);
  if (!wished.ok) return conclude({ ...begun, stop: wished.error }, flags, host);
  const saving = await readOut(flags, host);
  if (!saving.ok) return conclude({ ...begun, stop: saving.error }, flags, host);
  const out = saving.value;
  const concluded = await withPlan(
    begun,
    { paths, flags, host, snapshot: snapshot.value },
    async (so, planned, ground) => {
      ground.onlooker.planned(planned.plan);
      const told = await rehearsed(toldPlan(so, planned, ground.policy, flags), planned, {
        ...ground,
        ...wished.value,
      });
      if (out === undefined) return told;
      const { savePlan } = await import("../plan-file/save-plan.ts");
      return savePlan(told, planned, { ...ground, out, host });
    },
  );
  return conclude(concluded, flags, host);
}

/** The plan as it is told, with what was read for it. */
function toldPlan(
  so: Conclusion,
  { plan: made, reading, refusal }: Planned,
  policy: Policy,
  flags: PlanFlags,
): Conclusion {
  return {
    ...so,
    plan: made,
    reading,
    ...shownAs(flags, policy),
    ...selectedPart(policy),
    ...(refusal === undefined ? {} : { stop: refusal }),
  };
}
