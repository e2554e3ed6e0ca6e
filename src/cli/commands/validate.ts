import type { Host } from "../host.ts";
import { loadRoster } from "../open.ts";
import type { OutputFlags } from "../output/output-flags.ts";
import { type FinishedCommand, runCommand } from "../run-command.ts";
import { readSettings, type SettingFlags } from "../settings/settings.ts";

export interface ValidateFlags extends SettingFlags, OutputFlags {}

/** Reads the roster and says whether it is one. Needs no service, no key and no log. */
export function validate(paths: readonly string[], flags: ValidateFlags, host: Host): Promise<FinishedCommand> {
  return runCommand("validate", flags, host, async (command) => {
    const { counts, warnings } = await loadRoster(paths, await readSettings(flags, host), host, "not-asked");
    command.tell({ roster: counts, diagnostics: warnings });
  });
}
