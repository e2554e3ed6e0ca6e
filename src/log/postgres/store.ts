import { isLoopback } from "../../http/http-client.ts";
import { type ServerTimesTracker, trackServerTimes } from "../../http/server-times.ts";
import { type Clock, momentOf, type Randomness, stopwatch } from "../../ports/clock.ts";
import { positionOf } from "../hash-chain.ts";
import { leaseLost, notHeldBy, overslept, startHeartbeat } from "../lock-holder.ts";
import { openLog } from "../log.ts";
import type { Lease, LockOptions, RosterLog, RunInfo } from "../port.ts";
import { orGiveBack, outcomeOf, type StoreError, stateError, tooLarge } from "../store-error.ts";
import type { DatabasePlace } from "./address.ts";
import { connect, type DatabaseConnection, type Timeouts, wholeAt } from "./connection.ts";
import { breakLock, type DatabaseLock, findHolder, lockNumber, sharedSession, takeLock } from "./lock.ts";
import { hasTables, type LogPage, largestCheckpoint, makeTables, readPage } from "./tables.ts";

interface DatabaseOptions {
  readonly place: DatabasePlace;
  /** The holder of the lock, as others see it: such as `ada@build-7`, and the machine. */
  readonly owner: { readonly who: string; readonly host: string };
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly patience: Timeouts;
  /** Milliseconds between two signs of life. */
  readonly heartbeat: number;
  /** How many lines are read at once. */
  readonly page?: number | undefined;
}

interface Database extends DatabaseOptions {
  /** Learns the time of the database, where that is another machine's. */
  readonly times: ServerTimesTracker | undefined;
  /** Everything that a store which is closed has to end: a session whose lease was not given back is among it. */
  readonly endings: Set<() => Promise<void>>;
}

/** Keeps a log in tables of a PostgreSQL database, under a lock of the session that writes it. */
export function postgresStore(options: DatabaseOptions): RosterLog {
  const { place, clock, page = 2000 } = options;
  const { host } = place;
  const isLocal = host.startsWith("/") || isLoopback(host.includes(":") ? `[${host}]` : host);
  const times = isLocal ? undefined : trackServerTimes(clock);
  const store: Database = { ...options, times, endings: new Set() };
  return openLog(
    {
      address: place.shown,
      times,
      async read(from) {
        const first = await asking(store, (database) => readPage(database, from, page));
        const { checkpoint, ...lines } = first ?? { lines: "", last: undefined };
        return { checkpoint, lines: readPages(store, lines, page) };
      },
      lease: (command, wishes) => lease(store, command, wishes),
      holder: async () => (await asking(store, findHolder))?.holder ?? "nobody",
      async breakLease(id) {
        const broken = await asking(store, async (database) => {
          const found = await findHolder(database);
          if (found?.holder.id !== id) throw notHeldBy(place.shown, id, found?.holder ?? "nobody");
          return (await breakLock(database, clock, found, 0)) ? found.holder : undefined;
        });
        if (broken === undefined) throw notHeldBy(place.shown, id, "nobody");
        return broken;
      },
      async close() {
        await Promise.all([...store.endings].map((end) => end()));
      },
    },
    options,
  );
}

/** Works with a session of the database for as long as it takes. Undefined where the tables are missing: nothing is created. */
async function asking<T>(store: Database, work: (database: DatabaseConnection) => Promise<T>): Promise<T | undefined> {
  const database = await connectTo(store);
  try {
    return (await hasTables(database)) ? await work(database) : undefined;
  } finally {
    await database.close();
  }
}

async function connectTo({ place, patience, times, clock }: Database): Promise<DatabaseConnection> {
  const database = await connect(place, patience);
  if (times === undefined) return database;
  const sent = momentOf(clock);
  const now = "SELECT round(extract(epoch FROM clock_timestamp()) * 1000)::bigint::text AS now";
  const told = await outcomeOf(() => database.run("read", now));
  const time = told.ok ? wholeAt(told.value.rows[0], "now") : undefined;
  if (time !== undefined) times.told(time, { sent, roundedTo: 1 });
  return database;
}

/** The lines that were read already, and those behind them in a session of their own. */
async function* readPages(store: Database, first: Pick<LogPage, "lines" | "last">, size: number) {
  if (first.lines !== "") yield first.lines;
  if (first.last === undefined) return;
  const database = await connectTo(store);
  try {
    for (let last: number | undefined = first.last; last !== undefined; ) {
      const page: LogPage = await readPage(database, last, size);
      if (page.lines !== "") yield page.lines;
      last = page.last;
    }
  } finally {
    await database.close();
  }
}

/** Locks the log in a session of the database that lasts as long as the lease. */
async function lease(store: Database, { operation }: RunInfo, wishes: LockOptions): Promise<Lease> {
  const { owner, randomness, heartbeat, clock, endings } = store;
  const database = await connectTo(store);
  return orGiveBack(database.close, async () => {
    await makeTables(database);
    const taker = { ...owner, ...wishes, id: randomness.identifier(), operation };
    const held = { database, lock: await takeLock(database, clock, taker) };
    const endHeartbeat = startHeartbeat(heartbeat, async () =>
      (await outcomeOf(() => sendHeartbeat(held))).ok ? "held" : "lost",
    );
    const end = async () => {
      endings.delete(end);
      // A statement that still runs must not hold up the end of the session.
      void endHeartbeat();
      await database.close();
    };
    endings.add(end);
    return leaseOf(held, clock, end);
  });
}

interface HeldLog {
  readonly database: DatabaseConnection;
  readonly lock: DatabaseLock;
}

/** `end` ends what belongs to the session. */
export function leaseOf(held: HeldLog, clock: Clock, end: () => Promise<void>): Lease {
  return {
    async append(lines) {
      const texts = lines.split("\n").slice(0, -1);
      let elapsed = stopwatch(clock);
      await changeOwn(held, "written", appendSql, [texts.map(positionOf), texts], texts.length);
      // A process that was stopped while it asked asks again: others may have thought it dead in the meantime.
      while (elapsed() > overslept) {
        elapsed = stopwatch(clock);
        await sendHeartbeat(held);
      }
    },
    replaceBefore: (position, line) => changeOwn(held, "pruned", replaceSql, [position, line], 1),
    async checkpoint(text) {
      if (Buffer.byteLength(text) > largestCheckpoint) throw tooLarge(held.database.place.shown);
      await changeOwn(held, "written", checkpointSql, [positionOf(text), text], 1);
    },
    async release() {
      const { database } = held;
      const { name } = database.place;
      // The lock of a session that has ended is free in any case.
      await outcomeOf(() => database.run("unlocked", `UPDATE roster_lock SET id = NULL WHERE ${isOurs}`, oursOf(held)));
      await outcomeOf(() => database.run("unlocked", `SELECT pg_advisory_unlock(${lockNumber})`, [name]));
      await end();
    },
  };
}

const isOurs = "name = $1 AND id = $2 AND fence = $3::bigint";

/**
 * The row of a lock that is still ours, kept so until the statement is committed. A run that raises the fence waits for
 * that commit, and this statement waits for a run that is raising it.
 */
const oursSql = `WITH ours AS (SELECT name FROM roster_lock WHERE ${isOurs} AND pid = pg_backend_pid() FOR SHARE)`;

/** All of the lines, or none. Nothing is added behind any other line than the last one. */
const appendSql = `${oursSql}
  INSERT INTO roster_log (name, position, line)
  SELECT ours.name, line.position, line.text FROM ours, unnest($4::bigint[], $5::text[]) AS line (position, text)
  WHERE ($4::bigint[])[1] = (SELECT coalesce(max(position) + 1, ($4::bigint[])[1]) FROM roster_log WHERE name = $1)`;

/** The checkpoint is no more what the log adds up to. */
const replaceSql = `${oursSql},
  emptied AS (UPDATE roster_checkpoint AS kept SET position = $4::bigint, text = '' FROM ours WHERE kept.name = ours.name),
  gone AS (DELETE FROM roster_log AS older USING ours WHERE older.name = ours.name AND older.position < $4::bigint)
  UPDATE roster_log AS last SET line = $5 FROM ours WHERE last.name = ours.name AND last.position = $4::bigint`;

const checkpointSql = `${oursSql}
  INSERT INTO roster_checkpoint (name, position, text) SELECT name, $4::bigint, $5 FROM ours
  ON CONFLICT (name) DO UPDATE
  SET position = excluded.position, text = excluded.text, written_at = excluded.written_at`;

/** Runs a statement that works only where the lock of $1, $2 and $3 is ours, and writes so many rows then. */
async function changeOwn(held: HeldLog, doing: string, statement: string, values: readonly unknown[], rows: number) {
  const { count } = await held.database.run(doing, statement, [...oursOf(held), ...values]);
  if (count !== rows) throw await lostLock(held);
}

function oursOf({ database, lock }: HeldLog): readonly unknown[] {
  return [database.place.name, lock.id, lock.fence];
}

/** Says that the holder lives; fails where the lock is not ours any more, or the database cannot be reached. */
function sendHeartbeat(held: HeldLog): Promise<void> {
  const statement = `UPDATE roster_lock SET seen_at = clock_timestamp() WHERE ${isOurs} AND pid = pg_backend_pid()`;
  return changeOwn(held, "kept locked", statement, [], 1);
}

/** Why a statement that needs our lock found nothing to do. */
async function lostLock(held: HeldLog): Promise<StoreError> {
  const { database } = held;
  const { shown } = database.place;
  const own = `SELECT pid, pg_backend_pid() AS own FROM roster_lock WHERE ${isOurs}`;
  const found = await outcomeOf(() => database.run("read", own, oursOf(held)));
  const [row] = found.ok ? found.value.rows : [];
  if (row !== undefined && wholeAt(row, "pid") !== wholeAt(row, "own")) return sharedSession(database);
  if (row !== undefined)
    return stateError(
      shown,
      `the log at ${shown} was changed by hand while this run held its lock`,
      "find out what else writes to roster_log, then run again",
    );
  const holder = await outcomeOf(() => findHolder(database));
  return leaseLost(shown, (holder.ok ? holder.value?.holder : undefined) ?? "nobody");
}
