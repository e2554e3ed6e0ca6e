import * as t from "../model/declare.ts";
import type { EventOf, LogEvent } from "../model/event.ts";
import type { Failure } from "../model/failure.ts";
import type { Result } from "../model/result.ts";
import type { LogHead, State } from "../model/state.ts";
import type { ServerTimes } from "../ports/clock.ts";

/**
 * Where lines are kept. What they say is the log's business: a store keeps their order, and lets one holder at a time add to them. What it
 * cannot do throws a `StoreError`.
 */
export interface LogStore {
  /** Such as `file:.roster/log.jsonl`; without credentials. */
  readonly address: string;
  /** Its own time, where its clock is that of another machine. */
  readonly times?: ServerTimes | undefined;
  /** What is kept behind the last checkpoint, or everything from the start. Takes no lease and writes nothing. */
  read(from: "checkpoint" | "start"): Promise<StoredLog>;
  /** Leases the log to one command, or says at once who holds it (`locked`). */
  lease(command: RunInfo, options: LockOptions): Promise<Lease>;
  holder(): Promise<LockHolder | "nobody">;
  /** Ends the lease of this id on a person's word. What its command still does can no longer be recorded. */
  breakLease(id: string): Promise<LockHolder>;
  close(): Promise<void>;
}

export interface StoredLog {
  /** As it was given to the store. Absent where there is none that can be read, or everything was asked for. */
  readonly checkpoint?: string | undefined;
  /** Those behind the checkpoint, or all, whole, each with its line feed, some at a time: a log may be larger than a text can be. */
  readonly lines: AsyncIterable<string>;
}

export interface Lease {
  /**
   * Adds whole lines, one call at a time. When it succeeds they are durable, and this command held the lease when they became so. Once
   * it has failed nothing may be added any more: nobody knows what is kept.
   */
  append(lines: string): Promise<void>;
  /**
   * Puts one line, which begins with that position, in the place of all lines up to it, and takes the checkpoint away. Whatever ends it:
   * the lines are all there, or are all replaced.
   */
  replaceBefore(position: number, line: string): Promise<void>;
  /** Puts a checkpoint of all that was added so far in the place of the former one. */
  checkpoint(text: string): Promise<void>;
  /** Never fails: a lease that cannot be given back is found by the next command. */
  release(): Promise<void>;
}

/** Where the log of a service lives, and what its events add up to. */
export interface RosterLog extends Pick<LogStore, "address" | "times" | "close"> {
  /** The state as the last command, finished or not, left it. Takes no lease and writes nothing. */
  read(): Promise<Result<State, Failure>>;
  head(): Promise<Result<LogHead, Failure>>;
  /** Every event, from the first one on, with its place in the chain, some at a time. A log that was changed throws a `StoreError`. */
  readEvents(): AsyncIterable<ReadEvents>;
  lock(command: RunInfo, options?: LockOptions): Promise<Result<LogSession, Failure>>;
  holder(): Promise<Result<LockHolder | "nobody", Failure>>;
  breakLease(id: string): Promise<Result<LockHolder, Failure>>;
  readonly kept: LogStore;
}

export type ReadableLog = Pick<RosterLog, "address" | "readEvents">;

/** What stands in the place of pruned events: what they add up to, without those who were gone. */
export interface LogBase extends Pick<EventOf<"pruned">, "before" | "head"> {
  readonly state: State;
  /** Of the line in which it stands. */
  readonly digest: string;
}

/** Events of a log that follow one another without a gap. */
export interface ReadEvents {
  /** What a pruned log begins with. No events come with it. */
  readonly base?: LogBase | undefined;
  readonly events: readonly LoggedEvent[];
  readonly head: LogHead;
}

export interface LoggedEvent extends LogHead {
  readonly event: LogEvent;
}

/** Who runs what: shown to a person who finds the log leased, and recorded with the first event. */
export interface RunInfo extends Omit<EventOf<"command-started">, "type" | "command"> {
  readonly operation: string;
}

export interface LockOptions {
  /** Milliseconds without a sign of life after which the lease of another command is taken over. Absent: never. */
  readonly breakStaleAfter?: number | undefined;
}

/** The run that holds a lock. What a store's protocol does not say is absent. */
export type LockHolder = t.Static<typeof lockHolder>;
export const lockHolder = t.object({
  id: t.string("What `state unlock` takes."),
  who: t.optional(t.string("Such as `ada@build-7`.")),
  operation: t.optional(t.string("Such as `apply`.")),
  since: t.optional(t.string("ISO 8601, when the lock was taken.")),
  /** By the store's own clock. */
  silentFor: t.optional(t.integer("Milliseconds since the holder gave a sign of life.")),
  hasEnded: t.optional(t.described(t.literal(true), "Its process has ended. The next run takes the lock over.")),
  /** A holder with a lower number can record nothing any more. */
  fence: t.optional(t.integer("Counts the holders of this lock.")),
});

/** What a run needs of a log that is leased for it. */
export interface LeasedLog {
  readonly times?: ServerTimes | undefined;
  readonly state: State;
  /** The state with all that was appended since. Nothing of it is copied: it goes on with the log. */
  now(): State;
  /**
   * Durable when it resolves, and this command held the lease when it became so. What is appended later is durable later; calls made
   * at once share one durable write. Throws when the log is lost or the lease was taken over: then no call may follow.
   */
  append(events: readonly LogEvent[]): Promise<void>;
}

/** The beginning of a log that is to go, and what the rest of it adds up to then. */
export interface LogCut {
  readonly event: EventOf<"pruned">;
  readonly base: LogBase;
  readonly state: State;
  /** How many people remain as digests alone. */
  readonly forgotten: number;
}

export interface LogSession extends LeasedLog {
  /** Records that the log is pruned, and puts the base in the place of the older events. Throws as `append` does. */
  prune(cut: LogCut): Promise<void>;
  /** Where the durable part of the log ends now. */
  head(): LogHead;
  /** Records that the command has ended, takes a checkpoint and gives the lease back. Without events nothing is written. */
  close(): Promise<Result<State, Failure>>;
}
