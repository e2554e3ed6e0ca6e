import { setMaxListeners } from "node:events";
import { hostname } from "node:os";
import { join } from "node:path";
import { type JobResult, type JobWithMetadata, PgBoss } from "pg-boss";
import { type Target, targetQueue } from "../../fleet/fleet-file.ts";
import type { TargetOutcome } from "../../fleet/fleet-summary.ts";
import * as q from "../../fleet/queue.ts";
import { invalidSetting } from "../../library/error.ts";
import { openQueueDatabase } from "../../library/stores/open-postgres.ts";
import { parseJson } from "../../model/json.ts";
import { isoTime } from "../../ports/clock.ts";
import { safe } from "../../report/safe.ts";
import { readInput } from "../files.ts";
import { durationOf, printedForPeople } from "../flags.ts";
import { commitOf, type FleetFlags, readFleet } from "../fleet/read-fleet.ts";
import { notStarted, openTargets } from "../fleet/run-target.ts";
import { type Host, interruptExitCodes } from "../host.ts";
import { type Command, type FinishedCommand, runCommand } from "../run-command.ts";
import { checkFleetTrust, queueAddress, readCount } from "./fleet.ts";

const [givenUp, rounds] = [`${q.jobQueue}-given-up`, `${q.jobQueue}-rounds`];

const settings = {
  // A worker that is silent for 20 seconds has died. Even after its third death in a row, the next try begins within a minute.
  ...{ heartbeatSeconds: 20, retryDelay: 3, retryBackoff: true, retryDelayMax: 60, expireInSeconds: 86_400 },
  // A target that failed six times in one round is given up. Results are kept for 7 days: each status reads them all.
  ...{ retryLimit: 5, deleteAfterSeconds: 7 * 86_400 },
};

/** Opens the queue, and closes it with the command. The database gets its tables first. */
async function openQueue(
  command: Command,
  flags: FleetFlags,
  does: { readonly supervise: boolean; readonly schedule: boolean },
) {
  const { host } = command;
  const [major = 0, minor = 0] = process.version.slice(1).split(".").map(Number);
  if (major < 22 || (major === 22 && minor < 12)) {
    const message = `This command needs Node 22.12 or later, and this is Node ${process.version}.`;
    const hint = "Run it with a newer Node. Only `fleet worker` and `fleet enqueue` need it.";
    throw invalidSetting("usage", message, hint);
  }
  const { options, failed } = await openQueueDatabase(queueAddress(flags, host), host);
  const patience = { superviseIntervalSeconds: 10, monitorIntervalSeconds: 10, monitorVacuum: false };
  const about = { schema: q.jobSchema, application_name: "roster queue", max: 4, registerInstance: false };
  const boss = new PgBoss({ ...options, ...about, ...patience, ...does });
  boss.on("error", ({ message }) => host.stderr.write(`queue: ${safe(message)}\n`));
  command.closing({ close: () => boss.stop({ graceful: false }).catch(() => undefined) });
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

/** One job for each target, urgent ones first, the others by turns of their origins. What is there already stays as it is. */
async function enqueueJobs(
  boss: PgBoss,
  known: readonly TargetOutcome[],
  targets: readonly Target[],
  jobOf: (target: string) => q.FleetJob,
): Promise<void> {
  const outcomes = new Map(known.map((outcome) => [outcome.name, outcome]));
  const next = targetQueue(targets);
  const jobs = targets.flatMap(() => {
    const target = next()?.target;
    if (target === undefined) return [];
    const { name, origin } = target;
    const last = outcomes.get(name);
    const priority = (last?.privileged_gains ?? 0) > 0 ? 2 : last?.status === "failed" ? 1 : 0;
    const job = jobOf(name);
    return [{ id: q.jobId(job), data: job, singletonKey: name, group: { id: origin }, priority }];
  });
  for (let at = 0; at < jobs.length; at += 1000) await boss.insert(q.jobQueue, jobs.slice(at, at + 1000));
}

/** Enqueues a drift of each target, or an apply of each plan in a directory. Needs no key. */
export function fleetEnqueue(flags: FleetFlags, host: Host): Promise<FinishedCommand> {
  return runCommand("fleet", printedForPeople, host, async (command) => {
    const { plans } = flags;
    const fleet = await readFleet(flags, host);
    const approved = plans === undefined ? undefined : await readPlanIds(plans, fleet.targets, host);
    const targets = fleet.targets.filter(({ name }) => approved === undefined || approved.has(name));
    const round = flags.round ?? `${plans === undefined ? "drift" : "apply"}-${isoTime(host.clock)}`;
    if (!q.isLabel(round))
      throw invalidSetting("bad-flag-value", "The name after --round is not 1 to 200 characters of one line.");
    const commit = await commitOf(fleet, host);
    const { boss, sql } = await openQueue(command, flags, { supervise: false, schedule: false });
    await enqueueJobs(boss, (await q.readStatus(sql)).targets, targets, (target) => {
      const expectedPlan = approved?.get(target);
      if (expectedPlan === undefined) return { target, command: "drift", commit, round };
      return { target, command: "apply", commit, round, expectedPlan };
    });
    command.tell({ ownWords: { text: `Enqueued: ${targets.length} of ${fleet.all.length}, round ${round}.\n` } });
  });
}

/** Bytes of a plan. */
const largest = 256 * 1024 * 1024;

/** The IDs of the plans that have something to do, as `roster fleet plan --report json=DIR` wrote them. */
async function readPlanIds(directory: string, targets: readonly Target[], host: Host): Promise<Map<string, string>> {
  const hint = "Write the plans with `roster fleet plan --report json=DIR`.";
  const ids = new Map<string, string>();
  for (const { name } of targets) {
    const bytes = await readInput(join(directory, "targets", `${name}.json`), { what: "plan", largest, hint }, host);
    const { plan_id: id, actions }: Partial<Record<string, unknown>> = Object(parseJson(bytes.toString("utf8")));
    // A target that could not be planned has none.
    if (typeof id === "string" && Array.isArray(actions) && actions.length > 0) ids.set(name, id);
  }
  return ids;
}

/** Takes jobs until the process is asked to end. Then calls under way end, and jobs under way go back. */
export function fleetWorker(flags: FleetFlags, host: Host): Promise<FinishedCommand> {
  return runCommand("fleet", printedForPeople, host, async (command) => {
    const fleet = await readFleet(flags, host);
    checkFleetTrust(fleet, host);
    const parallelism = readCount("--parallelism", flags.parallelism, 64) ?? fleet.defaults.parallelism;
    // To each origin, from all workers together.
    const callsPerSecond = readCount("--calls-per-second", flags.callsPerSecond, 10_000);
    const cron = flags.every === undefined ? undefined : cronOf(flags.every);
    const commit = await commitOf(fleet, host);
    const { boss, sql } = await openQueue(command, flags, { supervise: true, schedule: cron !== undefined });
    const waitForTurn = async (origin: string, signal?: AbortSignal) => {
      if (callsPerSecond !== undefined) await q.waitForSlot(sql, origin, callsPerSecond, host.clock, signal);
    };
    const opened = command.closing(openTargets(fleet, host, waitForTurn));
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
      return runTarget(one, job, target);
    }

    async function runTarget(one: JobWithMetadata, job: q.FleetJob, target: Target): Promise<Omit<JobResult, "id">> {
      await q.noteWorker(sql, one, `${hostname()}:${process.pid}`);
      const stop = new AbortController();
      const signal = AbortSignal.any([ending, one.signal, stop.signal]);
      setMaxListeners(0, signal);
      const mayStart = async (effect: "read" | "write") => {
        if (effect === "read") return;
        await waitForTurn(target.origin, signal);
        // Where the database does not answer, nobody knows whether this is a pause.
        if (await q.isPaused(sql).catch(() => true)) stop.abort();
      };
      if (job.command === "apply") await mayStart("write");
      const interruption = { signal, by: () => (signal.aborted ? ("SIGTERM" as const) : undefined) };
      const approved = job.command === "apply" ? { autoApprove: true, expectPlan: job.expectedPlan } : {};
      const words = { command: job.command, flags: { ...approved, breakStaleLock: "2m" }, reports: [] };
      const output = await opened.run(target, words, { interruption, mayStart });
      const { exit_code: code = 0 } = output;
      if (code !== interruptExitCodes.SIGTERM)
        return { status: passing.includes(code) ? "failed" : "completed", output };
      await q.grantRetry(sql, one);
      return { status: "failed", output: one.output };
    }

    // Workers without a schedule leave it to the others.
    if (cron !== undefined) {
      await boss.schedule(rounds, cron, {}, { tz: "UTC" });
      await boss.work(rounds, { includeMetadata: true }, async ([one]: JobWithMetadata[]) => {
        const round = `drift-${one?.createdOn.toISOString()}`;
        const { targets: known, drifts } = await q.readStatus(sql);
        const finished = fleet.targets.filter(({ name }) => !drifts.includes(name));
        await enqueueJobs(boss, known, finished, (target) => ({ target, command: "drift", commit, round }));
      });
    }
    const options = {
      ...{ pollingIntervalSeconds: 0.5, burstWhenReadyExceeds: parallelism, localConcurrency: parallelism },
      // A slow origin does not take every place.
      localGroupConcurrency: Math.max(1, parallelism - 1),
      ...({ perJobResults: true, includeMetadata: true } as const),
    };
    await boss.work(q.jobQueue, options, (all: JobWithMetadata[]) =>
      Promise.all(all.map(async (one) => ({ id: one.id, ...(await runJob(one)) }))),
    );
    host.stderr.write(`Waiting for jobs of the commit ${commit}.\n`);
    if (!ending.aborted) await new Promise((ended) => ending.addEventListener("abort", ended, { once: true }));
    await Promise.all([rounds, q.jobQueue].map((name) => boss.offWork(name, { wait: true })));
  });
}

/** Exit codes that can pass: a failure of the network or the service, and a locked log. */
const passing: readonly number[] = [1, 8];

/** A time that divides an hour or a day, as cron has it. */
function cronOf(every: string): string {
  const minutes = (durationOf("--every", every) ?? 0) / 60_000;
  const hours = minutes / 60;
  if (Number.isInteger(minutes) && minutes > 0 && 60 % minutes === 0 && minutes < 60) return `*/${minutes} * * * *`;
  if (Number.isInteger(hours) && hours > 0 && 24 % hours === 0) return `0 ${hours === 24 ? "0" : `*/${hours}`} * * *`;
  const hint = "Use minutes that divide an hour, or hours that divide a day, such as 15m, 1h or 24h.";
  throw invalidSetting("bad-flag-value", `--every ${every} is no part of an hour or a day.`, hint);
}
