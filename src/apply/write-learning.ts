import {
  consistencyWindow,
  promptReadTime,
  promptWritesNeeded,
  settlementWindow,
  unknownWriteBehaviour,
  type WriteBehaviour,
} from "../model/consistency.ts";
import type { WritesLearned } from "../model/event.ts";
import type { State } from "../model/state.ts";

/** What this run learns of how the service takes writes, beside what earlier ones have. */
export interface WriteBehaviourTracker {
  readonly behaviour: WriteBehaviour;
  /** Milliseconds after a write within which reads need not show it. */
  readonly window: number;
  /** Milliseconds since the epoch, from when on a call that no read shows counts as not done. */
  decidedFrom(announcedAt: number): number;
  /** The service has taken a call for later. */
  recordAccepted(): void;
  /** A read has shown a write. `late`: an earlier read after the write had not. Times in milliseconds since the epoch. */
  showed(writtenAt: number, readAt: number, when: "at-first-look" | "late"): void;
  /** Reads did not show a write for as long as they were looked at. */
  showedNothing(): void;
  learnThrottling(effect: NonNullable<WriteBehaviour["throttling"]>): void;
  learnMemberNames(by: NonNullable<WriteBehaviour["membersNamedBy"]>): void;
  /** What is to be remembered beyond what the state knows; undefined where that is nothing. Told once. */
  learnedEvent(at: string): WritesLearned | undefined;
}

export function trackWriteBehaviour(
  state: Pick<State, "writes" | "queues">,
  set: number | undefined,
): WriteBehaviourTracker {
  let known = state.writes ?? unknownWriteBehaviour;
  let told = known;
  let mayBeQueued = state.queues !== undefined;
  const learn = (more: Partial<WriteBehaviour>) => {
    known = { ...known, ...more };
  };
  return {
    get behaviour() {
      return known;
    },
    get window() {
      return consistencyWindow(set, known);
    },
    decidedFrom: (announcedAt) => announcedAt + settlementWindow(set, known, { mayBeQueued }),
    recordAccepted() {
      mayBeQueued = true;
    },
    showed(writtenAt, readAt, when) {
      const took = Math.max(0, readAt - writtenAt);
      if (when === "late") learn({ longest: Math.max(known.longest, took) });
      if (took <= promptReadTime) learn({ prompt: Math.min(promptWritesNeeded, known.prompt + 1) });
      else if (when === "late") learn({ prompt: 0 });
    },
    showedNothing: () => learn({ prompt: 0 }),
    learnThrottling: (throttling) => learn({ throttling }),
    learnMemberNames: (membersNamedBy) => learn({ membersNamedBy }),
    learnedEvent(at) {
      if (isSameBehaviour(known, told)) return undefined;
      told = known;
      return { type: "writes-learned", at, writes: known };
    },
  };
}

function isSameBehaviour(one: WriteBehaviour, other: WriteBehaviour): boolean {
  return (
    one.prompt === other.prompt &&
    one.longest === other.longest &&
    one.throttling === other.throttling &&
    one.membersNamedBy === other.membersNamedBy
  );
}
