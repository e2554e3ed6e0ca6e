import type { Host } from "../host.ts";
import { finish } from "../output/finish.ts";
import type { OutputFlags } from "../output/output-flags.ts";
import { loadRoster } from "../planning/roster-files.ts";
import { readSettings, type SettingFlags } from "../settings/settings.ts";

export interface ValidateFlags extends SettingFlags, OutputFlags {}

/** Reads the roster and says whether it is one. Needs no service, no key and no state. */
export async function validate(paths: readonly string[], flags: ValidateFlags, host: Host): Promise<number> {
  const base = { command: "validate", tells: "success-only", diagnostics: [] } as const;
  const settings = await readSettings(flags, host);
  if (!settings.ok) return finish({ ...base, stop: settings.error }, flags, host);
  const loaded = await loadRoster(paths, settings.value, host, "not-asked");
  if (!loaded.ok) return finish({ ...base, stop: loaded.error }, flags, host);
  const { counts, warnings } = loaded.value;
  return finish({ ...base, roster: counts, diagnostics: warnings }, flags, host);
}
