import type { ActionId } from "../model/action.ts";
import { announcementTime, leavesWithin } from "../model/capabilities.ts";
import type { Intended, Intent } from "../model/event.ts";
import type { Clock } from "../ports/clock.ts";

/** A call whose turn comes soon. */
export interface UpcomingCall {
  readonly action: ActionId;
  readonly intent: Intent;
}

/**
 * Announces calls before their turn, together with what is written anyway: where each durable write costs as much as
 * the whole state, one call alone is not worth a write. What was announced and is not sent in its time is announced again.
 */
export interface IntentPrefetch {
  /** Says where to ask for what comes next. Without it nothing is announced ahead. */
  follow(upcoming: () => readonly UpcomingCall[]): void;
  /** What is to be written together with other events, new or about to lapse; and whom to tell how that has ended. */
  join(): PrefetchedIntents;
  /**
   * Takes the announcement of a call, for it to be sent now, once. Waits for a write that announces it; false where
   * there is none that lasts long enough.
   */
  claim(call: UpcomingCall): Promise<boolean>;
}

interface PrefetchedIntents {
  readonly intended: readonly Intended[];
  ended(how: "durable" | "lost"): void;
}

interface PrefetchedIntent {
  readonly intent: string;
  /** Until when the call may be sent, by what is durable already, in milliseconds since the epoch. */
  readonly until: number;
  /** The write under way that says more. */
  readonly next?: Promise<void>;
}

/** Announces nothing: where a durable write costs what is appended, each call is announced at its turn. */
export const noPrefetch: IntentPrefetch = {
  follow: () => undefined,
  join: () => ({ intended: [], ended: () => undefined }),
  claim: async () => false,
};

export function prefetchIntents({ run, clock }: { readonly run: string; readonly clock: Clock }): IntentPrefetch {
  const announced = new Map<ActionId, PrefetchedIntent>();
  let upcoming: () => readonly UpcomingCall[] = () => [];

  function isDue({ action, intent }: UpcomingCall, now: number): boolean {
    const known = announced.get(action);
    if (known === undefined || known.intent !== JSON.stringify(intent)) return true;
    return known.next === undefined && known.until < now + announcementTime / 2;
  }

  /** What was claimed or announced otherwise in the meantime stays as it is. */
  function settle(action: ActionId, write: Promise<void>, until: number | undefined): void {
    const known = announced.get(action);
    if (known?.next !== write) return;
    if (until === undefined) announced.delete(action);
    else announced.set(action, { intent: known.intent, until });
  }

  return {
    follow(source) {
      upcoming = source;
    },
    join() {
      const now = clock.now();
      const until = now + announcementTime;
      const due = upcoming().filter((call) => isDue(call, now));
      let told = (): void => undefined;
      const next = new Promise<void>((resolve) => {
        told = resolve;
      });
      for (const { action, intent } of due) {
        const text = JSON.stringify(intent);
        const known = announced.get(action);
        announced.set(action, { intent: text, until: known?.intent === text ? known.until : 0, next });
      }
      const times = { at: new Date(now).toISOString(), until: new Date(until).toISOString() };
      return {
        intended: due.map(({ action, intent }) => ({ type: "intended", ...times, run, action, intent })),
        ended(how) {
          for (const { action } of due) settle(action, next, how === "durable" ? until : undefined);
          told();
        },
      };
    },
    async claim({ action, intent }) {
      const lasts = () => {
        const known = announced.get(action);
        return (
          known !== undefined && known.intent === JSON.stringify(intent) && clock.now() + leavesWithin <= known.until
        );
      };
      if (!lasts()) await announced.get(action)?.next;
      const isAnnounced = lasts();
      announced.delete(action);
      return isAnnounced;
    },
  };
}
