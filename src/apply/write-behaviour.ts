import { consistencyWindow, settlementWindow, type WriteBehaviour } from "../model/capabilities.ts";
import type { WritesLearned } from "../model/event.ts";
import type { State } from "../model/state.ts";
import type { TeamIdentity } from "../model/team.ts";
import type { UserQuery } from "../ports/account-service.ts";

/** What this run and earlier ones have learned of how the service takes writes. */
export interface WriteBehaviourTracker {
  readonly known: WriteBehaviour;
  /** What a throttled write may have done: what was learned of it, else what a person has said. */
  readonly throttling: WriteBehaviour["throttling"];
  /** Milliseconds after a write within which reads need not show it. */
  readonly window: number;
  /**
   * Milliseconds after which a call that no read shows counts as not done. Counted from the end of the call, since it
   * may have taken effect as late as that; the state counts in the same way.
   */
  readonly decidedAfter: number;
  /** The service has taken a call for later. */
  recordAccepted(): void;
  learnThrottling(effect: NonNullable<WriteBehaviour["throttling"]>): void;
  /** Reads have shown that a throttled write was not done. */
  throttledWithoutEffect(): void;
  learnMemberNames(by: NonNullable<WriteBehaviour["membersNamedBy"]>): void;
  /** What is to be remembered beyond what the state knows; undefined where that is nothing. Given once. */
  learnedEvent(at: string): WritesLearned | undefined;
}

/** So many throttled writes that reads have shown not to be done prove that throttling has no effect. */
const minWithoutEffect = 3;

/** What a person has set of how the service takes writes. */
export interface SetWriteBehaviour {
  /** Milliseconds within which reads may not show a write. */
  readonly consistency?: number | undefined;
  /** A throttled write never takes effect, unless it was learned that one did. */
  readonly throttling?: "no-effect" | undefined;
}

export function trackWriteBehaviour(
  state: Pick<State, "writes" | "queues">,
  { consistency: set, throttling: said }: SetWriteBehaviour,
): WriteBehaviourTracker {
  let known = state.writes ?? {};
  let remembered = known;
  let mayBeQueued = state.queues !== undefined;
  let withoutEffect = 0;
  const learn = (more: Partial<WriteBehaviour>) => {
    known = { ...known, ...more };
  };
  return {
    get known() {
      return known;
    },
    get throttling() {
      return known.throttling ?? said;
    },
    get window() {
      return consistencyWindow(set);
    },
    get decidedAfter() {
      return settlementWindow(set, { mayBeQueued });
    },
    recordAccepted() {
      mayBeQueued = true;
    },
    learnThrottling: (throttling) => learn({ throttling }),
    throttledWithoutEffect() {
      withoutEffect += 1;
      if (withoutEffect >= minWithoutEffect && known.throttling === undefined) learn({ throttling: "no-effect" });
    },
    learnMemberNames: (membersNamedBy) => learn({ membersNamedBy }),
    learnedEvent(at) {
      if (isSameBehaviour(known, remembered)) return undefined;
      remembered = known;
      return { type: "writes-learned", at, writes: known };
    },
  };
}

function isSameBehaviour(one: WriteBehaviour, other: WriteBehaviour): boolean {
  return one.throttling === other.throttling && one.membersNamedBy === other.membersNamedBy;
}

/** A write that the service has answered with success. A creation shows a user, a founding and an addition a team's key as well. */
export interface AcknowledgedWrite {
  readonly kind: "creation" | "founding" | "addition";
  readonly person: UserQuery;
  readonly team?: TeamIdentity;
  /** When it was announced, by the monotonic clock. */
  readonly begun: number;
}

/** Milliseconds by which a write may have begun before another one that it speaks for. */
const announcementSlack = 1000;

/** A few are enough to tell how recent a read is. */
const maxSampled = 3;
const maxAcknowledged = 200;

/** The last writes that succeeded. A read that shows one of them would show others that began no later. */
export interface AcknowledgedWrites {
  note(write: AcknowledgedWrite): void;
  /** Some of a kind that began no more than a second before the given time, or later; the latest first. */
  since(begun: number, kind: AcknowledgedWrite["kind"]): readonly AcknowledgedWrite[];
}

export function acknowledgedWrites(): AcknowledgedWrites {
  const writes: AcknowledgedWrite[] = [];
  return {
    note(write) {
      writes.push(write);
      if (writes.length > maxAcknowledged) writes.shift();
    },
    since: (begun, kind) =>
      writes
        .filter((write) => write.kind === kind && write.begun >= begun - announcementSlack)
        .slice(-maxSampled)
        .reverse(),
  };
}
