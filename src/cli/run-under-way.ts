import type { StateStore } from "../ports/state-store.ts";
import { holderWords } from "../report/state/holder-words.ts";
import type { Host } from "./host.ts";

/** Says on standard error that a run holds the state, so that its half-done work is not taken for drift. */
export async function tellRunUnderWay(store: StateStore, host: Host): Promise<void> {
  // The protocol of HTTP state servers tells who holds the lock only to whoever asks for it.
  if (/^https?:/u.test(store.address)) return;
  const holder = await store.holder();
  if (!holder.ok || holder.value === "nobody") return;
  host.stderr.write(
    `the state is locked (${holderWords(holder.value)}): while that run is under way, what it has not done yet shows as a change\n`,
  );
}
