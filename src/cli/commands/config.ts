import { type Diagnostic, success } from "../../model/result.ts";
import type { ConfigReport } from "../../report/outcome.ts";
import { redactorFor } from "../../service/redact.ts";
import type { Host } from "../host.ts";
import { finish } from "../output/conclude.ts";
import type { OutputFlags } from "../output/output-flags.ts";
import { configFaults } from "../settings/config-faults.ts";
import { reportKey } from "../settings/config-key.ts";
import type { ConfigFlags } from "../settings/config-rows.ts";
import { type ConfigContext, reportConfig } from "../settings/config-told.ts";
import { readSettings } from "../settings/settings.ts";
import { locateSettings, readSettingsFile } from "../settings/settings-file.ts";
import { invalidInput } from "../stop.ts";

/**
 * Shows every setting, its value and where it comes from, and what is wrong with them. Works where they are wrong; runs no
 * command, connects to nothing, and shows no secret.
 */
export async function config(paths: readonly string[], flags: ConfigFlags & OutputFlags, host: Host): Promise<number> {
  const place = await locateSettings(host);
  const file = place === undefined ? success({ tree: undefined }) : await readSettingsFile(place, host);
  const settings = await readSettings(flags, host);
  const ground: ConfigContext = {
    flags,
    paths,
    host,
    place,
    tree: file.ok ? file.value.tree : undefined,
    settings: settings.ok ? settings.value : undefined,
  };
  const key = await reportKey(ground);
  const wrong = settings.ok ? await configFaults(settings.value, flags, host) : (settings.error.diagnostics ?? []);
  const kept = withoutSecret(key.secret);
  const faults = [...wrong, ...key.wrong].map(kept.diagnostic);
  const conclusion = { command: "config", tells: "success-only", diagnostics: [] } as const;
  const told = kept.config(reportConfig(ground, key.told));
  const stop = faults.length === 0 ? {} : { stop: invalidInput(faults) };
  return finish({ ...conclusion, config: told, ...stop }, flags, host);
}

/** Takes the key out of whatever else was set to it by mistake. */
function withoutSecret(secret: string | undefined) {
  const redact = secret === undefined ? (text: string) => text : redactorFor(secret);
  return {
    diagnostic: ({ hint, excerpt, ...rest }: Diagnostic): Diagnostic => ({
      ...rest,
      message: redact(rest.message),
      ...(hint === undefined ? {} : { hint: redact(hint) }),
      ...(excerpt === undefined ? {} : { excerpt: { ...excerpt, line: redact(excerpt.line) } }),
    }),
    config: (told: ConfigReport): ConfigReport => ({
      ...told,
      settings: told.settings.map(({ said, unused, ...rest }) => ({
        ...rest,
        ...(said === undefined ? {} : { said: { ...said, value: redact(said.value) } }),
        unused: unused.map((one) => ({ ...one, value: redact(one.value) })),
      })),
    }),
  };
}
