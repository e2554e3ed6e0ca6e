import type { Flags } from "../flags.ts";
import { loadRoster } from "../open.ts";
import type { Command } from "../run-command.ts";
import { readSettings } from "../settings/settings.ts";

/** Reads the roster and says whether it is one. Needs no service, no key and no log. */
export async function validate({ host, tell }: Command, paths: readonly string[], flags: Flags): Promise<void> {
  const { counts, warnings } = await loadRoster(paths, await readSettings(flags, host), host, "not-asked");
  tell({ roster: counts, diagnostics: warnings });
}
