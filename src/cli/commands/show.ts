import { sha256 } from "../../model/json.ts";
import { type OutputFlags, refuseUnusedView } from "../flags.ts";
import { readSavedPlan, readSavedText, summaryOf } from "../plan-file.ts";
import type { Command } from "../run-command.ts";

export async function show({ host, tell }: Command, path: string, flags: OutputFlags): Promise<void> {
  tell({ view: flags.view });
  refuseUnusedView(flags);
  const saved = await readSavedText(path, host);
  const { plan, file } = await readSavedPlan(saved);
  tell({ plan });
  if (file === undefined) return;
  const is = host.clock.now() < Date.parse(file.expiresAt) ? "shown" : "shown-expired";
  tell({ ...summaryOf(file), planFile: { path, file, digest: sha256(saved.text), is } });
}
