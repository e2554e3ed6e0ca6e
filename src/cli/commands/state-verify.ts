import type { Host } from "../host.ts";
import { finish } from "../output/conclude.ts";
import type { OutputFlags } from "../output/output-flags.ts";
import { errorFromFailure } from "../stop.ts";
import { type StateFlags, stateResult, withStore } from "../stores/with-store.ts";

/** Reads everything that the store keeps, as carefully as a run would. Takes no lock and writes nothing. */
export async function stateVerify(flags: StateFlags & OutputFlags, host: Host): Promise<number> {
  const conclusion = await withStore(flags, host, async (store) => {
    const verified = await store.verify();
    if (!verified.ok) return { ...stateResult, stop: errorFromFailure(verified.error) };
    const { state, parts } = verified.value;
    const { lineage, serial, moved, open } = state;
    const elsewhere = moved === undefined ? {} : { movedTo: moved.to };
    const told = { address: store.address, lineage, serial, ...elsewhere, parts, open: open.length };
    return { ...stateResult, state: { did: "verify", ...told } };
  });
  return finish(conclusion, flags, host);
}
