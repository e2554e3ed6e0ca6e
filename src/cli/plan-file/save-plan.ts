import { encodePlanFile } from "../../codec/plan-file.ts";
import type { Host } from "../host.ts";
import type { CommandResult } from "../output/conclude.ts";
import type { Planned } from "../planning/pipeline.ts";
import type { PlanSources } from "../planning/with-plan.ts";
import { makePlanFile } from "./make-plan-file.ts";
import { writeOut } from "./out-file.ts";
import type { Out } from "./out-flags.ts";
import { planFileFormat } from "./plan-file-format.ts";

/** Saves a plan to be applied later. One that guards refuse is shown alone: what stands in the file stays as it was. */
export async function savePlan(
  so: CommandResult,
  planned: Planned,
  { out, host, ...ground }: PlanSources & { readonly out: Out; readonly host: Host },
): Promise<CommandResult> {
  if (so.stop !== undefined) return so;
  const file = makePlanFile(planned, ground, { host, lasts: out.lasts });
  const written = await writeOut(out.path, encodePlanFile(file, planFileFormat), host);
  if (!written.ok) return { ...so, stop: written.error };
  return { ...so, planFile: { path: out.path, file, is: "written" } };
}
