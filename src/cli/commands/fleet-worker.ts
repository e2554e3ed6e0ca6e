import { setMaxListeners } from "node:events";
import { hostname } from "node:os";
import { join } from "node:path";
import { type JobResult, type JobWithMetadata, PgBoss } from "pg-boss";
import {
  type FleetJob,
  grantRetry,
  isLabel,
  isPaused,
  jobId,
  jobQueue,
  jobSchema,
  makeTables,
  noteWorker,
  readJob,
  readStandings,
  type Sql,
  waitForSlot,
} from "../../fleet/queue.ts";
import { originOf, type Target, targetQueue } from "../../fleet/targets.ts";
import { invalidSetting } from "../../library/error.ts";
import { openQueueDatabase } from "../../library/stores/open-postgres.ts";
import { parseJson } from "../../model/json.ts";
import { isoTime } from "../../ports/clock.ts";
import { safe } from "../../report/safe.ts";
import { readInput } from "../files.ts";
import { durationOf, printedForPeople } from "../flags.ts";
import { commitOf, readFleet } from "../fleet/read-fleet.ts";
import { notStarted, openTargets } from "../fleet/run-fleet.ts";
import type { Host } from "../host.ts";
import { type Command, type FinishedCommand, runCommand } from "../run-command.ts";
import { checkFleetTrust, type QueueFlags, queueAddress, readCount } from "./fleet.ts";

const [givenUp, rounds] = [`${jobQueue}-given-up`, `${jobQueue}-rounds`];

const settings = {
  // A worker that is silent for 20 seconds has died. Even after its third death in a row, the next try begins within a minute.
  ...{ heartbeatSeconds: 20, retryDelay: 3, retryBackoff: true, retryDelayMax: 60, expireInSeconds: 86_400 },
  // A target that failed six times in one round is given up. Results are kept for 7 days: each status reads them all.
  ...{ retryLimit: 5, deleteAfterSeconds: 7 * 86_400 },
};

interface Queue {
  readonly boss: PgBoss;
  readonly sql: Sql;
}

/** Opens the queue, and closes it with the command. The database gets its tables first. */
async function openQueue(
  command: Command,
  flags: QueueFlags,
  does: { readonly supervise: boolean; readonly schedule: boolean },
): Promise<Queue> {
  const { host } = command;
  const [major = 0, minor = 0] = process.version.slice(1).split(".").map(Number);
  if (major < 22 || (major === 22 && minor < 12)) {
    const message = `This command needs Node 22.12 or later, and this is Node ${process.version}.`;
    const hint = "Run it with a newer Node. Only `fleet worker` and `fleet enqueue` need it.";
    throw invalidSetting("usage", message, hint);
  }
  const { options, failed } = await openQueueDatabase(queueAddress(flags, host), host);
  const patience = { superviseIntervalSeconds: 10, monitorIntervalSeconds: 10, monitorVacuum: false };
  const about = { schema: jobSchema, application_name: "roster queue", max: 4, registerInstance: false };
  const boss = new PgBoss({ ...options, ...about, ...patience, ...does });
  boss.on("error", ({ message }) => host.stderr.write(`queue: ${safe(message)}\n`));
  command.closing({ close: () => boss.stop({ graceful: false }).catch(() => undefined) });
  try {
    await boss.start();
    const sql: Sql = async (statement, values = []) =>
      (await boss.getDb().executeSql(statement, [...values])).rows ?? [];
    await makeTables(sql);
    await boss.createQueue(givenUp);
    await boss.createQueue(jobQueue, { ...settings, policy: "singleton", deadLetter: givenUp });
    await boss.createQueue(rounds, settings);
    return { boss, sql };
  } catch (error) {
    throw failed(error);
  }
}

/** One job for each target, urgent ones first, the others by turns of their origins. What is there already stays as it is. */
async function enqueueJobs(
  { boss, sql }: Queue,
  targets: readonly Target[],
  jobOf: (target: Target) => FleetJob,
  which: "all" | "finished",
): Promise<void> {
  const standings = await readStandings(sql);
  const turns = targetQueue(targets);
  const inserts = targets.flatMap(() => {
    const target = turns.take();
    const { isUnfinished = false, priority = 0 } = standings.get(target?.name) ?? {};
    if (target === undefined || (which === "finished" && isUnfinished)) return [];
    const job = jobOf(target);
    return [{ id: jobId(job), data: job, singletonKey: job.target, group: { id: originOf(target) }, priority }];
  });
  for (let at = 0; at < inserts.length; at += 1000) await boss.insert(jobQueue, inserts.slice(at, at + 1000));
}

interface EnqueueFlags extends QueueFlags {
  readonly plans?: string;
  readonly round?: string;
}

/** Enqueues a drift of each target, or an apply of each plan in a directory. Needs no key. */
export function fleetEnqueue(flags: EnqueueFlags, host: Host): Promise<FinishedCommand> {
  return runCommand("fleet", printedForPeople, host, async (command) => {
    const { plans } = flags;
    const fleet = await readFleet(flags, host);
    const approved = plans === undefined ? undefined : await readPlanIds(plans, fleet.targets, host);
    const targets = approved === undefined ? fleet.targets : fleet.targets.filter(({ name }) => approved.has(name));
    const round = flags.round ?? `${plans === undefined ? "drift" : "apply"}-${isoTime(host.clock)}`;
    if (!isLabel(round))
      throw invalidSetting("bad-flag-value", "The name after --round is not 1 to 200 characters of one line.");
    const commit = await commitOf(fleet, host);
    const queue = await openQueue(command, flags, { supervise: false, schedule: false });
    const jobOf = ({ name: target }: Target): FleetJob => {
      const expectedPlan = approved?.get(target);
      if (expectedPlan === undefined) return { target, command: "drift", commit, round };
      return { target, command: "apply", commit, round, expectedPlan };
    };
    await enqueueJobs(queue, targets, jobOf, "all");
    command.tell({ ownWords: { text: `Enqueued: ${targets.length} of ${fleet.targets.length}, round ${round}.\n` } });
  });
}

/** The IDs of the plans that have something to do, as `roster fleet plan --report json=DIR` wrote them. */
async function readPlanIds(directory: string, targets: readonly Target[], host: Host): Promise<Map<string, string>> {
  const what = {
    what: "plan",
    largest: 256 * 1024 * 1024,
    hint: "Write the plans with `roster fleet plan --report json=DIR`.",
  };
  const ids = new Map<string, string>();
  for (const { name } of targets) {
    const bytes = await readInput(join(directory, "targets", `${name}.json`), what, host);
    const { plan_id: id, actions }: Partial<Record<string, unknown>> = Object(parseJson(bytes.toString("utf8")));
    // A target that could not be planned has none.
    if (typeof id === "string" && Array.isArray(actions) && actions.length > 0) ids.set(name, id);
  }
  return ids;
}

interface WorkerFlags extends QueueFlags {
  readonly parallelism?: string;
  readonly every?: string;
  readonly callsPerSecond?: string;
}

/** Takes jobs until the process is asked to end. Then calls under way end, and jobs under way go back. */
export function fleetWorker(flags: WorkerFlags, host: Host): Promise<FinishedCommand> {
  return runCommand("fleet", printedForPeople, host, async (command) => {
    const fleet = await readFleet(flags, host);
    checkFleetTrust(fleet, host);
    const parallelism = readCount("--parallelism", flags.parallelism, 64) ?? fleet.defaults.parallelism;
    // To each origin, from all workers together.
    const callsPerSecond = readCount("--calls-per-second", flags.callsPerSecond, 10_000);
    const cron = flags.every === undefined ? undefined : cronOf(flags.every);
    const commit = await commitOf(fleet, host);
    const queue = await openQueue(command, flags, { supervise: true, schedule: cron !== undefined });
    const { boss, sql } = queue;
    const waitForTurn = async (origin: string, signal?: AbortSignal) => {
      if (callsPerSecond !== undefined) await waitForSlot(sql, origin, callsPerSecond, host.clock, signal);
    };
    const targets = command.closing(openTargets(fleet, { ...fleet.defaults, waitForTurn }, host));
    const byName = new Map(fleet.targets.map((target) => [target.name, target]));
    const ending = host.interruption.signal;

    async function runJob(one: JobWithMetadata): Promise<Omit<JobResult, "id">> {
      const job = readJob(one.data);
      const target = byName.get(job?.target ?? "");
      if (job === undefined || target === undefined) {
        const why = job === undefined ? "it has missing or unknown fields" : `the fleet has no target ${job.target}`;
        host.stderr.write(`A job was refused: ${safe(why)}.\n`);
        return { status: "deadletter" };
      }
      if (job.commit === commit) return runTarget(one, job, target);
      const message = `The job is for the commit ${job.commit}, and this worker has ${commit}.`;
      const output = { ...notStarted(target), status: "failed", error: { code: "stale", message } };
      return { status: "deadletter", output };
    }

    async function runTarget(one: JobWithMetadata, { command, expectedPlan }: FleetJob, target: Target) {
      await noteWorker(sql, one, `${hostname()}:${process.pid}`);
      const stop = new AbortController();
      const signal = AbortSignal.any([ending, one.signal, stop.signal]);
      setMaxListeners(0, signal);
      const mayStart = async (effect: "read" | "write") => {
        if (effect === "read") return;
        await waitForTurn(originOf(target), signal);
        // Where the database does not answer, nobody knows whether this is a pause.
        if (await isPaused(sql).catch(() => true)) stop.abort();
      };
      if (command === "apply") await mayStart("write");
      const interruption = { signal, by: () => (signal.aborted ? ("SIGTERM" as const) : undefined) };
      const approved = expectedPlan === undefined ? {} : { autoApprove: true, expectPlan: expectedPlan };
      const words = { command, flags: { ...approved, breakStaleLock: "2m" }, reports: [] };
      const output = await targets.run(target, words, { interruption, mayStart });
      const { exit_code: code = 0 } = output;
      if (code !== interrupted) return { status: passing.includes(code) ? "failed" : "completed", output } as const;
      await grantRetry(sql, one);
      return { status: "failed", output: one.output } as const;
    }

    const startRound = async ([one]: JobWithMetadata[]) => {
      const round = `drift-${one?.createdOn.toISOString()}`;
      const jobOf = ({ name: target }: Target) => ({ target, command: "drift", commit, round }) as const;
      await enqueueJobs(queue, fleet.targets, jobOf, "finished");
    };
    // Workers without a schedule leave it to the others.
    if (cron !== undefined) {
      await boss.schedule(rounds, cron, {}, { tz: "UTC" });
      await boss.work(rounds, { includeMetadata: true }, startRound);
    }
    const options = {
      ...{ pollingIntervalSeconds: 0.5, burstWhenReadyExceeds: parallelism, localConcurrency: parallelism },
      // A slow origin does not take every place.
      localGroupConcurrency: Math.max(1, parallelism - 1),
      ...({ perJobResults: true, includeMetadata: true } as const),
    };
    await boss.work(jobQueue, options, (all: JobWithMetadata[]) =>
      Promise.all(all.map(async (one) => ({ id: one.id, ...(await runJob(one)) }))),
    );
    host.stderr.write(`Waiting for jobs of the commit ${commit}.\n`);
    if (!ending.aborted) await new Promise((ended) => ending.addEventListener("abort", ended, { once: true }));
    await Promise.all([rounds, jobQueue].map((name) => boss.offWork(name, { wait: true })));
  });
}

const interrupted = 143;

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
