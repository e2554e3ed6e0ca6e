import { headOf } from "../../library/log.ts";
import { refuseOccupied, writeOut } from "../files.ts";
import { type Flags, refuseUnusedView } from "../flags.ts";
import { planFileKind, reportOfPlanFile } from "../plan-file.ts";
import { accessDrawer, planWithoutLock, shownAs } from "../planning.ts";
import { type Command, planAgain } from "../run-command.ts";

/** Shows what `apply` would do, and saves it if a file is named. Takes no lock and writes nothing else. */
export async function plan(command: Command, paths: readonly string[], flags: Flags): Promise<void> {
  const { host } = command;
  const { out } = flags;
  if (flags.detailedExitcode === true) command.tell({ tells: "what-remains" });
  refuseUnusedView(flags);
  // Found wrong before anything is read of the service.
  if (out !== undefined) await refuseOccupied(out, host, planFileKind);
  const made = await planWithoutLock(command, { paths, flags });
  const { plan, reading, refusal, context } = made.planned;
  made.observer.planned(plan);
  const access = (await accessDrawer(flags))?.(made.planned);
  const head = access && made.log && (await headOf(made.log));
  command.tell({ plan, reading, access: access && { ...access, head }, ...shownAs(flags, context.policy) });
  // A plan that guards refuse is shown alone: what stands in the file stays as it was.
  if (refusal !== undefined) throw refusal;
  if (out === undefined) return;
  const { planToSave } = await import("../../library/saved-plan.ts");
  const saved = planToSave(made.planned, made.loaded, host);
  await writeOut(out, saved.text, host, planFileKind);
  const apply = planAgain([out], { endpoint: flags.endpoint, state: flags.state }, host, "apply");
  command.tell({ planFile: { ...reportOfPlanFile(out, saved, "written").planFile, apply } });
}
