import type { Failure } from "../../model/failure.ts";
import { problem, type Result, success } from "../../model/result.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Randomness } from "../../ports/randomness.ts";
import type { LockOptions, RunInfo, StateSession } from "../../ports/state-store.ts";
import { type Connection, connect, type Timeouts } from "./connection.ts";
import { databaseFailure } from "./database-fault.ts";
import { type LockedState, releaseState, sendHeartbeat } from "./held-state.ts";
import type { DatabasePlace } from "./postgres-address.ts";
import { postgresSession } from "./postgres-session.ts";
import { startHeartbeats } from "./signs-of-life.ts";
import { readStoredRows, type StoredRows } from "./stored-rows.ts";
import { makeTables } from "./tables.ts";
import { type DatabaseLock, takeLock } from "./take-lock.ts";

export interface LockingOptions {
  readonly place: DatabasePlace;
  /** Whoever locks, as others are to see it: such as `ada@build-7`, and the machine. */
  readonly owner: { readonly who: string; readonly host: string };
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly patience: Timeouts;
  /** Milliseconds between two signs of life. */
  readonly heartbeat: number;
}

export interface StateLockOptions {
  readonly run: RunInfo;
  readonly wishes: LockOptions;
  /** Everything that a store which is closed has to end: a session that is not closed by its run is among it. */
  readonly endings: Set<() => Promise<void>>;
}

/** Locks the state in a session of the database that lasts as long as the run. */
export async function lockState(
  options: LockingOptions,
  locking: StateLockOptions,
): Promise<Result<StateSession, Failure>> {
  const { place, patience } = options;
  const connected = await connect(place, patience);
  if (!connected.ok) return problem(databaseFailure(connected.error, "reached", place));
  const database = connected.value;
  const held = await lockIn(database, options, locking);
  if (held.ok) return success(beginSession(database, options, { ...held.value, endings: locking.endings }));
  await database.close();
  return held;
}

interface Locked {
  readonly lock: DatabaseLock;
  readonly stored: StoredRows;
}

async function lockIn(
  database: Connection,
  options: LockingOptions,
  { run, wishes }: StateLockOptions,
): Promise<Result<Locked, Failure>> {
  const { place, owner, randomness } = options;
  const made = await makeTables(database, place);
  if (!made.ok) return made;
  const taker = { ...owner, id: randomness.identifier(), operation: run.operation };
  const lock = await takeLock(database, options, { taker, wishes });
  if (!lock.ok) return lock;
  const stored = await readStoredRows(database, place);
  if (stored.ok) return success({ lock: lock.value, stored: named(stored.value, randomness) });
  await releaseState({ database, place, lock: lock.value });
  return stored;
}

/** A state that was never kept gets the name that its versions will carry. */
function named(stored: StoredRows, randomness: Randomness): StoredRows {
  if (stored.state.lineage !== "") return stored;
  return { ...stored, state: { ...stored.state, lineage: randomness.identifier() } };
}

function beginSession(
  database: Connection,
  { place, clock, heartbeat }: LockingOptions,
  { lock, stored, endings }: Locked & Pick<StateLockOptions, "endings">,
): StateSession {
  const { lineage, serial } = stored.state;
  const held: LockedState = { database, place, lock, base: { lineage, serial, saved: stored.saved } };
  const stopSigns = startHeartbeats(heartbeat, () => sendHeartbeat(held));
  const end = async () => {
    endings.delete(end);
    stopSigns();
    await database.close();
  };
  endings.add(end);
  return postgresSession({ held, stored, clock, end });
}
