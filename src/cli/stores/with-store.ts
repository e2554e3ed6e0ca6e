import type { StateStore } from "../../ports/state-store.ts";
import type { Host } from "../host.ts";
import type { CommandResult } from "../output/conclude.ts";
import { readSettings, type Settings } from "../settings/settings.ts";
import { openStore } from "./state-store.ts";
import { openUsableStore } from "./usable-store.ts";

export interface StateFlags {
  readonly state?: string | undefined;
}

export const stateResult: CommandResult = { command: "state", tells: "success-only", diagnostics: [] };

type StoreHandler = (store: StateStore, settings: Settings) => Promise<CommandResult>;

/** Opens the configured state store for a look or a change by hand, wherever the state lives now, and closes it after the work. */
export function withStore(flags: StateFlags, host: Host, work: StoreHandler): Promise<CommandResult> {
  return withOpened(openStore, { flags, host, work });
}

/** The same for what counts only where the state lives: a state that was moved elsewhere is refused, as it is for runs. */
export function withUsableStore(flags: StateFlags, host: Host, work: StoreHandler): Promise<CommandResult> {
  return withOpened(openUsableStore, { flags, host, work });
}

interface Opening {
  readonly flags: StateFlags;
  readonly host: Host;
  readonly work: StoreHandler;
}

async function withOpened(open: typeof openUsableStore, { flags, host, work }: Opening): Promise<CommandResult> {
  const settings = await readSettings({ state: flags.state }, host);
  if (!settings.ok) return { ...stateResult, stop: settings.error };
  const store = await open(settings.value, host);
  if (!store.ok) return { ...stateResult, stop: store.error };
  return work(store.value, settings.value).finally(() => store.value.close());
}
