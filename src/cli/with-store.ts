import type { StateStore } from "../ports/state-store.ts";
import type { Conclusion } from "./conclude.ts";
import type { Host } from "./host.ts";
import { readSettings, type Settings } from "./settings.ts";
import { openStore } from "./state-store.ts";

export interface StateFlags {
  readonly state?: string | undefined;
}

export const aboutState: Conclusion = { command: "state", tells: "success-only", diagnostics: [] };

/** Opens the configured state store for a look or a change by hand, and closes it after the work. */
export async function withStore(
  flags: StateFlags,
  host: Host,
  work: (store: StateStore, settings: Settings) => Promise<Conclusion>,
): Promise<Conclusion> {
  const settings = await readSettings({ state: flags.state }, host);
  if (!settings.ok) return { ...aboutState, stop: settings.error };
  const store = await openStore(settings.value, host);
  if (!store.ok) return { ...aboutState, stop: store.error };
  return work(store.value, settings.value).finally(() => store.value.close());
}
