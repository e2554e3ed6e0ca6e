import { sha256 } from "../model/sha256.ts";
import { type Clock, stopwatch } from "../ports/clock.ts";
import { isTargetName } from "./decode-fleet.ts";
import type { TargetOutcome } from "./fleet-summary.ts";

/** What a job may say. Nothing of it chooses a server, a key or an allowance. */
export interface FleetJob {
  readonly target: string;
  readonly command: "drift" | "apply";
  readonly commit: string;
  readonly round: string;
  /** The ID of the plan that a person approved: an apply has one, and a drift has none. */
  readonly expectedPlan?: string;
}

/** A job as the queue has it; undefined for anything else, also with one field more. */
export function readJob(data: unknown): FleetJob | undefined {
  const { target, command, commit, round, expectedPlan, ...others }: Partial<Record<string, unknown>> = Object(data);
  if (typeof target !== "string" || !isTargetName(target) || Object.keys(others).length > 0) return undefined;
  if (typeof round !== "string" || !isLabel(round) || typeof commit !== "string" || !isLabel(commit)) return undefined;
  if (command === "drift") return expectedPlan === undefined ? { target, command, commit, round } : undefined;
  const isApproved = typeof expectedPlan === "string" && /^[0-9a-f]{16}$/u.test(expectedPlan);
  return command === "apply" && isApproved ? { target, command, commit, round, expectedPlan } : undefined;
}

/** What a round or a commit is called: a key of a table, and a part of lines for people. */
export function isLabel(text: string): boolean {
  return /^[^\p{C}]{1,200}$/u.test(text);
}

/** The same for the same round and target, so that a job that is enqueued twice is one job. */
export function jobId({ round, target }: FleetJob): string {
  const hex = sha256(JSON.stringify([round, target]));
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join("-");
}

/** Runs a statement in the database of the queue. */
export type Sql = (
  statement: string,
  values?: readonly unknown[],
) => Promise<readonly Readonly<Record<string, unknown>>[]>;

/** A row for each target of a round, from its enqueuing on. `worker`: who works on it. */
const tablesSql = `SELECT pg_advisory_xact_lock(hashtextextended('roster fleet', 0));
CREATE SCHEMA IF NOT EXISTS roster_fleet;
CREATE TABLE IF NOT EXISTS roster_fleet.result (
  round text NOT NULL,
  target text NOT NULL,
  command text NOT NULL,
  enqueued_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  worker text,
  attempts integer NOT NULL DEFAULT 0,
  started_at timestamptz,
  finished_at timestamptz,
  given_up boolean NOT NULL DEFAULT false,
  outcome jsonb,
  PRIMARY KEY (round, target)
);
CREATE TABLE IF NOT EXISTS roster_fleet.pause (
  at timestamptz PRIMARY KEY DEFAULT clock_timestamp(),
  who text NOT NULL,
  reason text
);
CREATE TABLE IF NOT EXISTS roster_fleet.rate (
  origin text PRIMARY KEY,
  next timestamptz NOT NULL
);`;

export async function makeTables(sql: Sql): Promise<void> {
  const [found] = await sql("SELECT to_regclass('roster_fleet.rate')::text AS rate");
  if (found?.["rate"] === null) await sql(tablesSql);
}

/** What was last found of a target decides who comes first: privileged gains, then failures. */
const prioritiesSql = `SELECT DISTINCT ON (target) target, CASE
    WHEN (outcome->>'privileged_gains')::int > 0 THEN 2 WHEN outcome->>'status' = 'failed' THEN 1 ELSE 0 END AS priority
  FROM roster_fleet.result WHERE outcome IS NOT NULL ORDER BY target, started_at DESC`;

export async function readPriorities(sql: Sql): Promise<ReadonlyMap<unknown, number>> {
  const rows = await sql(prioritiesSql);
  return new Map(rows.map(({ target, priority }) => [target, Number(priority)]));
}

/** Notes the targets of a round. What is older than 30 days goes. */
export async function noteRound(sql: Sql, { round, command }: FleetJob, targets: readonly string[]): Promise<void> {
  await sql("DELETE FROM roster_fleet.result WHERE enqueued_at < clock_timestamp() - interval '30 days'");
  const values = [round, targets, command];
  await sql(
    "INSERT INTO roster_fleet.result (round, target, command) SELECT $1, unnest($2::text[]), $3 ON CONFLICT DO NOTHING",
    values,
  );
}

/** Targets that wait or run since less than a day, in another round. */
export async function readUnfinished(sql: Sql, round: string): Promise<ReadonlySet<unknown>> {
  const rows = await sql(
    "SELECT DISTINCT target FROM roster_fleet.result WHERE finished_at IS NULL AND round <> $1 AND enqueued_at > clock_timestamp() - interval '1 day'",
    [round],
  );
  return new Set(rows.map(({ target }) => target));
}

/** One try of a job. Whoever takes the job later has another `started`, and the end of this try is not recorded any more. */
export interface Attempt extends Pick<FleetJob, "round" | "target"> {
  readonly number: number;
  readonly started: unknown;
}

const startSql = `INSERT INTO roster_fleet.result AS own (round, target, command, worker, attempts, started_at)
  VALUES ($1, $2, $3, $4, 1, clock_timestamp())
  ON CONFLICT (round, target) DO UPDATE SET worker = excluded.worker, attempts = own.attempts + 1,
    started_at = excluded.started_at, finished_at = NULL
  RETURNING attempts, started_at::text AS started`;

export async function startAttempt(sql: Sql, { round, target, command }: FleetJob, worker: string): Promise<Attempt> {
  const [row] = await sql(startSql, [round, target, command, worker]);
  return { round, target, number: Number(row?.["attempts"]), started: row?.["started"] };
}

/** How an attempt ended. `again`: it failed, and may pass. `given-back`: it was not brought to an end, and does not count. */
export type AttemptEnd = "done" | "again" | "given-up" | "given-back";

const endSql = `UPDATE roster_fleet.result SET worker = NULL, outcome = coalesce($4::jsonb, outcome),
    finished_at = CASE WHEN $5 IN ('done', 'given-up') THEN clock_timestamp() END, given_up = $5 = 'given-up',
    attempts = attempts - CASE WHEN $5 = 'given-back' THEN 1 ELSE 0 END
  WHERE round = $1 AND target = $2 AND started_at = $3::timestamptz`;

export async function endAttempt(
  sql: Sql,
  { round, target, started }: Attempt,
  end: AttemptEnd,
  outcome?: TargetOutcome,
): Promise<void> {
  await sql(endSql, [round, target, started, outcome === undefined ? null : JSON.stringify(outcome), end]);
}

/** Stops all writes of the workers, or lets them go on where no reason is given. Each change stays recorded. */
export async function setPause(sql: Sql, who: string, reason: string | undefined): Promise<void> {
  await sql("INSERT INTO roster_fleet.pause (who, reason) VALUES ($1, $2)", [who, reason ?? null]);
}

export async function isPaused(sql: Sql): Promise<boolean> {
  const [last] = await sql("SELECT reason FROM roster_fleet.pause ORDER BY at DESC LIMIT 1");
  return typeof last?.["reason"] === "string";
}

const slotSql = `INSERT INTO roster_fleet.rate AS own (origin, next)
  VALUES ($1, clock_timestamp() + $2::float8 * interval '1 millisecond')
  ON CONFLICT (origin) DO UPDATE
    SET next = greatest(own.next, clock_timestamp()) + $2::float8 * interval '1 millisecond'
  RETURNING extract(epoch FROM next - clock_timestamp()) * 1000 - $2::float8 AS wait`;

/** Milliseconds by which a call may leave later than its slot says: the slots stand so far apart that no second has too many. */
const slotTolerance = 250;

/** Waits until one more call may go to an origin, of which all workers together send so many a second. A slot that was missed is taken anew. */
export async function waitForSlot(
  sql: Sql,
  origin: string,
  perSecond: number,
  clock: Clock,
  signal?: AbortSignal,
): Promise<void> {
  while (!signal?.aborted) {
    const elapsed = stopwatch(clock);
    const [row] = await sql(slotSql, [origin, (1000 + slotTolerance) / perSecond]);
    const wait = Math.max(0, Number(row?.["wait"]));
    await clock.wait(wait, signal);
    if (elapsed() <= wait + slotTolerance) return;
  }
}

const utc = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const statusSql = `WITH latest AS (
    SELECT target, max(finished_at) FILTER (WHERE outcome->>'status' <> 'failed') AS succeeded,
      (array_agg(outcome ORDER BY started_at DESC NULLS LAST) FILTER (WHERE outcome IS NOT NULL))[1] AS outcome,
      (array_agg(given_up ORDER BY started_at DESC NULLS LAST) FILTER (WHERE finished_at IS NOT NULL))[1] AS given_up
    FROM roster_fleet.result GROUP BY target
  ), unfinished AS (SELECT * FROM roster_fleet.result WHERE finished_at IS NULL)
  SELECT jsonb_strip_nulls(jsonb_build_object(
    'targets', (SELECT coalesce(jsonb_agg(outcome || jsonb_build_object('last_success', ${utc("succeeded")})), '[]')
      FROM latest WHERE outcome IS NOT NULL),
    'queue', jsonb_build_object(
      'waiting', (SELECT count(*) FROM unfinished WHERE worker IS NULL),
      'running', (SELECT coalesce(jsonb_agg(jsonb_build_object(
          'target', target, 'worker', worker, 'since', ${utc("started_at")}) ORDER BY started_at), '[]')
        FROM unfinished WHERE worker IS NOT NULL),
      'given_up', (SELECT coalesce(jsonb_agg(target ORDER BY target), '[]') FROM latest WHERE given_up),
      'round', (SELECT jsonb_build_object('name', round, 'command', min(command), 'targets', count(*),
          'done', count(finished_at), 'enqueued_at', ${utc("min(enqueued_at)")})
        FROM roster_fleet.result GROUP BY round ORDER BY min(enqueued_at) DESC LIMIT 1),
      'paused', (SELECT jsonb_build_object('who', who, 'reason', reason, 'at', ${utc("at")})
        FROM (SELECT * FROM roster_fleet.pause ORDER BY at DESC LIMIT 1) AS last WHERE reason IS NOT NULL)
    )))::text AS status`;

/** What the database holds of the queue and its targets. Nothing of it is checked yet. */
export async function readStatus(sql: Sql): Promise<Readonly<Record<string, unknown>>> {
  const [row] = await sql(statusSql);
  return JSON.parse(String(row?.["status"]));
}
