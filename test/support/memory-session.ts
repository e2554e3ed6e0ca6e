import { applyEvents, beginFold } from "../../src/log/fold.ts";
import type { LogSession } from "../../src/log/port.ts";
import type { RunEvent } from "../../src/model/event.ts";
import { success } from "../../src/model/result.ts";
import type { State } from "../../src/model/state.ts";

/** A session in memory: what it was given is what a store would hold after a crash. */
export interface MemorySession extends LogSession {
  /** Every event that was made durable, in order. */
  readonly durable: readonly RunEvent[];
  saved(): State;
}

/**
 * `before` is asked as each append begins: it may wait, throw as a full disk does, or never resolve, as a process
 * that was killed.
 */
export function memorySession(
  state: State,
  before: (events: readonly RunEvent[]) => Promise<void> | void = () => undefined,
): MemorySession {
  const durable: RunEvent[] = [];
  const fold = beginFold(state);
  const saved = () => {
    const folded = applyEvents(state, durable);
    return durable.length === 0 ? state : { ...folded, serial: state.serial + 1 };
  };
  return {
    state,
    durable,
    saved,
    now: () => fold.state(),
    async append(events) {
      // A run appends what runs do.
      const own = events as readonly RunEvent[];
      for (const event of own) fold.add(event);
      await before(own);
      durable.push(...own);
    },
    prune: async () => undefined,
    head: () => ({ position: state.serial + durable.length, hash: "0".repeat(64) }),
    close: async () => success(saved()),
  };
}
