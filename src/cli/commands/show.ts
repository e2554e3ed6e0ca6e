import { sha256 } from "../../model/json.ts";
import { type OutputFlags, refuseUnusedView } from "../flags.ts";
import type { Host } from "../host.ts";
import { readSavedPlan, readSavedText, summaryOf } from "../plan-file.ts";
import { type FinishedCommand, runCommand } from "../run-command.ts";

export function show(path: string, flags: OutputFlags, host: Host): Promise<FinishedCommand> {
  return runCommand("show", flags, host, async (command) => {
    command.tell({ view: flags.view });
    refuseUnusedView(flags);
    const saved = await readSavedText(path, host);
    const { plan, file } = await readSavedPlan(saved);
    command.tell({ plan });
    if (file === undefined) return;
    const is = host.clock.now() < Date.parse(file.expiresAt) ? "shown" : "shown-expired";
    command.tell({ ...summaryOf(file), planFile: { path, file, digest: sha256(saved.text), is } });
  });
}
