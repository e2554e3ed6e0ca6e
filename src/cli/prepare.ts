import type { Policy } from "../model/policy.ts";
import type { StateStore } from "../ports/state-store.ts";
import type { Conclusion } from "./conclude.ts";
import { type Connection, connect } from "./connection.ts";
import type { Host } from "./host.ts";
import { type LoadedRoster, loadRoster } from "./pipeline.ts";
import { debugTrace } from "./progress-lines.ts";
import { type PolicyFlags, readPolicy } from "./selectors.ts";
import { readSettings, type SettingFlags, type Settings } from "./settings.ts";
import { openStore } from "./state-store.ts";

export interface PlanningFlags extends SettingFlags, PolicyFlags {
  readonly unmanaged?: boolean;
  readonly debug?: boolean;
}

/** What every command that plans works with. Nothing was sent and no state was read yet. */
export interface Prepared {
  readonly settings: Settings;
  readonly policy: Policy;
  readonly loaded: LoadedRoster;
  readonly store: StateStore;
  readonly service: Connection;
}

/** Finds everything that could be wrong before the first call, and hands over to `work`; what is open is closed after it. */
export async function prepared(
  begun: Conclusion,
  { paths, flags, host }: { readonly paths: readonly string[]; readonly flags: PlanningFlags; readonly host: Host },
  work: (so: Conclusion, ready: Prepared) => Promise<Conclusion>,
): Promise<Conclusion> {
  const settings = await readSettings(flags, host);
  if (!settings.ok) return { ...begun, stop: settings.error };
  const policy = readPolicy(flags, { reportUnmanaged: flags.unmanaged === true });
  if (!policy.ok) return { ...begun, stop: policy.error };
  const loaded = await loadRoster(paths, settings.value, host);
  if (!loaded.ok) return { ...begun, stop: loaded.error };
  const so = { ...begun, roster: loaded.value.counts, diagnostics: loaded.value.warnings };
  const store = await openStore(settings.value, host);
  if (!store.ok) return { ...so, stop: store.error };
  try {
    const connection = await connect(settings.value, host, debugTrace(flags, host));
    if (!connection.ok) return { ...so, stop: connection.error };
    const service = connection.value;
    const ready = { settings: settings.value, policy: policy.value, loaded: loaded.value, store: store.value, service };
    return await work(so, ready).finally(() => service.close());
  } finally {
    await store.value.close();
  }
}
