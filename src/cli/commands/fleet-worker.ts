import { setMaxListeners } from "node:events";
import { hostname } from "node:os";
import { join } from "node:path";
import pLimit from "p-limit";
import { type JobResult, type JobWithMetadata, PgBoss } from "pg-boss";
import { parseJson } from "../../codec/document.ts";
import { type Target, targetsInTurn } from "../../fleet/fleet-file.ts";
import { notStarted } from "../../fleet/outcomes.ts";
import * as q from "../../fleet/queue.ts";
import { invalidSetting } from "../../library/error.ts";
import { sha256 } from "../../model/json.ts";
import { isoTime } from "../../ports/clock.ts";
import { safe } from "../../report/safe.ts";
import { readInput } from "../files.ts";
import { durationOf } from "../flags.ts";
import { commitOf, type FleetFlags, readCount, readFleet } from "../fleet/read-fleet.ts";
import { type Host, interruptExitCodes } from "../host.ts";
import type { Command } from "../run-command.ts";
import { openTargets, queueDatabase } from "./fleet.ts";

const givenUp = `${q.jobQueue}-given-up`;
const rounds = `${q.jobQueue}-rounds`;

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

/** Processes without a schedule leave it to the others. */
async function openQueue({ host, closing }: Command, flags: FleetFlags, cron?: string) {
  if (process.version.localeCompare("v22.12", "en", { numeric: true }) < 0) {
    const message = `This command needs Node 22.12 or later, and this is Node ${process.version}.`;
    const hint = "Run it with a newer Node. Only `fleet worker` and `fleet enqueue` need it.";
    throw invalidSetting("usage", message, hint);
  }
  const { options, failed } = await queueDatabase(flags, host);
  const patience = { superviseIntervalSeconds: 10, monitorIntervalSeconds: 10, monitorVacuum: false };
  const about = { schema: q.jobSchema, application_name: "roster queue", max: 4, registerInstance: false };
  const boss = new PgBoss({ ...options, ...about, ...patience, schedule: cron !== undefined });
  boss.on("error", ({ message }) => host.stderr.write(`queue: ${safe(message)}\n`));
  closing({ close: () => boss.stop({ graceful: false }).catch(() => undefined) });
  try {
    await boss.start();
    const sql: q.Sql = async (statement, values = []) =>
      (await boss.getDb().executeSql(statement, [...values])).rows ?? [];
    await q.makeTables(sql);
    await boss.createQueue(givenUp);
    await boss.createQueue(q.jobQueue, { ...settings, policy: "singleton", deadLetter: givenUp });
    await boss.createQueue(rounds, settings);
    return { boss, sql };
  } catch (error) {
    throw failed(error);
  }
}

/** Urgent targets first, the others by turns of their origins. What is there already stays as it is. Returns for how many there is a job. */
async function enqueueJobs(
  { boss, sql }: Awaited<ReturnType<typeof openQueue>>,
  targets: readonly Target[],
  jobOf: (target: string, drifts: readonly string[]) => q.FleetJob | undefined,
): Promise<number> {
  const { targets: known, drifts } = await q.readStatus(sql);
  const outcomes = new Map(known.map((outcome) => [outcome.name, outcome]));
  const jobs = [...targetsInTurn(targets)].flatMap(({ target: { name, origin } }) => {
    const data = jobOf(name, drifts);
    if (data === undefined) return [];
    const { privileged_gains: gains = 0, status } = outcomes.get(name) ?? {};
    const priority = gains > 0 ? 2 : status === "failed" ? 1 : 0;
    return [{ id: q.jobId(data), data, singletonKey: name, group: { id: sha256(origin) }, priority }];
  });
  for (let at = 0; at < jobs.length; at += 1000) await boss.insert(q.jobQueue, jobs.slice(at, at + 1000));
  return jobs.length;
}

export async function fleetEnqueue(command: Command, flags: FleetFlags): Promise<void> {
  const { host, tell } = command;
  const fleet = await readFleet(flags, host);
  const approved = flags.plans === undefined ? undefined : await readPlanIds(flags.plans, fleet.targets, host);
  const round = flags.round ?? `${approved === undefined ? "drift" : "apply"}-${isoTime(host.clock)}`;
  if (!q.isLabel(round))
    throw invalidSetting("bad-flag-value", "The name after --round is not 1 to 200 characters of one line.");
  const commit = await commitOf(fleet, host);
  const count = await enqueueJobs(await openQueue(command, flags), fleet.targets, (target) => {
    if (approved === undefined) return { target, command: "drift", commit, round };
    const expectedPlan = approved.get(target);
    return expectedPlan === undefined ? undefined : { target, command: "apply", commit, round, expectedPlan };
  });
  tell({ ownWords: { text: `Enqueued: ${count} of ${fleet.all.length}, round ${round}.\n` } });
}

/** The IDs of the plans that have something to do. A target that could not be planned has none. */
async function readPlanIds(directory: string, targets: readonly Target[], host: Host): Promise<Map<string, string>> {
  const kind = { what: "plan", hint: "Write the plans with `roster fleet plan --report json=DIR`." };
  const ids = new Map<string, string>();
  for (const { name } of targets) {
    const bytes = await readInput(join(directory, "targets", `${name}.json`), { ...kind, largest: 2 ** 28 }, host);
    const { plan_id: id, actions }: Partial<Record<string, unknown>> = Object(parseJson(bytes.toString("utf8")));
    if (typeof id === "string" && Array.isArray(actions) && actions.length > 0) ids.set(name, id);
  }
  return ids;
}

/** Takes jobs until the process is asked to end. Then calls under way end, and jobs under way go back. */
export async function fleetWorker(command: Command, flags: FleetFlags): Promise<void> {
  const { host } = command;
  const fleet = await readFleet(flags, host, "run");
  const perSecond = readCount("--calls-per-second", flags.callsPerSecond, 10_000) ?? Number.POSITIVE_INFINITY;
  const cron = flags.every === undefined ? undefined : cronOf(flags.every);
  const commit = await commitOf(fleet, host);
  const { boss, sql } = await openQueue(command, flags, cron);
  const opened = command.closing(openTargets(fleet, host));
  const targets = new Map(fleet.targets.map((target) => [target.name, target]));
  const ending = host.interruption.signal;

  async function runJob(one: JobWithMetadata): Promise<Omit<JobResult, "id">> {
    const job = q.readJob(one.data);
    const target = targets.get(job?.target ?? "");
    if (job === undefined || target === undefined) {
      const why = job === undefined ? "it has missing or unknown fields" : `the fleet has no target ${job.target}`;
      host.stderr.write(`A job was refused: ${safe(why)}.\n`);
      return { status: "deadletter" };
    }
    if (job.commit !== commit) {
      const message = `The job is for the commit ${job.commit}, and this worker has ${commit}.`;
      const output = { ...notStarted(target), status: "failed", error: { code: "stale", message } };
      return { status: "deadletter", output };
    }
    const thisTry = [one.id, one.retryCount];
    await sql(q.workerSql, [...thisTry, `${hostname()}:${process.pid}`]);
    const stop = new AbortController();
    const signal = AbortSignal.any([ending, one.signal, stop.signal]);
    setMaxListeners(0, signal);
    // One call at a time asks for its turn. A call that is not sent has its turn until the job ends.
    const asking = pLimit(1);
    const ends: (() => Promise<unknown>)[] = [];
    const ended = () => ends.shift()?.();
    const mayStart = async (effect: "read" | "write") => {
      const limits = { ...target, atOnce: fleet.callsPerOrigin, perSecond };
      ends.push(await asking(() => q.takeTurn(sql, limits, host.clock, signal)));
      // Where the database does not answer, nobody knows whether this is a pause.
      if (effect === "write" && (await q.isPaused(sql).catch(() => true))) stop.abort();
    };
    if (job.command === "apply") await mayStart("write").then(ended);
    const interruption = { signal, by: () => (signal.aborted ? ("SIGTERM" as const) : undefined) };
    const approved = job.command === "apply" && { autoApprove: true, expectPlan: job.expectedPlan };
    const given = { ...approved, breakStaleLock: "2m" };
    const output = await opened.run(target, job.command, given, { interruption, mayStart, ended });
    await Promise.all(ends.map((end) => end()));
    const { exit_code: code = 0 } = output;
    // What can pass is tried again: a failure of the network or the service, and a locked log.
    if (code !== interruptExitCodes.SIGTERM) return { status: [1, 8].includes(code) ? "failed" : "completed", output };
    await sql(q.giveBackSql, thisTry);
    return { status: "failed", output: one.output };
  }

  if (cron !== undefined) {
    await boss.schedule(rounds, cron, {}, { tz: "UTC" });
    await boss.work(rounds, { includeMetadata: true }, async ([one]: JobWithMetadata[]) => {
      const round = `drift-${one?.createdOn.toISOString()}`;
      await enqueueJobs({ boss, sql }, fleet.targets, (target, drifts) =>
        drifts.includes(target) ? undefined : { target, command: "drift", commit, round },
      );
    });
  }
  const options = {
    pollingIntervalSeconds: 0.5,
    burstWhenReadyExceeds: fleet.parallelism,
    localConcurrency: fleet.parallelism,
    // A slow origin does not take every place.
    localGroupConcurrency: Math.max(1, fleet.parallelism - 1),
    perJobResults: true,
    includeMetadata: true,
  } as const;
  await boss.work(q.jobQueue, options, (all: JobWithMetadata[]) =>
    Promise.all(all.map(async (one) => ({ id: one.id, ...(await runJob(one)) }))),
  );
  host.stderr.write(`Waiting for jobs of the commit ${commit}.\n`);
  if (!ending.aborted) await new Promise((ended) => ending.addEventListener("abort", ended, { once: true }));
  await Promise.all([rounds, q.jobQueue].map((name) => boss.offWork(name, { wait: true })));
}

function cronOf(every: string): string {
  const minutes = (durationOf("--every", every) ?? 0) / 60_000;
  const hours = minutes / 60;
  if (Number.isInteger(minutes) && minutes > 0 && 60 % minutes === 0 && minutes < 60) return `*/${minutes} * * * *`;
  if (Number.isInteger(hours) && hours > 0 && 24 % hours === 0) return `0 ${hours === 24 ? "0" : `*/${hours}`} * * *`;
  const hint = "Use minutes that divide an hour, or hours that divide a day, such as 15m, 1h or 24h.";
  throw invalidSetting("bad-flag-value", `--every ${every} does not divide an hour or a day into equal parts.`, hint);
}
