import { type JsonObject, sha256 } from "../model/json.ts";
import { type Clock, stopwatch } from "../ports/clock.ts";
import { targetName } from "./fleet-file.ts";
import type { FleetSummary } from "./fleet-summary.ts";

/** What a job may say. Nothing of it chooses a server, a key or an allowance. `expectedPlan`: the ID of the plan that a person approved. */
export type FleetJob = { readonly target: string; readonly commit: string; readonly round: string } & (
  | { readonly command: "drift" }
  | { readonly command: "apply"; readonly expectedPlan: string }
);

/** A job as the queue has it; undefined for anything else, also with one field more. */
export function readJob(data: unknown): FleetJob | undefined {
  const { target, command, commit, round, expectedPlan, ...others }: Partial<Record<string, unknown>> = Object(data);
  if (typeof target !== "string" || !targetName.test(target) || Object.keys(others).length > 0) return undefined;
  if (typeof round !== "string" || !isLabel(round) || typeof commit !== "string" || !isLabel(commit)) return undefined;
  if (command === "drift") return expectedPlan === undefined ? { target, command, commit, round } : undefined;
  const isApproved = typeof expectedPlan === "string" && /^[0-9a-f]{16}$/u.test(expectedPlan);
  return command === "apply" && isApproved ? { target, command, commit, round, expectedPlan } : undefined;
}

export function isLabel(text: string): boolean {
  return /^[^\p{C}]{1,200}$/u.test(text);
}

/** The same for the same round and target, so that a job that is enqueued twice is one job. */
export function jobId({ round, target }: FleetJob): string {
  return sha256(JSON.stringify([round, target])).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/u, "$1-$2-$3-$4-$5");
}

/** The queue of pg-boss. A job's key is its target; its output says who works on it, then what became of the target. */
export const jobQueue = "roster-fleet";
export const jobSchema = "roster_queue";

export type Sql = (statement: string, values?: readonly unknown[]) => Promise<readonly JsonObject[]>;

const tablesSql = `SELECT pg_advisory_xact_lock(hashtextextended('roster fleet', 0));
CREATE SCHEMA IF NOT EXISTS roster_fleet;
CREATE TABLE IF NOT EXISTS roster_fleet.pause (
  at timestamptz PRIMARY KEY DEFAULT clock_timestamp(), who text NOT NULL, reason text);
CREATE TABLE IF NOT EXISTS roster_fleet.rate (origin text PRIMARY KEY, next timestamptz NOT NULL);`;

export async function makeTables(sql: Sql): Promise<void> {
  const [found] = await sql("SELECT to_regclass('roster_fleet.rate')::text AS rate");
  if (found?.["rate"] === null) await sql(tablesSql);
}

type JobTry = { readonly id: string; readonly retryCount: number };

/** The next try of the same job has another count. */
const isThisTry = `name = '${jobQueue}' AND id = $1 AND retry_count = $2 AND state = 'active'`;

export async function recordWorker(sql: Sql, { id, retryCount }: JobTry, worker: string): Promise<void> {
  const output = "coalesce(output, '{}') || jsonb_build_object('worker', $3::text)";
  await sql(`UPDATE ${jobSchema}.job SET output = ${output} WHERE ${isThisTry}`, [id, retryCount, worker]);
}

/** A try that was not brought to an end does not count. */
export async function giveBack(sql: Sql, { id, retryCount }: JobTry): Promise<void> {
  await sql(`UPDATE ${jobSchema}.job SET retry_limit = retry_limit + 1 WHERE ${isThisTry}`, [id, retryCount]);
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

/** A slot of all workers together. One that was missed is taken anew. While the database does not answer, nothing is sent. */
export async function waitForSlot(sql: Sql, origin: string, perSecond: number, clock: Clock, signal?: AbortSignal) {
  while (!signal?.aborted) {
    const elapsed = stopwatch(clock);
    const [row] = await sql(slotSql, [origin, (1000 + slotTolerance) / perSecond]).catch(() => []);
    const wait = row === undefined ? 1000 : Math.max(0, Number(row["wait"]));
    await clock.wait(wait, signal);
    if (row !== undefined && elapsed() <= wait + slotTolerance) return;
  }
}

const utc = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const statusSql = `WITH job AS (
    SELECT singleton_key AS target, data->>'round' AS round, data->>'command' AS command, state, created_on,
      started_on, completed_on, output->>'worker' AS worker, CASE WHEN output ? 'status' THEN output END AS outcome
    FROM ${jobSchema}.job WHERE name = '${jobQueue}' AND singleton_key IS NOT NULL
      AND data->>'round' IS NOT NULL AND data->>'command' IN ('drift', 'apply')
  ), target AS (
    SELECT target, max(completed_on) FILTER (WHERE state = 'completed' AND outcome->>'status' <> 'failed') AS succeeded,
      (array_agg(outcome ORDER BY started_on DESC) FILTER (WHERE outcome IS NOT NULL))[1] AS outcome,
      (array_agg(state ORDER BY started_on DESC) FILTER (WHERE completed_on IS NOT NULL))[1] = 'failed' AS given_up
    FROM job GROUP BY target
  )
  SELECT jsonb_strip_nulls(jsonb_build_object(
    'targets', (SELECT coalesce(jsonb_agg(outcome || jsonb_build_object(
        'last_success', ${utc("succeeded")}, 'reports', '[]'::jsonb)), '[]') FROM target WHERE outcome IS NOT NULL),
    'queue', jsonb_build_object(
      'waiting', (SELECT count(*) FROM job WHERE state IN ('created', 'retry')),
      'running', (SELECT coalesce(jsonb_agg(jsonb_build_object(
          'target', target, 'worker', coalesce(worker, ''), 'since', ${utc("started_on")}) ORDER BY started_on), '[]')
        FROM job WHERE state = 'active'),
      'given_up', (SELECT coalesce(jsonb_agg(target ORDER BY target), '[]') FROM target WHERE given_up),
      'round', (SELECT jsonb_build_object('name', round, 'command', min(command), 'targets', count(*),
          'done', count(completed_on), 'enqueued_at', ${utc("min(created_on)")})
        FROM job GROUP BY round ORDER BY min(created_on) DESC LIMIT 1),
      'paused', (SELECT jsonb_build_object('who', who, 'reason', reason, 'at', ${utc("at")})
        FROM (SELECT * FROM roster_fleet.pause ORDER BY at DESC LIMIT 1) AS last WHERE reason IS NOT NULL)),
    'drifts', (SELECT coalesce(jsonb_agg(target), '[]') FROM job WHERE state < 'completed' AND command = 'drift')
  ))::text AS status`;

/** Not checked yet. `drifts`: the targets of which a drift waits or runs; an apply may wait as long as a pause lasts. */
export async function readStatus(
  sql: Sql,
): Promise<Pick<FleetSummary, "queue" | "targets"> & { readonly drifts: readonly string[] }> {
  const [found] = await sql(`SELECT to_regclass('${jobSchema}.job')::text AS job`);
  if (found?.["job"] === null) return { targets: [], drifts: [] };
  const [row] = await sql(statusSql);
  return JSON.parse(String(row?.["status"]));
}
