import type { WriteBehaviour } from "../model/consistency.ts";
import type { WriteBehaviourTracker } from "./write-learning.ts";

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
        if (honest >= minEffectlessRetries && writes.behaviour.throttling === undefined)
          writes.learnThrottling("no-effect");
        next();
      },
    };
  }

  return {
    get effect() {
      return writes.behaviour.throttling;
    },
    turn(kind) {
      return new Promise((resolve) => {
        waiting[kind].push(resolve);
        next();
      });
    },
  };
}
