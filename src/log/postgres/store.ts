import { type Failure, problem, type Result, success } from "../../model/result.ts";
import type { LockHolder } from "../../model/state.ts";
import { type Clock, momentOf, type Randomness, stopwatch } from "../../ports/clock.ts";
import { isLoopback } from "../../ports/http-client.ts";
import type { Lease, LockOptions, RosterLog, RunInfo } from "../../ports/log.ts";
import { type ServerTimesTracker, trackServerTimes } from "../../ports/server-times.ts";
import { leaseLost, notHeldBy, startHeartbeat } from "../lease.ts";
import { openLog } from "../log.ts";
import type { DatabasePlace } from "./address.ts";
import {
  connect,
  type DatabaseConnection,
  type DatabaseFault,
  databaseFailure,
  type Timeouts,
  wholeAt,
} from "./connection.ts";
import { breakLock, type DatabaseLock, findHolder, lockNumber, sharedSession, shownHolder, takeLock } from "./lock.ts";
import { findTables, linesOf, makeTables, readRows } from "./tables.ts";

interface DatabaseOptions {
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

/** Keeps a log in tables of a PostgreSQL database, under a lock of the session that writes it. */
export function postgresStore(given: Omit<DatabaseOptions, "times">): RosterLog {
  const times = isOtherMachine(given.place) ? trackServerTimes(given.clock) : undefined;
  const options: DatabaseOptions = { ...given, times };
  const { place } = options;
  /** Everything that a store which is closed has to end: a session whose lease was not given back is among it. */
  const endings = new Set<() => Promise<void>>();
  return openLog(
    {
      address: place.shown,
      times,
      read: (from) => asking(options, success({ lines: linesOf("") }), (database) => readRows(database, place, from)),
      lease: (command, lockOptions) => lease(options, { command, lockOptions, endings }),
      holder: () =>
        asking<LockHolder | "nobody">(options, success("nobody"), async (database) => {
          const found = await findHolder(database, place);
          return found.ok && found.value !== "nobody" ? success(shownHolder(found.value)) : found;
        }),
      breakLease: (id) =>
        asking(options, problem(notHeldBy(place.shown, id, "nobody")), (database) => breakLease(database, options, id)),
      async close() {
        await Promise.all([...endings].map((end) => end()));
      },
    },
    options,
  );
}

/** Works with a session of the database for as long as it takes. Nothing is created where the tables are missing. */
async function asking<T>(
  options: DatabaseOptions,
  withoutTables: Result<T, Failure>,
  work: (database: DatabaseConnection) => Promise<Result<T, Failure>>,
): Promise<Result<T, Failure>> {
  const { place } = options;
  const database = await connectedTo(options);
  if (!database.ok) return problem(databaseFailure(database.error, "reached", place));
  try {
    const tables = await findTables(database.value, place);
    if (!tables.ok) return tables;
    return tables.value === "missing" ? withoutTables : await work(database.value);
  } finally {
    await database.value.close();
  }
}

async function breakLease(
  database: DatabaseConnection,
  options: DatabaseOptions,
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

function isOtherMachine({ host }: DatabasePlace): boolean {
  return !host.startsWith("/") && !isLoopback(host.includes(":") ? `[${host}]` : host);
}

async function connectedTo({
  place,
  patience,
  times,
  clock,
}: DatabaseOptions): Promise<Result<DatabaseConnection, DatabaseFault>> {
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

interface LeaseOptions {
  readonly command: RunInfo;
  readonly lockOptions: LockOptions;
  readonly endings: Set<() => Promise<void>>;
}

/** Locks the log in a session of the database that lasts as long as the lease. */
async function lease(
  options: DatabaseOptions,
  { command: { operation }, lockOptions, endings }: LeaseOptions,
): Promise<Result<Lease, Failure>> {
  const { place, owner, randomness, heartbeat, clock } = options;
  const connected = await connectedTo(options);
  if (!connected.ok) return problem(databaseFailure(connected.error, "reached", place));
  const database = connected.value;
  const made = await makeTables(database, place);
  const taker = { ...owner, id: randomness.identifier(), operation };
  const lock = made.ok ? await takeLock(database, options, { taker, lockOptions }) : made;
  if (!lock.ok) {
    await database.close();
    return lock;
  }
  const held = { database, place, lock: lock.value };
  const beating = startHeartbeat(heartbeat, async () => ((await sendHeartbeat(held)).ok ? "held" : "lost"));
  const end = async () => {
    endings.delete(end);
    // A statement that still runs must not hold up the end of the session.
    void beating.stop();
    await database.close();
  };
  endings.add(end);
  return success(leaseOf(held, clock, end));
}

/** A log whose lock this session of the database holds. */
interface HeldLog {
  readonly database: DatabaseConnection;
  readonly place: DatabasePlace;
  readonly lock: DatabaseLock;
}

/** `end` ends what belongs to the session. @internal */
export function leaseOf(held: HeldLog, clock: Clock, end: () => Promise<void>): Lease {
  return {
    async append(lines) {
      const texts = lines.split("\n").slice(0, -1);
      const insert = { statement: appendSql, values: [texts.map(positionIn), texts], rows: texts.length };
      let elapsed = stopwatch(clock);
      let done = await changeOwn(held, "written", insert);
      // A process that was stopped while it asked asks again: others may have thought it dead in the meantime.
      while (done.ok && elapsed() > overslept) {
        elapsed = stopwatch(clock);
        done = await sendHeartbeat(held);
      }
      return done;
    },
    checkpoint: (text) =>
      changeOwn(held, "written", { statement: checkpointSql, values: [positionIn(text), text], rows: 1 }),
    async release() {
      await giveBack(held);
      await end();
    },
  };
}

/** In milliseconds; less than any silence after which a lock may be taken over. */
const overslept = 30_000;

/** The position with which a line, or a checkpoint, begins. */
function positionIn(text: string): number {
  const [, position] = /^\{"position":(\d{1,15}),/u.exec(text) ?? [];
  if (position === undefined) throw new TypeError("what is to be kept does not begin with its position");
  return Number(position);
}

/**
 * The row of a lock that is still ours, kept so until the statement is committed. A run that raises the fence waits for
 * that commit, and this statement waits for a run that is raising it.
 */
const oursSql = `WITH ours AS (SELECT name FROM roster_lock
  WHERE name = $1 AND id = $2 AND fence = $3::bigint AND pid = pg_backend_pid() FOR SHARE)`;

/** All of the lines, or none. Nothing is added behind any other line than the last one. */
const appendSql = `${oursSql}
  INSERT INTO roster_log (name, position, line)
  SELECT ours.name, line.position, line.text FROM ours, unnest($4::bigint[], $5::text[]) AS line (position, text)
  WHERE ($4::bigint[])[1] = (SELECT coalesce(max(position), 0) + 1 FROM roster_log WHERE name = $1)`;

const checkpointSql = `${oursSql}
  INSERT INTO roster_checkpoint (name, position, text) SELECT name, $4::bigint, $5 FROM ours
  ON CONFLICT (name) DO UPDATE
  SET position = excluded.position, text = excluded.text, written_at = excluded.written_at`;

interface OwnChange {
  /** Works only where the lock of $1, $2 and $3 is ours. */
  readonly statement: string;
  /** From $4 on. */
  readonly values: readonly unknown[];
  /** How many it writes then. */
  readonly rows: number;
}

async function changeOwn(
  held: HeldLog,
  doing: string,
  { statement, values, rows }: OwnChange,
): Promise<Result<void, Failure>> {
  const { database, place } = held;
  const done = await database.run(statement, [...oursOf(held), ...values]);
  if (!done.ok) return problem(databaseFailure(done.error, doing, place));
  return done.value.count === rows ? success(undefined) : problem(await lostLock(held));
}

function oursOf({ place, lock }: HeldLog): readonly unknown[] {
  return [place.name, lock.id, lock.fence];
}

/** Says that the holder lives; a failure where the lock is not ours any more, or the database cannot be reached. */
function sendHeartbeat(held: HeldLog): Promise<Result<void, Failure>> {
  const statement = `UPDATE roster_lock SET seen_at = clock_timestamp()
    WHERE name = $1 AND id = $2 AND fence = $3::bigint AND pid = pg_backend_pid()`;
  return changeOwn(held, "kept locked", { statement, values: [], rows: 1 });
}

/** Never fails: the lock of a session that has ended is free in any case. */
async function giveBack(held: HeldLog): Promise<void> {
  const { database, place } = held;
  await database.run(
    "UPDATE roster_lock SET id = NULL WHERE name = $1 AND id = $2 AND fence = $3::bigint",
    oursOf(held),
  );
  await database.run(`SELECT pg_advisory_unlock(${lockNumber})`, [place.name]);
}

/** Why a statement that needs our lock found nothing to do. */
async function lostLock(held: HeldLog): Promise<Failure> {
  const { database, place } = held;
  const row = await database.run(
    "SELECT pid, pg_backend_pid() AS own FROM roster_lock WHERE name = $1 AND id = $2 AND fence = $3::bigint",
    oursOf(held),
  );
  const [found] = row.ok ? row.value.rows : [];
  if (found !== undefined)
    return wholeAt(found, "pid") === wholeAt(found, "own") ? changed(place) : sharedSession(place);
  const holder = await findHolder(database, place);
  return leaseLost(place.shown, holder.ok && holder.value !== "nobody" ? shownHolder(holder.value) : "nobody");
}

function changed(place: DatabasePlace): Failure {
  return {
    code: "state",
    message: `the log at ${place.shown} was changed by hand while this run held its lock`,
    request: place.shown,
    hint: "find out what else writes to roster_log, then run again",
  };
}
