import type { RunEvent } from "../model/event.ts";
import type { Failure, Result } from "../model/result.ts";
import type { LockHolder, State } from "../model/state.ts";
import type { ServerTimes } from "./server-times.ts";

/** Where the state lives between runs. */
export interface StateStore {
  /** Such as `file:.roster/state.json`; without credentials. */
  readonly address: string;
  /** Its own time, where its clock is that of another machine. */
  readonly times?: ServerTimes | undefined;
  /** The state as the last run, finished or not, left it. Takes no lock and writes nothing. */
  read(): Promise<Result<State, Failure>>;
  /** Locks the state for one run, or says at once who holds it (`locked`). */
  lock(run: RunInfo, wishes?: LockOptions): Promise<Result<StateSession, Failure>>;
  /** Who holds the lock; nobody where it is free. */
  holder(): Promise<Result<LockHolder | "nobody", Failure>>;
  /** Breaks the lock of this id on a person's word. What its run still does can no longer be recorded. */
  unlock(id: string): Promise<Result<LockHolder, Failure>>;
  /** Reads everything that is kept, as carefully as a run would, and says what it is. Changes nothing. */
  verify(): Promise<Result<StoreVerification, Failure>>;
  /** Ends what connections there are. */
  close(): Promise<void>;
}

/** Who runs what; shown to a person who finds the state locked. */
export interface RunInfo {
  readonly run: string;
  readonly operation: string;
  readonly at: string;
}

export interface LockOptions {
  /** Milliseconds without a sign of life after which the lock of another run is taken over. Absent: never. */
  readonly breakStaleAfter?: number;
}

/** What a check of a store has read. */
export interface StoreVerification {
  readonly state: State;
  /** What the state was read from, one sentence each, such as `state.json holds version 12`. */
  readonly parts: readonly string[];
}

/** What runs that died left in the journal. */
export interface UnfinishedRuns {
  /** The state as it was saved before them. */
  readonly found: State;
  readonly events: readonly RunEvent[];
}

/** What a run needs of a state that is locked for it. */
export interface StateJournal {
  /** The store's own time, where it has a clock of its own. */
  readonly times?: ServerTimes | undefined;
  /** The state at the time of the lock, with what a crashed run left in its journal folded in. */
  readonly state: State;
  /**
   * Durable when it resolves, and this run was the lock's holder when it became so. What is appended later is durable later; calls made
   * at once share one durable write. Throws when the journal is lost or the lock was taken over: then no call may follow.
   */
  append(events: readonly RunEvent[]): Promise<void>;
}

/** A locked state. */
export interface StateSession extends StateJournal {
  /** Absent where no run has left a journal. */
  readonly unfinished?: UnfinishedRuns | undefined;
  /**
   * Saves the state that the journal adds up to, or what `rewrite` makes of it, and unlocks. What is saved has a higher serial than
   * either; without events and without a rewrite nothing is saved.
   */
  close(rewrite?: (state: State) => State): Promise<Result<State, Failure>>;
  /** Unlocks, and leaves what was appended in the journal, as a run that died would. Never fails. */
  abandon(): Promise<void>;
}

/** Where the records of what runs did are kept: lines, in their order, that are added and never changed. */
export interface AuditTrail {
  /** Such as `file:.roster/state.json.audit.jsonl`; without credentials. */
  readonly address: string;
  /** The last line, without its line feed; undefined where nothing was ever written. */
  last(): Promise<Result<string | undefined, Failure>>;
  /**
   * Adds lines behind the record of this number; in a trail without a line they may begin with any number. Durable when it succeeds.
   * Fails, and adds nothing, where the last record is another one: another run added some meanwhile.
   */
  append(lines: readonly string[], after: number): Promise<Result<void, Failure>>;
  /** Every line, without its line feed, the first one first. */
  read(): Promise<Result<readonly string[], Failure>>;
  /** Ends what connections there are. */
  close(): Promise<void>;
}
