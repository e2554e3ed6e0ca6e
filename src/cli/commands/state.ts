import { encodeState } from "../../codec/state.ts";
import type { StateStore } from "../../ports/state-store.ts";
import { recordedStateLines } from "../../report/document/state.ts";
import { plain } from "../../report/outcome.ts";
import { formatLockHolder } from "../../report/phrases.ts";
import { safeJson } from "../../report/safe.ts";
import { renderLines } from "../../report/text/lines.ts";
import { errorFromFailure } from "../command-error.ts";
import type { Host } from "../host.ts";
import { type CommandResult, finish } from "../output/finish.ts";
import type { OutputFlags } from "../output/output-flags.ts";
import { runCommand } from "../session.ts";
import { type StateFlags, stateResult } from "../stores/open-store.ts";

type StateOutputFlags = StateFlags & OutputFlags;

/** Shows what the state records. Takes no lock and writes nothing. */
export function stateShow(flags: StateOutputFlags, host: Host): Promise<number> {
  return lookAtState(flags, host, async (store) => {
    const state = await store.read();
    if (!state.ok) return { ...stateResult, stop: errorFromFailure(state.error) };
    const text = renderLines(recordedStateLines(state.value, store.address), plain);
    return { ...stateResult, ownWords: { json: safeJson(encodeState(state.value)), text } };
  });
}

/** Reads everything that the store keeps, as carefully as a run would. Takes no lock and writes nothing. */
export function stateVerify(flags: StateOutputFlags, host: Host): Promise<number> {
  return lookAtState(flags, host, async (store) => {
    const verified = await store.verify();
    if (!verified.ok) return { ...stateResult, stop: errorFromFailure(verified.error) };
    const { state, parts } = verified.value;
    const { lineage, serial, moved, open: calls } = state;
    const elsewhere = moved === undefined ? {} : { movedTo: moved.to };
    const checked = { address: store.address, lineage, serial, ...elsewhere, parts, open: calls.length };
    return { ...stateResult, state: { did: "verify", ...checked } };
  });
}

/** Breaks the lock with this id. Without an id it says who holds the lock, and breaks nothing. */
export function stateUnlock(id: string | undefined, flags: StateOutputFlags, host: Host): Promise<number> {
  return lookAtState(flags, host, async (store) => {
    if (id === undefined) return showHolder(store);
    const broken = await store.unlock(id);
    if (!broken.ok) return { ...stateResult, stop: errorFromFailure(broken.error) };
    return { ...stateResult, state: { did: "unlock", address: store.address, holder: broken.value } };
  });
}

/** Opens the configured store without a lock. A state that was moved elsewhere may be looked at. */
async function lookAtState(
  flags: StateOutputFlags,
  host: Host,
  look: (store: StateStore) => Promise<CommandResult>,
): Promise<number> {
  const result = await runCommand(async (open) => {
    const session = await open({ command: "state", flags, host, needs: ["store"], movedState: "allowed" });
    return session.ok ? look(session.value.store) : { ...stateResult, ...session.error };
  });
  return finish(result, flags, host);
}

async function showHolder(store: StateStore): Promise<CommandResult> {
  const read = await store.holder();
  if (!read.ok) return { ...stateResult, stop: errorFromFailure(read.error) };
  const holder = read.value;
  const result: CommandResult = { ...stateResult, state: { did: "look-at-lock", address: store.address, holder } };
  if (holder === "nobody") return result;
  const problem = {
    code: "locked",
    message: `the state is locked: ${formatLockHolder(holder)}`,
    request: store.address,
    hint: `\`roster state unlock ${holder.id}\` breaks its lock; do this only if that run is dead`,
  };
  return { ...result, stop: { reason: "locked", problem } };
}
