import type { LockHolder, StateStore } from "../../ports/state-store.ts";
import { formatLockHolder } from "../../report/state.ts";
import type { Host } from "../host.ts";

/** Milliseconds after which a holder who gives no sign of life is not taken to work any more. */
const maxSilence = 120_000;

/** Whoever holds the state and works with it, as far as its store can tell without being asked for the lock. */
export async function activeRun(store: StateStore): Promise<LockHolder | undefined> {
  const holder = await holderOf(store);
  return holder === undefined || (holder.silentFor ?? 0) > maxSilence ? undefined : holder;
}

/** Says on standard error that a run holds the state, so that its half-done work is not taken for drift. */
export async function reportActiveRun(store: StateStore, host: Host): Promise<void> {
  const holder = await holderOf(store);
  if (holder === undefined) return;
  host.stderr.write(
    `the state is locked (${formatLockHolder(holder)}): while that run is under way, what it has not done yet shows as a change\n`,
  );
}

async function holderOf(store: StateStore): Promise<LockHolder | undefined> {
  // The protocol of HTTP state servers tells who holds the lock only to whoever asks for it.
  if (/^https?:/u.test(store.address)) return undefined;
  const holder = await store.holder();
  return holder.ok && holder.value !== "nobody" ? holder.value : undefined;
}
