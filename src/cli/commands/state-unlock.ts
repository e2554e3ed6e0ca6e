import type { StateStore } from "../../ports/state-store.ts";
import { formatLockHolder } from "../../report/state/holder-words.ts";
import type { Host } from "../host.ts";
import { type Conclusion, conclude } from "../output/conclude.ts";
import type { OutputFlags } from "../output/output-flags.ts";
import { stopFor } from "../stop.ts";
import { aboutState, type StateFlags, withStore } from "../stores/with-store.ts";

/** Breaks the lock of an id on a person's word; without an id it says who holds the lock, and breaks nothing. */
export async function stateUnlock(
  id: string | undefined,
  flags: StateFlags & OutputFlags,
  host: Host,
): Promise<number> {
  const conclusion = await withStore(flags, host, (store) => (id === undefined ? look(store) : unlock(store, id)));
  return conclude(conclusion, flags, host);
}

async function unlock(store: StateStore, id: string): Promise<Conclusion> {
  const broken = await store.unlock(id);
  if (!broken.ok) return { ...aboutState, stop: stopFor(broken.error) };
  return { ...aboutState, state: { did: "unlock", address: store.address, holder: broken.value } };
}

async function look(store: StateStore): Promise<Conclusion> {
  const looked = await store.holder();
  if (!looked.ok) return { ...aboutState, stop: stopFor(looked.error) };
  const holder = looked.value;
  const told: Conclusion = { ...aboutState, state: { did: "look-at-lock", address: store.address, holder } };
  if (holder === "nobody") return told;
  const problem = {
    code: "locked",
    message: `the state is locked: ${formatLockHolder(holder)}`,
    request: store.address,
    hint: `\`roster state unlock ${holder.id}\` breaks its lock: only where it is certain that this run has ended`,
  };
  return { ...told, stop: { reason: "locked", problem } };
}
