import type { OpenIntent } from "./call.ts";
import type { Snapshot } from "./snapshot.ts";
import type { State } from "./state.ts";
import type { RecordedUser } from "./user.ts";

/** Milliseconds after a write within which reads need not show it. `set`: what a person has set. Large directories lag a quarter of an hour. */
export function consistencyWindow(set: number | undefined): number {
  return set ?? 15 * 60_000;
}

/** Milliseconds since the epoch until when reads need not show a user that roster created and no read has shown yet. */
export function unshownUntil({ createdAt, seenAt }: RecordedUser, consistency: number | undefined): number {
  if (createdAt === undefined || seenAt !== undefined) return 0;
  return Date.parse(createdAt) + consistencyWindow(consistency);
}

/** Milliseconds after a call's announcement within which reads prove nothing by not showing it: for one taken for later (202) at least 10 minutes. */
export function decisionWindow(set: number | undefined, call: { readonly mayBeQueued: boolean }): number {
  return Math.max(consistencyWindow(set), call.mayBeQueued ? 10 * 60_000 : 0);
}

/**
 * Milliseconds since the epoch, by the clock of the reading: from when on a call that no read shows counts as not done. Clocks are set
 * now and then, so that the window must be over by the machine's and by the server's. Infinite where no server tells the time: then
 * only reads that show the call, or a person, can decide.
 */
export function decidedFrom(
  { at, dated, accepted, declined }: OpenIntent,
  { readAt, times }: Pick<Snapshot, "readAt" | "times">,
  { queues }: Pick<State, "queues">,
  consistency: number | undefined,
): number {
  const time = dated === undefined ? undefined : times?.[dated.by];
  if (dated === undefined || time === undefined) return Number.POSITIVE_INFINITY;
  // A run that died may have got an answer that takes the call for later, and not have recorded it. A refusal comes at once.
  const mayBeQueued = accepted === true || (queues !== undefined && declined === undefined);
  const window = decisionWindow(consistency, { mayBeQueued });
  const left = Date.parse(dated.at) + window - Date.parse(time);
  return Math.max(Date.parse(at) + window, Date.parse(readAt) + left);
}
