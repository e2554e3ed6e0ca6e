import { definedFields } from "../../model/collections.ts";
import type { Clock } from "../../ports/clock.ts";
import { isStale, lockedBy, lockedByMany } from "../lock-holder.ts";
import type { LockHolder, LockOptions } from "../port.ts";
import { StoreError, stateError } from "../store-error.ts";
import { type DatabaseConnection, DatabaseError, notAllowed, textAt, wholeAt } from "./connection.ts";

/** The number of the database's lock for the log of the name $1. */
export const lockNumber = "hashtextextended('roster:' || $1, 0)";

/** The sessions that hold the database's lock for the name $1: one or none. */
const lockHoldersSql = `(SELECT pid FROM pg_locks
  WHERE locktype = 'advisory' AND granted AND objsubid = 1
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND ((classid::bigint << 32) | objid::bigint) = ${lockNumber})`;

interface SessionHolder {
  readonly pid: number;
  /** Whether the session has said who it is. */
  readonly isNamed: boolean;
  readonly holder: LockHolder;
}

const holderSql = `SELECT holding.pid, own.id, own.who, own.operation, own.fence::text,
    to_char(own.since AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS since,
    greatest(0, round(extract(epoch FROM clock_timestamp() - own.seen_at) * 1000))::bigint::text AS silent
  FROM ${lockHoldersSql} AS holding
  LEFT JOIN roster_lock AS own ON own.name = $1 AND own.pid = holding.pid AND own.id IS NOT NULL`;

/** Whose session holds the lock. What a session that has ended left in the tables holds nothing. */
export async function findHolder(database: DatabaseConnection): Promise<SessionHolder | undefined> {
  const { rows } = await database.run("read for the holder of its lock", holderSql, [database.place.name]);
  const [row] = rows;
  const pid = wholeAt(row, "pid");
  if (pid === undefined) return undefined;
  const id = textAt(row, "id");
  if (id === undefined) return { pid, isNamed: false, holder: { id: `session-${pid}` } };
  const [who, operation, since] = [textAt(row, "who"), textAt(row, "operation"), textAt(row, "since")];
  const [silentFor, fence] = [wholeAt(row, "silent"), wholeAt(row, "fence")];
  return { pid, isNamed: true, holder: { id, ...definedFields({ who, operation, since, silentFor, fence }) } };
}

interface LockRequester extends LockOptions {
  readonly id: string;
  readonly who: string;
  readonly host: string;
  readonly operation: string;
}

export interface DatabaseLock {
  readonly id: string;
  /** As the database counts: text, since it may grow beyond what a number holds. */
  readonly fence: string;
}

/** Takes the lock for the session of a connection, or says who holds it. */
export async function takeLock(
  database: DatabaseConnection,
  clock: Clock,
  { breakStaleAfter, ...taker }: LockRequester,
): Promise<DatabaseLock> {
  const { shown } = database.place;
  let isBroken = false;
  let last: SessionHolder | undefined;
  for (let round = 0; round < rounds; round += 1) {
    if (await tryLock(database)) {
      const { id, who, host, operation } = taker;
      const { rows } = await database.run("locked", signSql, [database.place.name, id, who, host, operation]);
      const fence = textAt(rows[0], "fence");
      if (fence === undefined) throw sharedSession(database);
      return { id, fence };
    }
    last = await findHolder(database);
    if (last?.isNamed) {
      // Who has broken a lock already leaves it to the first run that comes now.
      if (isBroken || breakStaleAfter === undefined || !isStale(last.holder, breakStaleAfter))
        throw lockedBy(shown, last.holder);
      isBroken = await breakLock(database, clock, last, breakStaleAfter);
      if (isBroken) continue;
    }
    await clock.wait(pause);
  }
  throw last === undefined ? lockedByMany(shown) : lockedBy(shown, last.holder);
}

/** A holder needs a moment between taking the lock and saying who it is; nobody is waited for longer than that. */
const rounds = 20;
const pause = 25;

/** A new session holds no lock: one that does is shared with others, by a pooler. */
const trySql = `SELECT before.count, CASE WHEN before.count = 0 THEN pg_try_advisory_lock(${lockNumber}) ELSE false END AS taken
  FROM (SELECT count(*)::int AS count FROM ${lockHoldersSql} AS holding WHERE pid = pg_backend_pid()) AS before`;

async function tryLock(database: DatabaseConnection): Promise<boolean> {
  const { rows } = await database.run("locked", trySql, [database.place.name]);
  if (wholeAt(rows[0], "count") !== 0) throw sharedSession(database);
  return rows[0]?.["taken"] === true;
}

/** Only in the session that holds the database's lock: raises the fence and says who holds it. */
const signSql = `INSERT INTO roster_lock AS own (name, id, who, host, operation, since, seen_at, fence, pid)
  SELECT $1, $2, $3, $4, $5, clock_timestamp(), clock_timestamp(), 1, pid
  FROM ${lockHoldersSql} AS holding WHERE pid = pg_backend_pid()
  ON CONFLICT (name) DO UPDATE SET id = excluded.id, who = excluded.who, host = excluded.host,
    operation = excluded.operation, since = excluded.since, seen_at = excluded.seen_at, pid = excluded.pid,
    fence = own.fence + 1
  RETURNING fence::text`;

/** The lock belongs to a session of the database; a pooler in transaction mode gives each statement any session. */
export function sharedSession({ place: { shown } }: DatabaseConnection): StoreError {
  return stateError(
    shown,
    `the log at ${shown} cannot be locked: a pooler spreads one connection over several database sessions`,
    "use the address of the database itself, or a pooler port in session mode",
  );
}

/**
 * Raises the fence and ends the holder's session, both or neither. $3: milliseconds of silence without which the
 * holder is left alone.
 */
const breakSql = `WITH broken AS (
    UPDATE roster_lock SET id = NULL, fence = fence + 1
    WHERE name = $1 AND id = $2 AND seen_at <= clock_timestamp() - $3::float8 * interval '1 millisecond'
    RETURNING pid
  ), ended AS (
    SELECT pg_terminate_backend(holding.pid) FROM broken JOIN ${lockHoldersSql} AS holding ON holding.pid = broken.pid
  )
  SELECT (SELECT count(*)::int FROM broken) AS count, (SELECT count(*)::int FROM ended) AS ended`;

const endUnnamedSql = `SELECT count(pg_terminate_backend(holding.pid))::int AS count
  FROM ${lockHoldersSql} AS holding WHERE holding.pid = $2`;

/**
 * False where the holder has given a sign of life, or has changed, in the meantime: then nothing was done. `silentFor`: milliseconds for
 * which the holder must have given no sign of life; 0 on a person's word.
 */
export async function breakLock(
  database: DatabaseConnection,
  clock: Clock,
  { pid, isNamed, holder }: SessionHolder,
  silentFor: number,
): Promise<boolean> {
  const { name, shown, user } = database.place;
  try {
    const values = isNamed ? [name, holder.id, silentFor] : [name, pid];
    const { rows } = await database.run("unlocked", isNamed ? breakSql : endUnnamedSql, values);
    if (wholeAt(rows[0], "count") === 0) return false;
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.code !== notAllowed) throw error;
    const { serviceSays } = error.failure;
    if (serviceSays?.includes("roster_lock")) throw error;
    const { failure } = lockedBy(shown, holder);
    throw new StoreError({
      ...failure,
      message: `${failure.message}, and ${user} has no permission to end its database session`,
      ...definedFields({ serviceSays }),
      hint: `ask a database administrator to run SELECT pg_terminate_backend(${pid}), or to run GRANT pg_signal_backend TO ${user}`,
    });
  }
  for (let tries = 0; tries < breakAttempts; tries += 1) {
    const now = await findHolder(database);
    if (now?.pid !== pid) return true;
    await clock.wait(breakPause);
  }
  throw new StoreError({
    code: "locked",
    message: `the lock was broken, but its database session ${pid} has not ended yet`,
    request: shown,
    hint: "run again in a moment; if it stays, ask a database administrator to end that session",
  });
}

const breakAttempts = 100;
const breakPause = 50;
