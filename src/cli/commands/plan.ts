import { refuseOccupied } from "../files.ts";
import { type Flags, refuseUnusedView } from "../flags.ts";
import type { Host } from "../host.ts";
import { planFileKind, savePlan } from "../plan-file.ts";
import { drawnAccess, headOf, planWithoutLock, shownAs } from "../planning.ts";
import { type FinishedCommand, runCommand } from "../run-command.ts";

/** Shows what `apply` would do, and saves it if a file is named. Takes no lock and writes nothing else. */
export function plan(paths: readonly string[], flags: Flags, host: Host): Promise<FinishedCommand> {
  return runCommand("plan", flags, host, async (command) => {
    const { out } = flags;
    if (flags.detailedExitcode === true) command.tell({ tells: "what-remains" });
    refuseUnusedView(flags);
    // Found wrong before anything is read of the service.
    if (out !== undefined) await refuseOccupied(out, host, planFileKind);
    const made = await planWithoutLock(command, { paths, flags });
    const { plan, reading, refusal } = made.planned;
    made.observer.planned(plan);
    const access = drawnAccess(flags, made.planned);
    const head = access && (await headOf(made.log));
    command.tell({
      plan,
      reading,
      access: access && { ...access, head },
      ...shownAs(flags, made.planned.context.policy),
    });
    // A plan that guards refuse is shown alone: what stands in the file stays as it was.
    if (refusal !== undefined) throw refusal;
    if (out !== undefined) command.tell({ planFile: await savePlan(out, made, host) });
  });
}
