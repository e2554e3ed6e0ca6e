import { decodeState } from "../codec/state.ts";
import { type Failure, problem, type Result, success } from "../model/result.ts";
import { emptyState, type LockHolder, type State } from "../model/state.ts";
import type { Randomness } from "../ports/clock.ts";
import type { StateStore } from "../ports/state-store.ts";
import { lockedBy, lockLost, notHeldBy, ownName } from "./lock.ts";
import { wholeStateSession, withLineage } from "./session.ts";

/** What a store in memory keeps. Several stores of one memory are one state. */
export interface Memory {
  /** The state as it would be written; "" where none was ever saved. */
  text: string;
  holder: LockHolder | undefined;
}

export function emptyMemory(): Memory {
  return { text: "", holder: undefined };
}

const address = "memory:";

/** Keeps the state in memory, for tests: it ends with the process. */
export function memoryStore(memory: Memory, randomness: Randomness): StateStore {
  return {
    address,
    read: async () => read(memory),
    async lock({ operation, at }) {
      if (memory.holder !== undefined) return problem(lockedBy(address, memory.holder));
      const state = read(memory);
      if (!state.ok) return state;
      const holder = { id: randomness.identifier(), who: ownName(), operation, since: at };
      memory.holder = holder;
      const session = wholeStateSession(withLineage(state.value, randomness), {
        async put(text) {
          // A run that appends again and again lets others have their turn.
          await new Promise((turn) => setImmediate(turn));
          if (memory.holder !== holder) return problem(lockLost(address, memory.holder ?? "nobody"));
          memory.text = text;
          return success(undefined);
        },
        async release() {
          if (memory.holder === holder) memory.holder = undefined;
        },
      });
      return success(session);
    },
    holder: async () => success(memory.holder ?? "nobody"),
    async unlock(id) {
      const { holder } = memory;
      if (holder?.id !== id) return problem(notHeldBy(address, id, holder ?? "nobody"));
      memory.holder = undefined;
      return success(holder);
    },
    async verify() {
      const state = read(memory);
      return state.ok
        ? success({ state: state.value, parts: [`memory holds version ${state.value.serial} of the state`] })
        : state;
    },
    close: async () => undefined,
  };
}

function read({ text }: Memory): Result<State, Failure> {
  if (text === "") return success(emptyState(""));
  return decodeState(text, address);
}
