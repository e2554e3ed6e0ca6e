import { errorFromFailure } from "../command-error.ts";
import type { Host } from "../host.ts";
import { type CommandResult, finish } from "../output/finish.ts";
import type { OutputFlags } from "../output/output-flags.ts";
import { type openSession, runCommand } from "../session.ts";
import { type StateFlags, stateResult } from "../stores/open-store.ts";

/** Reads everything that the store keeps, as carefully as a run would. Takes no lock and writes nothing. */
export async function stateVerify(flags: StateFlags & OutputFlags, host: Host): Promise<number> {
  return finish(await runCommand((open) => verifyResult(flags, host, open)), flags, host);
}

async function verifyResult(
  flags: StateFlags & OutputFlags,
  host: Host,
  open: typeof openSession,
): Promise<CommandResult> {
  const session = await open({ command: "state", flags, host, needs: ["store"], movedState: "allowed" });
  if (!session.ok) return { ...stateResult, ...session.error };
  const { store } = session.value;
  const verified = await store.verify();
  if (!verified.ok) return { ...stateResult, stop: errorFromFailure(verified.error) };
  const { state, parts } = verified.value;
  const { lineage, serial, moved, open: calls } = state;
  const elsewhere = moved === undefined ? {} : { movedTo: moved.to };
  const checked = { address: store.address, lineage, serial, ...elsewhere, parts, open: calls.length };
  return { ...stateResult, state: { did: "verify", ...checked } };
}
