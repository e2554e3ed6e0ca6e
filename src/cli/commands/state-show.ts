import { encodeState } from "../../codec/state-format.ts";
import { safeJson } from "../../report/safe.ts";
import { renderState } from "../../report/text-state.ts";
import { conclude, type FormatName } from "../conclude.ts";
import type { Host } from "../host.ts";
import { readSettings } from "../settings.ts";
import { openStore } from "../state-store.ts";
import { type Stop, stopFor } from "../stop.ts";
import type { StateFlags } from "../with-store.ts";

/** Shows what the state records. Takes no lock and writes nothing. */
export async function stateShow(flags: StateFlags & { readonly format: FormatName }, host: Host): Promise<number> {
  const settings = await readSettings({ state: flags.state }, host);
  if (!settings.ok) return failed(settings.error, flags.format, host);
  const store = await openStore(settings.value, host);
  if (!store.ok) return failed(store.error, flags.format, host);
  const state = await store.value.read().finally(() => store.value.close());
  if (!state.ok) return failed(stopFor(state.error), flags.format, host);
  const { value } = state;
  host.stdout.write(flags.format === "json" ? safeJson(encodeState(value)) : renderState(value, store.value.address));
  return 0;
}

function failed(stop: Stop, format: FormatName, host: Host): number {
  return conclude({ command: "state", tells: "success-only", diagnostics: [], stop }, format, host);
}
