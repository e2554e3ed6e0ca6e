import type { Failure } from "../model/failure.ts";
import type { Result } from "../model/result.ts";
import type { RunEvent } from "../model/run-event.ts";
import type { State } from "../model/state.ts";

/** Where the state lives between runs. */
export interface StateStore {
  /** Such as `file:.roster/state.json`; without credentials. */
  readonly address: string;
  /** The state as the last run, finished or not, left it. Takes no lock and writes nothing. */
  read(): Promise<Result<State, Failure>>;
  /** Locks the state for one run. A `locked` failure says who holds it. */
  lock(run: RunInfo): Promise<Result<StateSession, Failure>>;
}

/** Who runs what; shown to whoever finds the state locked. */
export interface RunInfo {
  readonly run: string;
  readonly operation: string;
  readonly at: string;
}

/** A locked state. */
export interface StateSession {
  /** The state at the time of the lock, with what a crashed run left in its journal folded in. */
  readonly state: State;
  /** Durable when it resolves. Calls made at once share one durable write. Throws when the journal is lost. */
  append(events: readonly RunEvent[]): Promise<void>;
  /** Saves the state that the journal adds up to, and unlocks. */
  close(): Promise<Result<State, Failure>>;
}
