import { setImmediate } from "node:timers/promises";
import { decodeJournal, encodeJournalLine, encodeJournalStart } from "../codec/journal.ts";
import { decodeState, encodeState } from "../codec/state.ts";
import type { RunEvent } from "../model/event.ts";
import { type Failure, problem, type Result, success } from "../model/result.ts";
import { emptyState, type LockHolder, type State } from "../model/state.ts";
import type { Randomness } from "../ports/clock.ts";
import type { StateSession, StateStore, UnfinishedRuns } from "../ports/state-store.ts";
import { applyEvents } from "./fold.ts";
import { lockedBy, lockLost, notHeldBy, ownName } from "./lock.ts";

/** A store that keeps a state and a journal of what came after it, while its lock is held. */
interface LockedJournal {
  /** Durable when it resolves; rejects, from then on always, where the lines cannot be written. */
  append(lines: string): Promise<void>;
  /** Puts a state in the place of the one that is kept and of the journal. */
  save(state: State): Promise<Result<State, Failure>>;
  /** Never fails: a lock that cannot be given back is found by the next run. */
  release(): Promise<void>;
}

/** What a store with a journal has read. */
interface JournalledState {
  /** With the journal folded in. */
  readonly state: State;
  readonly unfinished?: UnfinishedRuns | undefined;
}

/** A locked state with a journal. Nothing is written where nothing is appended. */
export function journalledSession({ state, unfinished }: JournalledState, held: LockedJournal): StateSession {
  const appended: RunEvent[] = [];
  return {
    state,
    unfinished,
    async append(events) {
      if (events.length === 0) return;
      for (const event of events) appended.push(event);
      await held.append(events.map(encodeJournalLine).join(""));
    },
    async close(rewrite) {
      try {
        if (appended.length === 0 && rewrite === undefined) return success(state);
        const last = applyEvents(state, appended);
        return await held.save(rewrite?.(last) ?? last);
      } finally {
        await held.release();
      }
    },
    abandon: () => held.release(),
  };
}

/** A state that was never saved gets the name that its versions will carry. */
export function withLineage(state: State, randomness: Randomness): State {
  return state.lineage === "" ? { ...state, lineage: randomness.identifier() } : state;
}

/** For a check of the state: how many calls have no outcome. */
export function openCallsPart(count: number): string {
  if (count === 0) return "every recorded call has an outcome";
  return `${count === 1 ? "1 recorded call has" : `${count} recorded calls have`} no outcome`;
}

/** Adds a part; resolves when it is durable. */
export type Commit<Part> = (part: Part) => Promise<void>;

/**
 * Parts that come in one turn of the event loop, in turns right after it, or while others are written are written together, in their
 * order, and share one sync. A part alone waits for one turn. Once a write has failed, every later one fails with the same error: what was written in part must not be continued.
 */
export function groupCommit<Part>(write: (parts: readonly Part[]) => Promise<void>): Commit<Part> {
  let waiting: Part[] = [];
  let next: Promise<void> | undefined;
  let last: Promise<void> = Promise.resolve();

  async function writeWaiting(): Promise<void> {
    for (let gathered = 0; waiting.length > gathered; ) {
      gathered = waiting.length;
      await setImmediate();
    }
    const batch = waiting;
    waiting = [];
    next = undefined;
    await write(batch);
  }

  return (part) => {
    waiting.push(part);
    if (next === undefined) {
      next = last.then(writeWaiting);
      last = next;
    }
    return next;
  };
}

/** What a store in memory keeps. Several stores of one memory are one state. */
export interface Memory {
  /** The state as it would be written; "" where none was ever saved. */
  text: string;
  /** What came after it. */
  journal: string;
  holder: LockHolder | undefined;
}

export function emptyMemory(): Memory {
  return { text: "", journal: "", holder: undefined };
}

const address = "memory:";

/** Keeps the state in memory, for tests: it ends with the process. */
export function memoryStore(memory: Memory, randomness: Randomness): StateStore {
  return {
    address,
    async read() {
      const found = await readMemory(memory);
      return found.ok ? success(found.value.state) : found;
    },
    async lock({ operation, at }) {
      if (memory.holder !== undefined) return problem(lockedBy(address, memory.holder));
      const holder = { id: randomness.identifier(), who: ownName(), operation, since: at };
      memory.holder = holder;
      const found = await readMemory(memory);
      if (!found.ok) {
        memory.holder = undefined;
        return found;
      }
      const state = withLineage(found.value.state, randomness);
      const lost = () => (memory.holder === holder ? undefined : lockLost(address, memory.holder ?? "nobody"));
      const session = journalledSession(
        { ...found.value, state },
        {
          async append(lines) {
            // A run that appends again and again lets others have their turn.
            await setImmediate();
            const failure = lost();
            if (failure !== undefined) throw new Error(failure.message, { cause: failure });
            memory.journal += memory.journal === "" ? `${encodeJournalStart(state)}${lines}` : lines;
          },
          async save(version) {
            const failure = lost();
            if (failure !== undefined) return problem(failure);
            const numbered: State = { ...version, serial: Math.max(state.serial, version.serial) + 1 };
            memory.text = encodeState(numbered);
            memory.journal = "";
            return success(numbered);
          },
          async release() {
            if (memory.holder === holder) memory.holder = undefined;
          },
        },
      );
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
      const found = await readMemory(memory);
      if (!found.ok) return found;
      const { state } = found.value;
      return success({ state, parts: [`memory holds version ${state.serial} of the state`] });
    },
    close: async () => undefined,
  };
}

async function readMemory({ text, journal }: Memory): Promise<Result<JournalledState, Failure>> {
  const saved = text === "" ? success(emptyState("")) : decodeState(text, address);
  if (!saved.ok) return saved;
  const decoded = await decodeJournal(journal, address);
  if (!decoded.ok) return decoded;
  const { start, events } = decoded.value;
  if (start === undefined) return success({ state: saved.value });
  const found = text === "" ? emptyState(start.lineage) : saved.value;
  return success({ state: applyEvents(found, events), unfinished: { found, events } });
}
