import { retry } from "../../http/retry-loop.ts";
import { type Failure, problem, type Result, success } from "../../model/result.ts";
import { definedFields } from "../../model/role-set.ts";
import type { LockHolder } from "../../model/state.ts";
import type { Clock } from "../../ports/clock.ts";
import type { LockOptions } from "../../ports/log.ts";
import { lockedBy, lockedByMany } from "../lease.ts";
import type { DatabasePlace } from "./address.ts";
import {
  countOf,
  type DatabaseConnection,
  type DatabaseFault,
  type DatabaseRow,
  databaseFailure,
  notAllowed,
  textAt,
  wholeAt,
} from "./connection.ts";

/** The number of the database's lock for the log of the name $1. */
export const lockNumber = "hashtextextended('roster:' || $1, 0)";

/** The sessions that hold the database's lock for the name $1: one or none. */
const lockHoldersSql = `(SELECT pid FROM pg_locks
  WHERE locktype = 'advisory' AND granted AND objsubid = 1
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND ((classid::bigint << 32) | objid::bigint) = ${lockNumber})`;

/** Who holds a lock, and in which of the database's sessions. */
interface SessionHolder extends LockHolder {
  readonly pid: number;
}

const holderSql = `SELECT holding.pid, own.id, own.who, own.operation, own.fence::text,
    to_char(own.since AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS since,
    greatest(0, round(extract(epoch FROM clock_timestamp() - own.seen_at) * 1000))::bigint::text AS silent
  FROM ${lockHoldersSql} AS holding
  LEFT JOIN roster_lock AS own ON own.name = $1 AND own.pid = holding.pid AND own.id IS NOT NULL`;

/** Whose session holds the lock. What a session that has ended left in the tables holds nothing. */
export async function findHolder(
  database: DatabaseConnection,
  place: DatabasePlace,
): Promise<Result<SessionHolder | "nobody", Failure>> {
  const found = await database.run(holderSql, [place.name]);
  if (!found.ok) return problem(databaseFailure(found.error, "read for the holder of its lock", place));
  const [row] = found.value.rows;
  const pid = wholeAt(row, "pid");
  return success(row === undefined || pid === undefined ? "nobody" : holderIn(row, pid));
}

function holderIn(row: DatabaseRow, pid: number): SessionHolder {
  const id = textAt(row, "id");
  if (id === undefined) return { id: sessionId(pid), pid };
  const [who, operation, since] = [textAt(row, "who"), textAt(row, "operation"), textAt(row, "since")];
  const [silentFor, fence] = [wholeAt(row, "silent"), wholeAt(row, "fence")];
  return {
    id,
    pid,
    ...definedFields({ who, operation, since, silentFor, fence }),
  };
}

/** Names a session that holds the lock and has not said who it is. */
function sessionId(pid: number): string {
  return `session-${pid}`;
}

function isUnnamed({ id, pid }: SessionHolder): boolean {
  return id === sessionId(pid);
}

/** Without what only the database knows of it. */
export function shownHolder({ pid: _, ...holder }: SessionHolder): LockHolder {
  return holder;
}

/** Who takes a lock, as others are to see it. */
interface LockRequester {
  readonly id: string;
  readonly who: string;
  readonly host: string;
  readonly operation: string;
}

/** A lock that a session of the database holds. */
export interface DatabaseLock {
  readonly id: string;
  /** As the database counts: text, since it may grow beyond what a number holds. */
  readonly fence: string;
}

interface Around {
  readonly place: DatabasePlace;
  readonly clock: Clock;
}

/** Takes the lock for the session of a connection, or says who holds it. */
export async function takeLock(
  database: DatabaseConnection,
  around: Around,
  wanted: { readonly taker: LockRequester; readonly lockOptions: LockOptions },
): Promise<Result<DatabaseLock, Failure>> {
  const { place, clock } = around;
  let broken = false;
  let last: SessionHolder | undefined;
  for (let round = 0; round < rounds; round += 1) {
    const taken = await tryLock(database, place);
    if (!taken.ok) return taken;
    if (taken.value === "taken") return signLock(database, place, wanted.taker);
    const holder = await findHolder(database, place);
    if (!holder.ok) return holder;
    const next = await retryAfterLook(database, around, {
      holder: holder.value,
      lockOptions: wanted.lockOptions,
      broken,
    });
    if (!next.ok) return next;
    broken ||= next.value === "broken";
    last = holder.value === "nobody" ? undefined : holder.value;
    if (next.value === "look again") await clock.wait(pause);
  }
  return problem(last === undefined ? lockedByMany(place.shown) : lockedBy(place.shown, shownHolder(last)));
}

/** A holder needs a moment between taking the lock and saying who it is; nobody is waited for longer than that. */
const rounds = 20;
const pause = 25;

interface Looked {
  readonly holder: SessionHolder | "nobody";
  readonly lockOptions: LockOptions;
  /** This taker has broken a lock already: the first run that comes now may have it. */
  readonly broken: boolean;
}

async function retryAfterLook(
  database: DatabaseConnection,
  around: Around,
  { holder, lockOptions: { breakStaleAfter }, broken }: Looked,
): Promise<Result<"broken" | "look again", Failure>> {
  if (holder === "nobody" || isUnnamed(holder)) return success("look again");
  const silentFor = holder.silentFor ?? 0;
  if (broken || breakStaleAfter === undefined || silentFor < breakStaleAfter) {
    return problem(lockedBy(around.place.shown, shownHolder(holder)));
  }
  const done = await breakLock(database, around, { holder, silentFor: breakStaleAfter });
  if (!done.ok) return done;
  return success(done.value === "broken" ? "broken" : "look again");
}

/** A new session holds no lock: one that does is shared with others, by a pooler. */
const trySql = `SELECT before.count, CASE WHEN before.count = 0 THEN pg_try_advisory_lock(${lockNumber}) ELSE false END AS taken
  FROM (SELECT count(*)::int AS count FROM ${lockHoldersSql} AS holding WHERE pid = pg_backend_pid()) AS before`;

async function tryLock(database: DatabaseConnection, place: DatabasePlace): Promise<Result<"taken" | "held", Failure>> {
  const tried = await database.run(trySql, [place.name]);
  if (!tried.ok) return problem(databaseFailure(tried.error, "locked", place));
  const [row] = tried.value.rows;
  if (wholeAt(row, "count") !== 0) return problem(sharedSession(place));
  return success(row?.["taken"] === true ? "taken" : "held");
}

/** Only in the session that holds the database's lock: raises the fence and says who holds it. */
const signSql = `INSERT INTO roster_lock AS own (name, id, who, host, operation, since, seen_at, fence, pid)
  SELECT $1, $2, $3, $4, $5, clock_timestamp(), clock_timestamp(), 1, pid
  FROM ${lockHoldersSql} AS holding WHERE pid = pg_backend_pid()
  ON CONFLICT (name) DO UPDATE SET id = excluded.id, who = excluded.who, host = excluded.host,
    operation = excluded.operation, since = excluded.since, seen_at = excluded.seen_at, pid = excluded.pid,
    fence = own.fence + 1
  RETURNING fence::text`;

async function signLock(
  database: DatabaseConnection,
  place: DatabasePlace,
  taker: LockRequester,
): Promise<Result<DatabaseLock, Failure>> {
  const { id, who, host, operation } = taker;
  const signed = await database.run(signSql, [place.name, id, who, host, operation]);
  if (!signed.ok) return problem(databaseFailure(signed.error, "locked", place));
  const fence = textAt(signed.value.rows[0], "fence");
  return fence === undefined ? problem(sharedSession(place)) : success({ id, fence });
}

/** The lock belongs to a session of the database; a pooler in transaction mode gives each statement any session. */
export function sharedSession(place: DatabasePlace): Failure {
  return {
    code: "state",
    message: `the log at ${place.shown} cannot be locked: a pooler spreads one connection over several database sessions`,
    request: place.shown,
    hint: "use the address of the database itself, or a pooler port in session mode",
  };
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

interface BreakLockOptions {
  readonly holder: SessionHolder;
  /** Milliseconds for which the holder must have given no sign of life; 0 on a person's word. */
  readonly silentFor: number;
}

/** `moved on`: the holder has given a sign of life, or has changed, in the meantime; nothing was done. */
export async function breakLock(
  database: DatabaseConnection,
  { place, clock }: { readonly place: DatabasePlace; readonly clock: Clock },
  { holder, silentFor }: BreakLockOptions,
): Promise<Result<"broken" | "moved on", Failure>> {
  const values = isUnnamed(holder) ? [place.name, holder.pid] : [place.name, holder.id, silentFor];
  const broken = await database.run(isUnnamed(holder) ? endUnnamedSql : breakSql, values);
  if (!broken.ok) return problem(notBroken(broken.error, holder, place));
  if (countOf(broken.value) === 0) return success("moved on");
  return untilGone(database, { place, clock }, holder);
}

async function untilGone(
  database: DatabaseConnection,
  { place, clock }: { readonly place: DatabasePlace; readonly clock: Clock },
  { pid }: SessionHolder,
): Promise<Result<"broken", Failure>> {
  const found = await retry(() => findHolder(database, place), {
    clock,
    pauseAfter: (found, { tries }) =>
      found.ok && found.value !== "nobody" && found.value.pid === pid && tries < breakAttempts ? breakPause : undefined,
  });
  if (!found.ok) return found;
  if (found.value === "nobody" || found.value.pid !== pid) return success("broken");
  return problem({
    code: "locked",
    message: `the lock was broken, but its database session ${pid} has not ended yet`,
    request: place.shown,
    hint: "run again in a moment; if it stays, ask a database administrator to end that session",
  });
}

const breakAttempts = 100;
const breakPause = 50;

function notBroken(fault: DatabaseFault, holder: SessionHolder, place: DatabasePlace): Failure {
  if (fault.code !== notAllowed || fault.says.includes("roster_lock")) return databaseFailure(fault, "unlocked", place);
  const locked = lockedBy(place.shown, shownHolder(holder));
  return {
    ...locked,
    message: `${locked.message}, and ${place.user} has no permission to end its database session`,
    serviceSays: fault.says.slice(0, 300),
    hint: `ask a database administrator to run SELECT pg_terminate_backend(${holder.pid}), or to run GRANT pg_signal_backend TO ${place.user}`,
  };
}
