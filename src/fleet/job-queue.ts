import { type ConstructorOptions, PgBoss } from "pg-boss";
import { sha256 } from "../model/json.ts";
import { type Target, targetsInTurn } from "./fleet-file.ts";
import { type FleetJob, jobId, jobQueue, jobSchema, makeTables, readStatus, type Sql } from "./queue-tables.ts";

const givenUp = `${jobQueue}-given-up`;

/** A job of it enqueues a round of drifts. */
export const rounds = `${jobQueue}-rounds`;

const settings = {
  // A worker that is silent for 20 seconds has died. Even after its third death in a row, the next try begins within a minute.
  heartbeatSeconds: 20,
  retryDelay: 3,
  retryBackoff: true,
  retryDelayMax: 60,
  expireInSeconds: 86_400,
  // A target that failed six times in one round is given up. Results are kept for 7 days: each status reads them all.
  retryLimit: 5,
  deleteAfterSeconds: 7 * 86_400,
};

export interface JobQueue {
  readonly boss: PgBoss;
  readonly sql: Sql;
}

/** Processes without a schedule leave it to the others. Makes what is missing in the database. */
export async function startQueue(
  database: ConstructorOptions & { readonly schedule: boolean },
  problem: (message: string) => void,
  closing: (queue: { close(): Promise<void> }) => void,
): Promise<JobQueue> {
  const patience = { superviseIntervalSeconds: 10, monitorIntervalSeconds: 10, monitorVacuum: false };
  const about = { schema: jobSchema, application_name: "roster queue", max: 4, registerInstance: false };
  const boss = new PgBoss({ ...database, ...about, ...patience });
  boss.on("error", ({ message }) => problem(message));
  closing({ close: () => boss.stop({ graceful: false }).catch(() => undefined) });
  await boss.start();
  const sql: Sql = async (statement, values = []) => (await boss.getDb().executeSql(statement, [...values])).rows ?? [];
  await makeTables(sql);
  await boss.createQueue(givenUp);
  await boss.createQueue(jobQueue, { ...settings, policy: "singleton", deadLetter: givenUp });
  await boss.createQueue(rounds, settings);
  return { boss, sql };
}

/** Urgent targets first, the others by turns of their origins. What is there already stays as it is. Returns for how many there is a job. */
export async function enqueueJobs(
  { boss, sql }: JobQueue,
  targets: readonly Target[],
  jobOf: (target: string, drifts: readonly string[]) => FleetJob | undefined,
): Promise<number> {
  const { targets: known, drifts } = await readStatus(sql);
  const outcomes = new Map(known.map((outcome) => [outcome.name, outcome]));
  const jobs = [...targetsInTurn(targets)].flatMap(({ target: { name, origin } }) => {
    const data = jobOf(name, drifts);
    if (data === undefined) return [];
    const { privileged_gains: gains = 0, status } = outcomes.get(name) ?? {};
    const priority = gains > 0 ? 2 : status === "failed" ? 1 : 0;
    return [{ id: jobId(data), data, singletonKey: name, group: { id: sha256(origin) }, priority }];
  });
  for (let at = 0; at < jobs.length; at += 1000) await boss.insert(jobQueue, jobs.slice(at, at + 1000));
  return jobs.length;
}
