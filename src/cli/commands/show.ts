import { readShownPlan } from "../../library/saved-plan.ts";
import { type OutputFlags, refuseUnusedView } from "../flags.ts";
import { readSavedText, reportOfPlanFile } from "../plan-file.ts";
import type { Command } from "../run-command.ts";

export async function show({ host, tell }: Command, path: string, flags: OutputFlags): Promise<void> {
  tell({ view: flags.view });
  refuseUnusedView(flags);
  const { plan, saved } = await readShownPlan(await readSavedText(path, host));
  tell({ plan });
  if (saved === undefined) return;
  const is = host.clock.now() < Date.parse(saved.expiresAt) ? "shown" : "shown-expired";
  tell(reportOfPlanFile(path, saved, is));
}
