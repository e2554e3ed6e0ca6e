import {
  consistencyWindow,
  promptReadTime,
  promptWritesNeeded,
  settlementWindow,
  unknownWriteBehaviour,
  type WriteBehaviour,
} from "../model/capabilities.ts";
import type { WritesLearned } from "../model/event.ts";
import type { State } from "../model/state.ts";
import type { TeamIdentity } from "../model/team.ts";
import type { UserQuery } from "../ports/account-service.ts";

/** What this run and earlier ones have learned of how the service takes writes. */
export interface WriteBehaviourTracker {
  readonly known: WriteBehaviour;
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
  /** What is to be remembered beyond what the state knows; undefined where that is nothing. Given once. */
  learnedEvent(at: string): WritesLearned | undefined;
}

export function trackWriteBehaviour(
  state: Pick<State, "writes" | "queues">,
  set: number | undefined,
): WriteBehaviourTracker {
  let known = state.writes ?? unknownWriteBehaviour;
  let remembered = known;
  let mayBeQueued = state.queues !== undefined;
  const learn = (more: Partial<WriteBehaviour>) => {
    known = { ...known, ...more };
  };
  return {
    get known() {
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
      if (isSameBehaviour(known, remembered)) return undefined;
      remembered = known;
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

/** How often one call is sent at the most, and how long that may take as a whole, in milliseconds. */
export const maxTries = 4;
export const maxThrottledTime = 60_000;

const firstBackoff = 500;

/** Milliseconds to wait before a throttled call is sent again. `fraction`: in [0, 1), so that not all come back together. */
export function throttledBackoff(tries: number, asked: number | undefined, fraction: number): number {
  const backoff = firstBackoff * 2 ** (tries - 1);
  return Math.ceil((asked ?? backoff / 2) + (backoff / 2) * fraction);
}

/** So many throttled writes that were sent again, and had had no effect before, prove that throttling has none. */
const minEffectlessRetries = 3;

/** A creation that is sent again harms nobody, since a service knows the address by then; an addition may mail twice. */
export type ThrottledKind = "creation" | "addition";

/**
 * Throttled writes of one run. As long as nobody knows whether this service throttles after it has worked, they are sent
 * again one at a time, creations first, and the others wait for what that teaches.
 */
export interface ThrottledWrites {
  readonly effect: WriteBehaviour["throttling"];
  /** Resolves when the write may be sent again, or when it is known whether throttled writes have an effect. */
  turn(kind: ThrottledKind): Promise<RetryTurn>;
}

/** The right to send one write again. To be ended once, with what was learned by it. */
export interface RetryTurn {
  end(taught: "had-no-effect" | "had-an-effect" | "nothing"): void;
}

export function throttledWrites(writes: WriteBehaviourTracker): ThrottledWrites {
  const waiting: Readonly<Record<ThrottledKind, ((turn: RetryTurn) => void)[]>> = { creation: [], addition: [] };
  let isTaken = false;
  let honest = 0;

  function next(): void {
    if (isTaken) return;
    const first = waiting.creation.shift() ?? waiting.addition.shift();
    if (first === undefined) return;
    isTaken = true;
    first(newTurn());
  }

  function newTurn(): RetryTurn {
    return {
      end(taught) {
        isTaken = false;
        if (taught === "had-an-effect") writes.learnThrottling("may-have-effect");
        if (taught === "had-no-effect") honest += 1;
        if (honest >= minEffectlessRetries && writes.known.throttling === undefined)
          writes.learnThrottling("no-effect");
        next();
      },
    };
  }

  return {
    get effect() {
      return writes.known.throttling;
    },
    turn(kind) {
      return new Promise((resolve) => {
        waiting[kind].push(resolve);
        next();
      });
    },
  };
}

/** How many writes may be under way at once: few at first, more while the service keeps up. */
export interface ConcurrencyLimit {
  readonly limit: number;
  succeeded(): void;
  throttled(): void;
}

const initialConcurrency = 2;

export function concurrencyUpTo(parallelism: number): ConcurrencyLimit {
  let limit = Math.min(initialConcurrency, parallelism);
  return {
    get limit() {
      return limit;
    },
    succeeded() {
      limit = Math.min(limit + 1, parallelism);
    },
    throttled() {
      limit = Math.max(1, Math.floor(limit / 2));
    },
  };
}

/** A write that the service has answered with success. A creation shows a user, a founding and an addition a team's key as well. */
export interface AcknowledgedWrite {
  readonly kind: "creation" | "founding" | "addition";
  readonly person: UserQuery;
  readonly team?: TeamIdentity;
  /** Milliseconds since the epoch, when it was announced. */
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
