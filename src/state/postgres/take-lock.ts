import type { Failure } from "../../model/failure.ts";
import { problem, type Result, success } from "../../model/result.ts";
import type { Clock } from "../../ports/clock.ts";
import type { LockOptions } from "../../ports/state-store.ts";
import { lockedBy, lockedByMany } from "../lock-failures.ts";
import { breakLock } from "./break-lock.ts";
import type { Connection } from "./connection.ts";
import { databaseFailure } from "./database-fault.ts";
import { findHolder, holdingSessions, isUnnamed, lockNumber, type SessionHolder, shownHolder } from "./lock-rows.ts";
import type { DatabasePlace } from "./postgres-address.ts";
import { textAt, wholeAt } from "./row.ts";

/** Who takes a lock, as others are to see it. */
export interface LockRequester {
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
  database: Connection,
  around: Around,
  wanted: { readonly taker: LockRequester; readonly wishes: LockOptions },
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
    const next = await retryAfterLook(database, around, { holder: holder.value, wishes: wanted.wishes, broken });
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
  readonly wishes: LockOptions;
  /** This taker has broken a lock already: whoever came first now has it by right. */
  readonly broken: boolean;
}

async function retryAfterLook(
  database: Connection,
  around: Around,
  { holder, wishes: { takeDeadAfter }, broken }: Looked,
): Promise<Result<"broken" | "look again", Failure>> {
  if (holder === "nobody" || isUnnamed(holder)) return success("look again");
  const silentFor = holder.silentFor ?? 0;
  if (broken || takeDeadAfter === undefined || silentFor < takeDeadAfter) {
    return problem(lockedBy(around.place.shown, shownHolder(holder)));
  }
  const done = await breakLock(database, around, { holder, silentFor: takeDeadAfter });
  if (!done.ok) return done;
  return success(done.value === "broken" ? "broken" : "look again");
}

/** A new session holds no lock: one that does is shared with others, by a pooler. */
const trySql = `SELECT before.count, CASE WHEN before.count = 0 THEN pg_try_advisory_lock(${lockNumber}) ELSE false END AS taken
  FROM (SELECT count(*)::int AS count FROM ${holdingSessions} AS holding WHERE pid = pg_backend_pid()) AS before`;

async function tryLock(database: Connection, place: DatabasePlace): Promise<Result<"taken" | "held", Failure>> {
  const tried = await database.run(trySql, [place.name]);
  if (!tried.ok) return problem(databaseFailure(tried.error, "locked", place));
  const [row] = tried.value.rows;
  if (wholeAt(row, "count") !== 0) return problem(sharedSession(place));
  return success(row?.["taken"] === true ? "taken" : "held");
}

/** Only in the session that holds the database's lock: raises the fence and says who holds it. */
const signSql = `INSERT INTO roster_lock AS own (name, id, who, host, operation, since, seen_at, fence, pid)
  SELECT $1, $2, $3, $4, $5, clock_timestamp(), clock_timestamp(), 1, pid
  FROM ${holdingSessions} AS holding WHERE pid = pg_backend_pid()
  ON CONFLICT (name) DO UPDATE SET id = excluded.id, who = excluded.who, host = excluded.host,
    operation = excluded.operation, since = excluded.since, seen_at = excluded.seen_at, pid = excluded.pid,
    fence = own.fence + 1
  RETURNING fence::text`;

async function signLock(
  database: Connection,
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
    message: `the state at ${place.shown} cannot be locked: a pooler in between gives statements of one connection to different sessions of the database`,
    request: place.shown,
    hint: "name the database itself in the address, or a port of the pooler in session mode",
  };
}
