import { encodeState } from "../../codec/state-format.ts";
import type { Failure } from "../../model/failure.ts";
import { problem, type Result, success } from "../../model/result.ts";
import type { State } from "../../model/state.ts";
import { lockLost } from "../lock-failures.ts";
import type { Connection } from "./connection.ts";
import { databaseFailure } from "./database-fault.ts";
import { findHolder, lockNumber, shownHolder } from "./lock-rows.ts";
import type { DatabasePlace } from "./postgres-address.ts";
import { countOf, wholeAt } from "./row.ts";
import { type DatabaseLock, sharedSession } from "./take-lock.ts";

/** A state that this session of the database holds the lock of, and the version that was saved when it took it. */
export interface LockedState {
  readonly database: Connection;
  readonly place: DatabasePlace;
  readonly lock: DatabaseLock;
  readonly base: { readonly lineage: string; readonly serial: number; readonly saved: boolean };
}

/**
 * The row of a lock that is still ours, kept so until the statement is committed: whoever raises the fence waits for
 * that, and this waits for whoever raises it.
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

/** Adds lines behind as many that are there; all of them durable, or none. */
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
export async function saveState(held: LockedState, state: State): Promise<Result<State, Failure>> {
  const { database, place, base } = held;
  const values = [...oursOf(held), state.lineage, state.serial, encodeState(state), base.lineage, base.serial];
  const saved = await database.run(saveSql, values);
  if (!saved.ok) return problem(databaseFailure(saved.error, "written", place));
  return countOf(saved.value) === 1 ? success(state) : problem(await lostLock(held));
}

/** Says that the holder lives; a failure where the lock is not ours any more, or the database cannot be told. */
export async function sendHeartbeat(held: LockedState): Promise<Result<void, Failure>> {
  const sql = `UPDATE roster_lock SET seen_at = clock_timestamp()
    WHERE name = $1 AND id = $2 AND fence = $3::bigint AND pid = pg_backend_pid()`;
  const given = await held.database.run(sql, oursOf(held));
  if (!given.ok) return problem(databaseFailure(given.error, "kept locked", held.place));
  return given.value.count === 1 ? success(undefined) : problem(await lostLock(held));
}

/** Never fails: the lock of a session that has ended is free in any case. */
export async function releaseState(held: Pick<LockedState, "database" | "place" | "lock">): Promise<void> {
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
    hint: "look who writes to roster_state besides roster, and run again",
  };
}
