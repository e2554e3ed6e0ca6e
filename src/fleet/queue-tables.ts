import { callTimeout } from "../model/capabilities.ts";
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
CREATE TABLE IF NOT EXISTS roster_fleet.origin (
  name text PRIMARY KEY, next timestamptz NOT NULL, calls timestamptz[] NOT NULL);`;

export async function makeTables(sql: Sql): Promise<void> {
  const [found] = await sql("SELECT to_regclass('roster_fleet.origin')::text AS made");
  if (found?.["made"] === null) await sql(tablesSql);
}

/** Changes a try of a job by its ID and count: the next try has another count. */
const changeTrySql = (set: string) => `UPDATE ${jobSchema}.job SET ${set}
  WHERE name = '${jobQueue}' AND id = $1 AND retry_count = $2 AND state = 'active'`;

export const workerSql = changeTrySql("output = coalesce(output, '{}') || jsonb_build_object('worker', $3::text)");

/** A try that was not brought to an end does not count. */
export const giveBackSql = changeTrySql("retry_limit = retry_limit + 1");

/** Stops all writes of the workers, or lets them go on where no reason is given. Each change stays recorded. */
export async function setPause(sql: Sql, who: string, reason: string | undefined): Promise<void> {
  await sql("INSERT INTO roster_fleet.pause (who, reason) VALUES ($1, $2)", [who, reason ?? null]);
}

export async function isPaused(sql: Sql): Promise<boolean> {
  const [last] = await sql("SELECT reason FROM roster_fleet.pause ORDER BY at DESC LIMIT 1");
  return typeof last?.["reason"] === "string";
}

/** Where its worker died, a call counts until it would have timed out. */
const lease = `interval '${callTimeout + 5000} milliseconds'`;
const [now, slot] = ["clock_timestamp()", "greatest(own.next, clock_timestamp())"];
const underWay = `SELECT until FROM unnest(own.calls) AS until WHERE until > ${now}`;

/** The row of an origin is locked while it changes: what it counts is true for all workers. */
const turnSql = `INSERT INTO roster_fleet.origin AS own (name, next, calls)
  VALUES ($1, ${now} + $2::float8 * interval '1 millisecond', ARRAY[${now} + ${lease}])
  ON CONFLICT (name) DO UPDATE
    SET next = ${slot} + $2::float8 * interval '1 millisecond', calls = ARRAY(${underWay}) || ${slot} + ${lease}
    WHERE (SELECT count(*) FROM (${underWay}) AS others) < $3::int
  RETURNING extract(epoch FROM next - ${now}) * 1000 - $2::float8 AS wait, calls[cardinality(calls)]::text AS call`;

const endSql = "UPDATE roster_fleet.origin SET calls = array_remove(calls, $2::timestamptz) WHERE name = $1";

/** Milliseconds by which a call may leave later than its slot says: the slots stand so far apart that no second has too many. */
const slotTolerance = 250;

type Limits = { readonly origin: string; readonly atOnce: number; readonly perSecond: number };

/** Waits for the turn of a call among those of all workers. The caller ends it. While the database does not answer, nothing is sent. */
export async function takeTurn(sql: Sql, { origin, atOnce, perSecond }: Limits, clock: Clock, signal?: AbortSignal) {
  const distance = (1000 + slotTolerance) / perSecond;
  while (!signal?.aborted) {
    const elapsed = stopwatch(clock);
    const [row] = await sql(turnSql, [origin, distance, atOnce]).catch(() => []);
    const wait = Math.max(0, Number(row?.["wait"] ?? 200));
    await clock.wait(wait, signal);
    if (row === undefined) continue;
    const end = () => sql(endSql, [origin, row["call"]]).catch(() => []);
    if (distance === 0 || elapsed() <= wait + slotTolerance) return end;
    await end();
  }
  return async () => undefined;
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
