import type { Failure } from "../../model/failure.ts";
import { problem, type Result, success } from "../../model/result.ts";
import type { Clock } from "../../ports/clock.ts";
import { lockedBy } from "../lock-failures.ts";
import type { Connection } from "./connection.ts";
import { type DatabaseFault, databaseFailure, notAllowed } from "./database-fault.ts";
import { findHolder, holdingSessions, isUnnamed, type SessionHolder, shownHolder } from "./lock-rows.ts";
import type { DatabasePlace } from "./postgres-address.ts";
import { countOf } from "./row.ts";

/**
 * Raises the fence and ends the holder's session, both or neither. $3: milliseconds of silence without which the
 * holder is left alone.
 */
const breakSql = `WITH broken AS (
    UPDATE roster_lock SET id = NULL, fence = fence + 1
    WHERE name = $1 AND id = $2 AND seen_at <= clock_timestamp() - $3::float8 * interval '1 millisecond'
    RETURNING pid
  ), ended AS (
    SELECT pg_terminate_backend(holding.pid) FROM broken JOIN ${holdingSessions} AS holding ON holding.pid = broken.pid
  )
  SELECT (SELECT count(*)::int FROM broken) AS count, (SELECT count(*)::int FROM ended) AS ended`;

const endUnnamedSql = `SELECT count(pg_terminate_backend(holding.pid))::int AS count
  FROM ${holdingSessions} AS holding WHERE holding.pid = $2`;

export interface BreakLockOptions {
  readonly holder: SessionHolder;
  /** Milliseconds for which the holder must have given no sign of life; 0 on a person's word. */
  readonly silentFor: number;
}

/** `moved on`: the holder has given a sign of life, or has changed, in the meantime; nothing was done. */
export async function breakLock(
  database: Connection,
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
  database: Connection,
  { place, clock }: { readonly place: DatabasePlace; readonly clock: Clock },
  { pid }: SessionHolder,
): Promise<Result<"broken", Failure>> {
  for (let round = 0; round < breakAttempts; round += 1) {
    const found = await findHolder(database, place);
    if (!found.ok) return found;
    if (found.value === "nobody" || found.value.pid !== pid) return success("broken");
    await clock.wait(breakPause);
  }
  return problem({
    code: "locked",
    message: `the lock was broken, but session ${pid} of the database, which holds it, has not ended yet`,
    request: place.shown,
    hint: "run again in a moment; if it stays, let an administrator of the database look at that session",
  });
}

const breakAttempts = 100;
const breakPause = 50;

function notBroken(fault: DatabaseFault, holder: SessionHolder, place: DatabasePlace): Failure {
  if (fault.code !== notAllowed || fault.says.includes("roster_lock")) return databaseFailure(fault, "unlocked", place);
  const locked = lockedBy(place.shown, shownHolder(holder));
  return {
    ...locked,
    message: `${locked.message}, and ${place.user} may not end its session of the database`,
    serviceSays: fault.says.slice(0, 300),
    hint: `let an administrator of the database end it, SELECT pg_terminate_backend(${holder.pid}), or grant the right: GRANT pg_signal_backend TO ${place.user}`,
  };
}
