import type { LockHolder, LogSession, RosterLog } from "../../src/log/port.ts";
import type { LogEvent } from "../../src/model/event.ts";
import type { State } from "../../src/model/state.ts";
import { aRun, unwrap } from "./state-place.ts";

export interface StorePlace {
  open(): Promise<RosterLog>;
  /** A store of a process that is stopped: what it locks gives no sign of life after that. Absent where none ever does. */
  readonly openSilent?: () => Promise<RosterLog>;
  /** Lets so many milliseconds pass, as the store counts a holder's silence. Living holders give signs of life in them. */
  readonly pass?: (milliseconds: number) => Promise<void>;
  /** Ends the process of a store without a word: it closes nothing, and its lock becomes free in the way of this kind. */
  kill(store: RosterLog): Promise<void>;
  /** Everything that is kept, without the lock; "" where nothing is kept. */
  content(): Promise<string>;
  /** Breaks a line behind the checkpoint so that no reader may take it for one. A command has ended there. */
  damage(): Promise<void>;
  /** A store with the same credentials, at an address where nobody answers. Absent where nothing is connected to. */
  readonly openUnreachable?: () => Promise<RosterLog>;
}

export interface StoreKind {
  readonly name: string;
  place(): Promise<StorePlace>;
  /** What may be in no address, failure or error, such as a password in the address. */
  readonly secrets: readonly string[];
  /** Milliseconds of silence, bearable in a test, after which a lock is taken over; absent where no holder gives signs of life. */
  readonly deadAfter?: number;
}

export async function locked(store: RosterLog): Promise<LogSession> {
  return unwrap(await store.lock(aRun));
}

/** Locks, appends, and closes: the state that was saved. */
export async function saving(store: RosterLog, events: readonly LogEvent[]): Promise<State> {
  const session = await locked(store);
  await session.append(events);
  const saved = unwrap(await session.close());
  await store.close();
  return saved;
}

export async function held(store: RosterLog): Promise<LockHolder> {
  const holder = unwrap(await store.holder());
  if (holder === "nobody") throw new Error("nobody holds the lock");
  return holder;
}
