/** Milliseconds within which the reads of most services show a write. What they do not show by then proves nothing. */
export const promptReadTime = 5000;

/** Milliseconds within which a service is taken to have done what it took for later (202). */
const queuedCallTime = 10 * 60_000;

/** Milliseconds within which reads may not show a write, as long as nothing better is known. Large directories lag that much. */
const defaultConsistencyWindow = 15 * 60_000;

/** The same for a service that was prompt so many times in a row. */
const promptConsistencyWindow = 60_000;
export const promptWritesNeeded = 50;

/** The window is never shorter than so many times the slowest write. */
const slowestWriteFactor = 10;

/** How this service takes writes, as far as our own have shown. Learned from run to run. */
export interface WriteBehaviour {
  /** How many of our last writes in a row were read within `promptTime` of their answer; counted up to `enoughPromptWrites`. */
  readonly prompt: number;
  /** Milliseconds until a read showed the slowest write that was watched until then. */
  readonly longest: number;
  /** Whether a write that the service answers with "come back later" may have been done all the same. */
  readonly throttling?: "no-effect" | "may-have-effect";
  /** What an addition to a team names people by. */
  readonly membersNamedBy?: "identifier" | "email";
}

export const unknownWriteBehaviour: WriteBehaviour = { prompt: 0, longest: 0 };

/**
 * Milliseconds after a write within which reads need not show it: what they do not show earlier is not known to be undone.
 * `set`: what a person has set for this service, which counts before everything learned.
 */
export function consistencyWindow(set: number | undefined, { prompt, longest }: WriteBehaviour): number {
  if (set !== undefined) return set;
  return Math.max(
    prompt >= promptWritesNeeded ? promptConsistencyWindow : defaultConsistencyWindow,
    slowestWriteFactor * longest,
  );
}

/** Milliseconds after a call's announcement within which reads prove nothing by not showing it. */
export function settlementWindow(
  set: number | undefined,
  writes: WriteBehaviour,
  call: { readonly mayBeQueued: boolean },
): number {
  const window = consistencyWindow(set, writes);
  return call.mayBeQueued ? Math.max(window, queuedCallTime) : window;
}

/**
 * Milliseconds between the decision to send a call and the last moment at which it may leave. Whoever finds its announcement
 * counts on it: a call that had to wait longer, for a connection or because its process slept, is not sent.
 */
export const leavesWithin = 2000;

/** Milliseconds after its announcement within which a call may be sent that is announced before its turn. */
export const announcementTime = 6000;

/** The longest that any announcement may say. */
export const maxAnnouncementTime = 60_000;

/**
 * Milliseconds by which the clocks of two machines that share a state may differ: a call that was announced less than this ago
 * may have been announced just now.
 */
export const maxClockSkew = 5 * 60_000;
