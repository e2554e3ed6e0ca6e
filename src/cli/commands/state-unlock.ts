import type { StateStore } from "../../ports/state-store.ts";
import { formatLockHolder } from "../../report/state.ts";
import type { Host } from "../host.ts";
import { type CommandResult, finish } from "../output/conclude.ts";
import type { OutputFlags } from "../output/output-flags.ts";
import { errorFromFailure } from "../stop.ts";
import { type StateFlags, stateResult, withStore } from "../stores/with-store.ts";

/** Breaks the lock of an id on a person's word; without an id it says who holds the lock, and breaks nothing. */
export async function stateUnlock(
  id: string | undefined,
  flags: StateFlags & OutputFlags,
  host: Host,
): Promise<number> {
  const conclusion = await withStore(flags, host, (store) =>
    id === undefined ? showHolder(store) : unlock(store, id),
  );
  return finish(conclusion, flags, host);
}

async function unlock(store: StateStore, id: string): Promise<CommandResult> {
  const broken = await store.unlock(id);
  if (!broken.ok) return { ...stateResult, stop: errorFromFailure(broken.error) };
  return { ...stateResult, state: { did: "unlock", address: store.address, holder: broken.value } };
}

async function showHolder(store: StateStore): Promise<CommandResult> {
  const looked = await store.holder();
  if (!looked.ok) return { ...stateResult, stop: errorFromFailure(looked.error) };
  const holder = looked.value;
  const told: CommandResult = { ...stateResult, state: { did: "look-at-lock", address: store.address, holder } };
  if (holder === "nobody") return told;
  const problem = {
    code: "locked",
    message: `the state is locked: ${formatLockHolder(holder)}`,
    request: store.address,
    hint: `\`roster state unlock ${holder.id}\` breaks its lock: only where it is certain that this run has ended`,
  };
  return { ...told, stop: { reason: "locked", problem } };
}
