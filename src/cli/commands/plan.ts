import { type Conclusion, conclude, type FormatName } from "../conclude.ts";
import { connect } from "../connection.ts";
import type { Host } from "../host.ts";
import { loadRoster, planFor } from "../pipeline.ts";
import { debugTrace, readProgress } from "../progress-lines.ts";
import { type PolicyFlags, readPolicy } from "../selectors.ts";
import { readSettings, type SettingFlags } from "../settings.ts";
import { openStore } from "../state-store.ts";
import { stopFor } from "../stop.ts";

export interface PlanFlags extends SettingFlags, PolicyFlags {
  readonly format: FormatName;
  readonly detailedExitcode?: boolean;
  readonly unmanaged?: boolean;
  readonly debug?: boolean;
}

/** Shows what `apply` would do. Takes no lock and writes nothing. */
export async function plan(paths: readonly string[], flags: PlanFlags, host: Host): Promise<number> {
  const tells = flags.detailedExitcode === true ? "what-remains" : "success-only";
  return conclude(await compare("plan", tells, paths, flags, host), flags.format, host);
}

/** Reads everyone and says in what the service and the roster differ. Takes no lock and writes nothing. */
export async function drift(paths: readonly string[], flags: PlanFlags, host: Host): Promise<number> {
  const everyone = { ...flags, unmanaged: true };
  return conclude(await compare("drift", "what-remains", paths, everyone, host), flags.format, host);
}

async function compare(
  command: "plan" | "drift",
  tells: Conclusion["tells"],
  paths: readonly string[],
  flags: PlanFlags,
  host: Host,
): Promise<Conclusion> {
  let so: Conclusion = { command, tells, diagnostics: [] };
  const settings = await readSettings(flags, host);
  if (!settings.ok) return { ...so, stop: settings.error };
  const policy = readPolicy(flags, { reportUnmanaged: flags.unmanaged === true });
  if (!policy.ok) return { ...so, stop: policy.error };
  const loaded = await loadRoster(paths, settings.value, host);
  if (!loaded.ok) return { ...so, stop: loaded.error };
  so = { ...so, roster: loaded.value.counts, diagnostics: loaded.value.warnings };
  const store = await openStore(settings.value, host);
  if (!store.ok) return { ...so, stop: store.error };
  const connection = await connect(settings.value, host, debugTrace(flags, host));
  if (!connection.ok) return { ...so, stop: connection.error };
  const service = connection.value;
  try {
    const state = await store.value.read();
    if (!state.ok) return { ...so, stop: stopFor(state.error) };
    const everyone = flags.unmanaged === true ? "always" : "when-needed";
    const question = { roster: loaded.value.roster, state: state.value, policy: policy.value, everyone } as const;
    const ports = { service, progress: readProgress(host), parallelism: settings.value.parallelism };
    const planned = await planFor(question, { ...ports, signal: host.interruption.signal });
    if (!planned.ok) return { ...so, stop: planned.error };
    return { ...so, plan: planned.value.plan, reading: planned.value.reading };
  } finally {
    await service.close();
  }
}
