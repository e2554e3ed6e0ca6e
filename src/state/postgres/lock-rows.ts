import type { Failure } from "../../model/failure.ts";
import { problem, type Result, success } from "../../model/result.ts";
import type { LockHolder } from "../../ports/state-store.ts";
import type { Connection, Row } from "./connection.ts";
import { databaseFailure } from "./database-fault.ts";
import type { DatabasePlace } from "./postgres-address.ts";
import { textAt, wholeAt } from "./row.ts";

/** The number of the database's lock for the state of the name $1. */
export const lockNumber = "hashtextextended('roster:' || $1, 0)";

/** The sessions that hold the database's lock for the name $1: one or none. */
export const holdingSessions = `(SELECT pid FROM pg_locks
  WHERE locktype = 'advisory' AND granted AND objsubid = 1
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND ((classid::bigint << 32) | objid::bigint) = ${lockNumber})`;

/** Who holds a lock, and in which of the database's sessions. */
export interface SessionHolder extends LockHolder {
  readonly pid: number;
}

const holderSql = `SELECT holding.pid, own.id, own.who, own.operation, own.fence::text,
    to_char(own.since AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS since,
    greatest(0, round(extract(epoch FROM clock_timestamp() - own.seen_at) * 1000))::bigint::text AS silent
  FROM ${holdingSessions} AS holding
  LEFT JOIN roster_lock AS own ON own.name = $1 AND own.pid = holding.pid AND own.id IS NOT NULL`;

/** Whose session holds the lock. What a session that has ended left in the tables holds nothing. */
export async function findHolder(
  database: Connection,
  place: DatabasePlace,
): Promise<Result<SessionHolder | "nobody", Failure>> {
  const found = await database.run(holderSql, [place.name]);
  if (!found.ok) return problem(databaseFailure(found.error, "asked who holds it", place));
  const [row] = found.value.rows;
  const pid = wholeAt(row, "pid");
  return success(row === undefined || pid === undefined ? "nobody" : holderIn(row, pid));
}

function holderIn(row: Row, pid: number): SessionHolder {
  const id = textAt(row, "id");
  if (id === undefined) return { id: sessionId(pid), pid };
  const [who, operation, since] = [textAt(row, "who"), textAt(row, "operation"), textAt(row, "since")];
  const [silentFor, fence] = [wholeAt(row, "silent"), wholeAt(row, "fence")];
  return {
    id,
    pid,
    ...(who === undefined ? {} : { who }),
    ...(operation === undefined ? {} : { operation }),
    ...(since === undefined ? {} : { since }),
    ...(silentFor === undefined ? {} : { silentFor }),
    ...(fence === undefined ? {} : { fence }),
  };
}

/** Names a session that holds the lock and has not said who it is. */
function sessionId(pid: number): string {
  return `session-${pid}`;
}

export function isUnnamed({ id, pid }: SessionHolder): boolean {
  return id === sessionId(pid);
}

/** Without what only the database knows of it. */
export function shownHolder({ pid: _, ...holder }: SessionHolder): LockHolder {
  return holder;
}
