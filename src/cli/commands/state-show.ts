import { encodeState } from "../../codec/state.ts";
import { safeJson } from "../../report/safe.ts";
import { renderState } from "../../report/text/state.ts";
import type { Host } from "../host.ts";
import { finish } from "../output/conclude.ts";
import type { OutputFlags } from "../output/output-flags.ts";
import { readSettings } from "../settings/settings.ts";
import { errorFromFailure } from "../stop.ts";
import { openStore } from "../stores/state-store.ts";
import { type StateFlags, stateResult } from "../stores/with-store.ts";

/** Shows what the state records. Takes no lock and writes nothing. */
export async function stateShow(flags: StateFlags & OutputFlags, host: Host): Promise<number> {
  const settings = await readSettings({ state: flags.state }, host);
  if (!settings.ok) return finish({ ...stateResult, stop: settings.error }, flags, host);
  const store = await openStore(settings.value, host);
  if (!store.ok) return finish({ ...stateResult, stop: store.error }, flags, host);
  const state = await store.value.read().finally(() => store.value.close());
  if (!state.ok) return finish({ ...stateResult, stop: errorFromFailure(state.error) }, flags, host);
  const { value } = state;
  const ownWords = { json: safeJson(encodeState(value)), text: renderState(value, store.value.address) };
  return finish({ ...stateResult, ownWords }, flags, host);
}
