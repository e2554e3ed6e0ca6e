import type { Flags } from "../flags.ts";
import type { Host } from "../host.ts";
import { loadRoster } from "../open.ts";
import { type FinishedCommand, runCommand } from "../run-command.ts";
import { readSettings } from "../settings/settings.ts";

/** Reads the roster and says whether it is one. Needs no service, no key and no log. */
export function validate(paths: readonly string[], flags: Flags, host: Host): Promise<FinishedCommand> {
  return runCommand("validate", flags, host, async (command) => {
    const { counts, warnings } = await loadRoster(paths, await readSettings(flags, host), host, "not-asked");
    command.tell({ roster: counts, diagnostics: warnings });
  });
}
