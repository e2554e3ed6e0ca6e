import { encodeJournalStart } from "../../codec/journal.ts";
import { encodeState } from "../../codec/state.ts";
import { type Failure, problem, type Result, success } from "../../model/result.ts";
import { emptyState, type LockHolder, type State } from "../../model/state.ts";
import { type Clock, momentOf, type Randomness, stopwatch } from "../../ports/clock.ts";
import { isLoopback } from "../../ports/http-client.ts";
import { type ServerTimesTracker, trackServerTimes } from "../../ports/server-times.ts";
import type { LockOptions, RunInfo, StateSession, StateStore } from "../../ports/state-store.ts";
import { lockLost, notHeldBy, startHeartbeat } from "../lock.ts";
import { groupCommit, journalledSession, withLineage } from "../session.ts";
import type { DatabasePlace } from "./address.ts";
import {
  connect,
  countOf,
  type DatabaseConnection,
  type DatabaseFault,
  databaseFailure,
  type Timeouts,
  wholeAt,
} from "./connection.ts";
import { breakLock, type DatabaseLock, findHolder, lockNumber, sharedSession, shownHolder, takeLock } from "./lock.ts";
import { findTables, makeTables, readStoredRows, reportOf, type StoredRows } from "./tables.ts";

/** Keeps the state in tables of a PostgreSQL database, under a lock of the session that writes it. */
export function postgresStore(given: Omit<LockingOptions, "times">): StateStore {
  const times = isOtherMachine(given.place) ? trackServerTimes(given.clock) : undefined;
  const options: LockingOptions = { ...given, times };
  const { place } = options;
  const endings = new Set<() => Promise<void>>();
  return {
    address: place.shown,
    times,
    async read() {
      const rows = await asking(options, (database) => readStoredRows(database, place));
      if (!rows.ok) return rows;
      return success(rows.value === "no tables" ? emptyState("") : rows.value.state);
    },
    lock: (run, lockOptions = {}) => lockState(options, { run, lockOptions, endings }),
    async holder() {
      const holder = await asking(options, (database) => findHolder(database, place));
      if (!holder.ok) return holder;
      return success(holder.value === "no tables" || holder.value === "nobody" ? "nobody" : shownHolder(holder.value));
    },
    async unlock(id) {
      const unlocked = await asking(options, (database) => unlock(database, options, id));
      if (!unlocked.ok) return unlocked;
      return unlocked.value === "no tables" ? problem(notHeldBy(place.shown, id, "nobody")) : success(unlocked.value);
    },
    async verify() {
      const rows = await asking(options, (database) => readStoredRows(database, place));
      return rows.ok ? success(reportOf(rows.value)) : rows;
    },
    async close() {
      await Promise.all([...endings].map((end) => end()));
    },
  };
}

/** Works with a session of the database for as long as it takes. Nothing is created where the tables are missing. */
async function asking<T>(
  options: LockingOptions,
  work: (database: DatabaseConnection) => Promise<Result<T, Failure>>,
): Promise<Result<T | "no tables", Failure>> {
  const { place } = options;
  const database = await connectedTo(options);
  if (!database.ok) return problem(databaseFailure(database.error, "reached", place));
  try {
    const tables = await findTables(database.value, place);
    if (!tables.ok) return tables;
    return tables.value === "missing" ? success("no tables") : await work(database.value);
  } finally {
    await database.value.close();
  }
}

async function unlock(
  database: DatabaseConnection,
  options: LockingOptions,
  id: string,
): Promise<Result<LockHolder, Failure>> {
  const { place } = options;
  const found = await findHolder(database, place);
  if (!found.ok) return found;
  if (found.value === "nobody") return problem(notHeldBy(place.shown, id, "nobody"));
  if (found.value.id !== id) return problem(notHeldBy(place.shown, id, shownHolder(found.value)));
  const broken = await breakLock(database, options, { holder: found.value, silentFor: 0 });
  if (!broken.ok) return broken;
  return broken.value === "broken" ? success(shownHolder(found.value)) : problem(notHeldBy(place.shown, id, "nobody"));
}

export interface LockingOptions {
  readonly place: DatabasePlace;
  /** The holder of the lock, as others see it: such as `ada@build-7`, and the machine. */
  readonly owner: { readonly who: string; readonly host: string };
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly patience: Timeouts;
  /** Milliseconds between two signs of life. */
  readonly heartbeat: number;
  /** Learns the time of the database, where that is another machine's. */
  readonly times?: ServerTimesTracker | undefined;
}

function isOtherMachine({ host }: DatabasePlace): boolean {
  return !host.startsWith("/") && !isLoopback(host.includes(":") ? `[${host}]` : host);
}

async function connectedTo({
  place,
  patience,
  times,
  clock,
}: LockingOptions): Promise<Result<DatabaseConnection, DatabaseFault>> {
  const connected = await connect(place, patience);
  if (!connected.ok || times === undefined) return connected;
  const sent = momentOf(clock);
  const told = await connected.value.run(
    "SELECT round(extract(epoch FROM clock_timestamp()) * 1000)::bigint::text AS now",
  );
  const [row] = told.ok ? told.value.rows : [];
  const time = row === undefined ? undefined : wholeAt(row, "now");
  if (time !== undefined) times.told(time, { sent, roundedTo: 1 });
  return connected;
}

interface StateLockOptions {
  readonly run: RunInfo;
  readonly lockOptions: LockOptions;
  /** Everything that a store which is closed has to end: a session that is not closed by its run is among it. */
  readonly endings: Set<() => Promise<void>>;
}

/** Locks the state in a session of the database that lasts as long as the run. */
async function lockState(options: LockingOptions, locking: StateLockOptions): Promise<Result<StateSession, Failure>> {
  const { place } = options;
  const connected = await connectedTo(options);
  if (!connected.ok) return problem(databaseFailure(connected.error, "reached", place));
  const database = connected.value;
  const held = await lockIn(database, options, locking);
  if (held.ok)
    return success({
      ...beginSession(database, options, { ...held.value, endings: locking.endings }),
      times: options.times,
    });
  await database.close();
  return held;
}

interface LockedRow {
  readonly lock: DatabaseLock;
  readonly stored: StoredRows;
}

async function lockIn(
  database: DatabaseConnection,
  options: LockingOptions,
  { run, lockOptions }: StateLockOptions,
): Promise<Result<LockedRow, Failure>> {
  const { place, owner, randomness } = options;
  const made = await makeTables(database, place);
  if (!made.ok) return made;
  const taker = { ...owner, id: randomness.identifier(), operation: run.operation };
  const lock = await takeLock(database, options, { taker, lockOptions });
  if (!lock.ok) return lock;
  const stored = await readStoredRows(database, place);
  if (stored.ok) {
    const named = { ...stored.value, state: withLineage(stored.value.state, randomness) };
    return success({ lock: lock.value, stored: named });
  }
  await releaseState({ database, place, lock: lock.value });
  return stored;
}

function beginSession(
  database: DatabaseConnection,
  { place, clock, heartbeat }: LockingOptions,
  { lock, stored, endings }: LockedRow & Pick<StateLockOptions, "endings">,
): StateSession {
  const { lineage, serial } = stored.state;
  const held: LockedState = { database, place, lock, base: { lineage, serial, saved: stored.saved } };
  const beating = startHeartbeat(heartbeat, async () => ((await sendHeartbeat(held)).ok ? "held" : "lost"));
  const end = async () => {
    endings.delete(end);
    // A statement that still runs must not hold up the end of the session.
    void beating.stop();
    await database.close();
  };
  endings.add(end);
  return postgresSession({ held, stored, clock, end });
}

interface LockedSession {
  readonly held: LockedState;
  readonly stored: StoredRows;
  readonly clock: Clock;
  /** Ends what belongs to the session. */
  readonly end: () => Promise<void>;
}

/** A locked state in the tables. @internal */
export function postgresSession({ held, stored, clock, end }: LockedSession): StateSession {
  const { state } = stored;
  let lines = stored.lines;

  const commit = groupCommit(async (texts: readonly string[]) => {
    const begin = lines === 0 ? encodeJournalStart(held.base) : "";
    const more = `${begin}${texts.join("")}`.split("\n").slice(0, -1);
    let elapsed = stopwatch(clock);
    let done = await addLines(held, lines, more);
    // A process that was stopped while it asked asks again: others may have thought it dead in the meantime.
    while (done.ok && elapsed() > overslept) {
      elapsed = stopwatch(clock);
      done = await sendHeartbeat(held);
    }
    if (!done.ok) throw new Error(done.error.message);
    lines += more.length;
  });

  return journalledSession(stored, {
    append: commit,
    save: (next) => saveState(held, { ...next, serial: Math.max(state.serial, next.serial) + 1 }),
    async release() {
      await releaseState(held);
      await end();
    },
  });
}

/** In milliseconds; less than any silence after which a lock may be taken over. */
const overslept = 30_000;

/** A state that this session of the database holds the lock of, and the version that was saved when it took it. */
interface LockedState {
  readonly database: DatabaseConnection;
  readonly place: DatabasePlace;
  readonly lock: DatabaseLock;
  readonly base: { readonly lineage: string; readonly serial: number; readonly saved: boolean };
}

/**
 * The row of a lock that is still ours, kept so until the statement is committed. A run that raises the fence waits for
 * that commit, and this statement waits for a run that is raising it.
 */
const ownLockSql = `SELECT name FROM roster_lock
  WHERE name = $1 AND id = $2 AND fence = $3::bigint AND pid = pg_backend_pid()`;

function oursOf({ place, lock }: Pick<LockedState, "place" | "lock">): readonly unknown[] {
  return [place.name, lock.id, lock.fence];
}

const appendSql = `WITH ours AS (${ownLockSql} FOR SHARE)
  INSERT INTO roster_journal (name, lineage, serial, position, line)
  SELECT ours.name, $4, $5::bigint, $6::bigint + line.number, line.text
  FROM ours, unnest($7::text[]) WITH ORDINALITY AS line (text, number)
  WHERE $8::bigint = (SELECT count(*) FROM roster_state WHERE name = $1 AND lineage = $4 AND serial = $5::bigint)
    AND NOT EXISTS (SELECT FROM roster_state WHERE name = $1 AND (lineage <> $4 OR serial <> $5::bigint))`;

/** Adds lines behind as many that are there; all of them durable, or none. @internal */
export async function addLines(
  held: LockedState,
  after: number,
  lines: readonly string[],
): Promise<Result<void, Failure>> {
  const { database, place, base } = held;
  const values = [...oursOf(held), base.lineage, base.serial, after, lines, base.saved ? 1 : 0];
  const added = await database.run(appendSql, values);
  if (!added.ok) return problem(databaseFailure(added.error, "written", place));
  return added.value.count === lines.length ? success(undefined) : problem(await lostLock(held));
}

const saveSql = `WITH ours AS (${ownLockSql} FOR UPDATE),
  saved AS (
    INSERT INTO roster_state AS kept (name, lineage, serial, document)
    SELECT name, $4, $5::bigint, $6 FROM ours
    ON CONFLICT (name) DO UPDATE
    SET lineage = excluded.lineage, serial = excluded.serial, document = excluded.document, saved_at = excluded.saved_at
    WHERE kept.lineage = $7 AND kept.serial = $8::bigint
    RETURNING name
  ), cleared AS (DELETE FROM roster_journal USING saved WHERE roster_journal.name = saved.name)
  SELECT count(*)::int AS count FROM saved`;

/** Puts a version in the place of the saved one and of the journal after it, in one step. */
async function saveState(held: LockedState, state: State): Promise<Result<State, Failure>> {
  const { database, place, base } = held;
  const values = [...oursOf(held), state.lineage, state.serial, encodeState(state), base.lineage, base.serial];
  const saved = await database.run(saveSql, values);
  if (!saved.ok) return problem(databaseFailure(saved.error, "written", place));
  return countOf(saved.value) === 1 ? success(state) : problem(await lostLock(held));
}

/** Says that the holder lives; a failure where the lock is not ours any more, or the database cannot be reached. */
async function sendHeartbeat(held: LockedState): Promise<Result<void, Failure>> {
  const sql = `UPDATE roster_lock SET seen_at = clock_timestamp()
    WHERE name = $1 AND id = $2 AND fence = $3::bigint AND pid = pg_backend_pid()`;
  const given = await held.database.run(sql, oursOf(held));
  if (!given.ok) return problem(databaseFailure(given.error, "kept locked", held.place));
  return given.value.count === 1 ? success(undefined) : problem(await lostLock(held));
}

/** Never fails: the lock of a session that has ended is free in any case. */
async function releaseState(held: Pick<LockedState, "database" | "place" | "lock">): Promise<void> {
  const { database, place } = held;
  await database.run(
    `UPDATE roster_lock SET id = NULL WHERE name = $1 AND id = $2 AND fence = $3::bigint`,
    oursOf(held),
  );
  await database.run(`SELECT pg_advisory_unlock(${lockNumber})`, [place.name]);
}

/** Why a statement that needs our lock found nothing to do. */
async function lostLock(held: LockedState): Promise<Failure> {
  const { database, place } = held;
  const row = await database.run(
    `SELECT pid, pg_backend_pid() AS own FROM roster_lock WHERE name = $1 AND id = $2 AND fence = $3::bigint`,
    oursOf(held),
  );
  const [found] = row.ok ? row.value.rows : [];
  if (found !== undefined)
    return wholeAt(found, "pid") === wholeAt(found, "own") ? changed(place) : sharedSession(place);
  const holder = await findHolder(database, place);
  return lockLost(place.shown, holder.ok && holder.value !== "nobody" ? shownHolder(holder.value) : "nobody");
}

function changed(place: DatabasePlace): Failure {
  return {
    code: "state",
    message: `the state at ${place.shown} was changed by hand while this run held its lock`,
    request: place.shown,
    hint: "find out what else writes to roster_state, then run again",
  };
}
