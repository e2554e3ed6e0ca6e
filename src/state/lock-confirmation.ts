import type { Failure } from "../model/failure.ts";
import type { Clock } from "../ports/clock.ts";
import type { HeldLock } from "./held-lock.ts";

/** A run goes on although its lock was broken or taken over. */
export class LockLostError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

/**
 * Throws where the lock is not held. To be called once something is durable, before it is acted on. A process that was
 * stopped while it asked asks again, since others may have thought it dead in the meantime.
 */
export async function confirmHeld(lock: HeldLock, clock: Clock): Promise<void> {
  for (let asked: number | undefined; asked === undefined || clock.now() - asked > overslept; ) {
    asked = clock.now();
    if (!(await lock.isHeld())) throw new LockLostError(await lock.lost());
  }
}

/** In milliseconds; less than any silence after which a lock may be taken over. */
const overslept = 30_000;
