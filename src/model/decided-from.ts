import { settlementWindow, unknownWriteBehaviour } from "./consistency.ts";
import type { OpenIntent, State } from "./state.ts";

/** Milliseconds since the epoch, from when on a call that no read shows counts as not done. */
export function decidedFrom(
  { at, accepted, declined }: OpenIntent,
  { queues, writes }: Pick<State, "queues" | "writes">,
  consistency: number | undefined,
): number {
  // A run that died may have been told that the call is taken for later, and have recorded nothing of it; a refusal is told at once.
  const mayBeQueued = accepted === true || (queues !== undefined && declined === undefined);
  return Date.parse(at) + settlementWindow(consistency, writes ?? unknownWriteBehaviour, { mayBeQueued });
}
