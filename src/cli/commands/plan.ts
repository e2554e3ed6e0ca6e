import type { Policy } from "../../model/policy.ts";
import type { Host } from "../host.ts";
import { type CommandResult, finish } from "../output/finish.ts";
import { refuseUnusedView, shownAs } from "../output/output-flags.ts";
import { type OutFlags, readOut } from "../plan-file/out-file.ts";
import type { Planned } from "../planning/pipeline.ts";
import { selectedPart } from "../planning/policy-flags.ts";
import { type RehearsalFlags, readRehearsal, rehearseIfWanted } from "../planning/rehearsal.ts";
import { withPlan } from "../planning/with-plan.ts";
import type { PlanningFlags } from "../session.ts";
import { readSnapshotFlags, type SnapshotFlags } from "../snapshot-file/snapshot-flags.ts";

export interface PlanFlags extends PlanningFlags, OutFlags, SnapshotFlags, RehearsalFlags {
  readonly detailedExitcode?: boolean;
}

/** Shows what `apply` would do, and saves it where a file is named. Takes no lock and writes nothing else. */
export async function plan(paths: readonly string[], flags: PlanFlags, host: Host): Promise<number> {
  const tells = flags.detailedExitcode === true ? "what-remains" : "success-only";
  const begun = { command: "plan", tells, diagnostics: [] } as const;
  const unseen = refuseUnusedView(flags, { asks: "nobody" });
  if (unseen !== undefined) return finish({ ...begun, stop: unseen }, flags, host);
  const snapshot = readSnapshotFlags(flags, host);
  if (!snapshot.ok) return finish({ ...begun, stop: snapshot.error }, flags, host);
  const wished = readRehearsal(flags);
  if (!wished.ok) return finish({ ...begun, stop: wished.error }, flags, host);
  const saving = await readOut(flags, host);
  if (!saving.ok) return finish({ ...begun, stop: saving.error }, flags, host);
  const out = saving.value;
  const concluded = await withPlan(
    begun,
    { paths, flags, host, snapshot: snapshot.value },
    async (so, planned, ground) => {
      ground.onlooker.planned(planned.plan);
      const told = await rehearseIfWanted(planResult(so, planned, ground.policy, flags), planned, {
        ...ground,
        ...wished.value,
      });
      if (out === undefined) return told;
      const { savePlan } = await import("../plan-file/save-plan.ts");
      return savePlan(told, planned, { ...ground, out, host });
    },
  );
  return finish(concluded, flags, host);
}

/** The plan as it is told, with what was read for it. */
function planResult(
  so: CommandResult,
  { plan: made, reading, refusal }: Planned,
  policy: Policy,
  flags: PlanFlags,
): CommandResult {
  return {
    ...so,
    plan: made,
    reading,
    ...shownAs(flags, policy),
    ...selectedPart(policy),
    ...(refusal === undefined ? {} : { stop: refusal }),
  };
}
