import { announcementTime, leavesWithin, maxAnnouncementTime } from "../model/consistency.ts";
import type { Intended } from "../model/event.ts";
import type { UpcomingCall } from "./ahead.ts";
import type { RunContext } from "./run-context.ts";

/** Milliseconds that may pass between an announcement that says no more and its call. */
const promptAnnouncement = 1000;

/**
 * Makes the intent of a call durable, unless it is already, then tells it. Whoever finds it open counts the settling time
 * from what it says: where the write took so long that this would be wrong, it is announced once more, for longer. False
 * where the run was stopped, or is now: the call must not be sent.
 */
export async function announceIntent(context: RunContext, call: UpcomingCall): Promise<boolean> {
  const { prefetch: ahead, clock, input: work } = context;
  let isReady = await ahead.claim(call);
  let lasts = context.storeWrites === "rewritten" ? announcementTime : 0;
  while (!isReady) {
    const at = clock.now();
    const until = lasts === 0 ? {} : { until: new Date(at + lasts).toISOString() };
    const intended: Intended = { type: "intended", at: new Date(at).toISOString(), ...until, run: work.run, ...call };
    if (!(await context.makeDurable(intended))) return false;
    const took = clock.now() - at;
    isReady = took <= Math.max(promptAnnouncement, lasts - leavesWithin);
    lasts = Math.max(announcementTime, 3 * took);
    if (!isReady && lasts > maxAnnouncementTime) {
      context.stop(storeTooSlow(took));
      return false;
    }
  }
  if (context.stopped !== undefined) return false;
  context.stream.push([{ type: "intended", at: context.now(), run: work.run, ...call }]);
  return true;
}

function storeTooSlow(took: number): string {
  return `the state store took ${Math.round(took / 1000)} s to write, which is too long to announce a call by`;
}
