import { setMaxListeners } from "node:events";
import { hostname } from "node:os";
import { type JobResultStatus, type JobWithMetadata, PgBoss } from "pg-boss";
import type { Target } from "../../fleet/expand-fleet.ts";
import {
  type AttemptEnd,
  endAttempt,
  type FleetJob,
  isPaused,
  jobId,
  makeTables,
  noteRound,
  readJob,
  readPriorities,
  readUnfinished,
  type Sql,
  startAttempt,
  waitForSlot,
} from "../../fleet/queue.ts";
import { originOf, targetQueue } from "../../fleet/select-targets.ts";
import { invalidSetting } from "../../library/error.ts";
import { openQueueDatabase } from "../../library/stores/open-postgres.ts";
import { safe } from "../../report/safe.ts";
import type { Host } from "../host.ts";
import type { Fleet } from "./read-fleet.ts";
import { notStarted, openTargets, readsInTurn } from "./run-fleet.ts";

const [jobs, givenUp, rounds] = ["roster-fleet", "roster-fleet-given-up", "roster-fleet-rounds"];

/** A worker that is silent so long has died: its job goes to another one, in less than a minute. */
const heartbeatSeconds = 20;

/** A target that failed so often in one round is given up. */
const mostAttempts = 6;

/** Exit codes that can pass: a failure of the network or the service, and a locked log. */
const passing: readonly (number | undefined)[] = [1, 8];

const interrupted = 143;

interface Queue {
  readonly boss: PgBoss;
  readonly sql: Sql;
}

/** Opens the queue. The database gets its tables first. */
export async function openQueue(address: string, does: "enqueue" | "work", host: Host): Promise<Queue> {
  const [, major, minor] = /^v(\d+)\.(\d+)/u.exec(process.version) ?? [];
  if (Number(major) < 22 || (Number(major) === 22 && Number(minor) < 12)) {
    const message = `This command needs Node 22.12 or later, and this is Node ${process.version}.`;
    throw invalidSetting(
      "usage",
      message,
      "Run it with a newer Node. Only `fleet worker` and `fleet enqueue` need it.",
    );
  }
  const { options, failed } = await openQueueDatabase(address, host);
  const isWorker = does === "work";
  const boss = new PgBoss({
    ...options,
    schema: "roster_queue",
    application_name: "roster queue",
    max: 4,
    supervise: isWorker,
    schedule: isWorker,
    superviseIntervalSeconds: 10,
    monitorIntervalSeconds: 10,
    monitorVacuum: false,
    registerInstance: false,
  });
  boss.on("error", ({ message }) => host.stderr.write(`queue: ${safe(message)}\n`));
  try {
    await boss.start();
    const sql: Sql = async (statement, values = []) =>
      (await boss.getDb().executeSql(statement, [...values])).rows ?? [];
    await makeTables(sql);
    const kept = { deleteAfterSeconds: 3 * 86_400, expireInSeconds: 86_400, heartbeatSeconds };
    const retries = { retryLimit: 10_000, retryDelay: 5, retryBackoff: true, retryDelayMax: 60 };
    await boss.createQueue(givenUp);
    await boss.createQueue(jobs, { policy: "singleton", deadLetter: givenUp, ...retries, ...kept });
    await boss.createQueue(rounds, { ...retries, ...kept });
    return { boss, sql };
  } catch (error) {
    await boss.stop({ graceful: false }).catch(() => undefined);
    throw failed(error);
  }
}

/** One job for each target, urgent ones first, the others by turns of their origins. What is there already stays as it is. */
export async function enqueueJobs(
  { boss, sql }: Queue,
  targets: readonly Target[],
  jobOf: (target: Target) => FleetJob,
): Promise<void> {
  const priorities = await readPriorities(sql);
  const queue = targetQueue(targets);
  const ordered = targets.flatMap(() => queue.take() ?? []);
  for (let at = 0; at < ordered.length; at += 1000) {
    const some = ordered.slice(at, at + 1000).map((target) => ({ target, job: jobOf(target) }));
    const [first] = some;
    if (first === undefined) return;
    const names = some.map(({ job }) => job.target);
    await noteRound(sql, first.job, names);
    const inserts = some.map(({ target, job }) => {
      const group = { id: originOf(target) };
      const priority = priorities.get(job.target) ?? 0;
      return { id: jobId(job), data: job, singletonKey: job.target, group, priority };
    });
    await boss.insert(jobs, inserts);
  }
}

export interface WorkerOptions {
  readonly commit: string;
  readonly parallelism: number;
  /** To each origin, from all workers together. */
  readonly callsPerSecond?: number;
  /** When every target is checked, as a cron expression in UTC. */
  readonly schedule?: string;
}

/** Takes jobs until the process is asked to end. Then calls under way end, and jobs under way go back. */
export async function runWorker(
  fleet: Fleet,
  { boss, sql }: Queue,
  { commit, parallelism, callsPerSecond, schedule }: WorkerOptions,
  host: Host,
): Promise<void> {
  const name = `${hostname()}:${process.pid}`;
  const waitForTurn = async (origin: string, signal?: AbortSignal) => {
    if (callsPerSecond !== undefined) await waitForSlot(sql, origin, callsPerSecond, host.clock, signal);
  };
  const targets = openTargets(fleet, { ...host, openTransport: readsInTurn(host, waitForTurn) }, fleet.defaults);
  const byName = new Map(fleet.targets.map((target) => [target.name, target]));
  const ending = host.interruption.signal;
  const givenBack: string[] = [];

  async function runJob({ data, signal: claim }: JobWithMetadata): Promise<AttemptEnd> {
    const job = readJob(data);
    const target = byName.get(job?.target ?? "");
    if (job === undefined || target === undefined) {
      const why = job === undefined ? "it has missing or unknown fields" : `the fleet has no target ${job.target}`;
      host.stderr.write(`A job was refused: ${safe(why)}.\n`);
      if (job !== undefined) await endAttempt(sql, await startAttempt(sql, job, name), "given-up");
      return "given-up";
    }
    const attempt = await startAttempt(sql, job, name);
    if (attempt.number > mostAttempts || job.commit !== commit) {
      const message = `The job is for the commit ${job.commit}, and this worker has ${commit}.`;
      const refused = { ...notStarted(target), status: "failed", error: { code: "stale", message } } as const;
      await endAttempt(sql, attempt, "given-up", job.commit === commit ? undefined : refused);
      return "given-up";
    }
    const stop = new AbortController();
    const signal = AbortSignal.any([ending, claim, stop.signal]);
    setMaxListeners(0, signal);
    const mayStart = async (effect: "read" | "write") => {
      if (effect === "read") return;
      try {
        await waitForTurn(originOf(target), signal);
        if (await isPaused(sql)) stop.abort();
      } catch {
        // Nobody knows whether this is a pause.
        stop.abort();
      }
    };
    if (job.command === "apply") await mayStart("write");
    const interruption = { signal, by: () => (signal.aborted ? ("SIGTERM" as const) : undefined) };
    const outcome = await targets.run(target, commandOf(job), { interruption, mayStart });
    const end = endOf(outcome.exit_code, attempt.number);
    await endAttempt(sql, attempt, end, end === "given-back" ? undefined : outcome);
    return end;
  }

  const work = async ([one]: JobWithMetadata[]) => {
    if (one === undefined) return [];
    const end = await runJob(one);
    if (end === "given-back" && ending.aborted) givenBack.push(one.id);
    return [{ id: one.id, status: jobStatus[end] }];
  };
  const startRound = async ([one]: JobWithMetadata[]) => {
    const round = `drift-${one?.createdOn.toISOString()}`;
    const unfinished = await readUnfinished(sql, round);
    const due = fleet.targets.filter((target) => !unfinished.has(target.name));
    await enqueueJobs({ boss, sql }, due, ({ name: target }) => ({ target, command: "drift", commit, round }));
  };
  // A slow origin does not take every place.
  const localGroupConcurrency = Math.max(1, parallelism - 1);
  const polling = { pollingIntervalSeconds: 0.5, burstWhenReadyExceeds: parallelism, includeMetadata: true } as const;
  const options = { ...polling, localConcurrency: parallelism, localGroupConcurrency, perJobResults: true } as const;
  try {
    if (schedule === undefined) await boss.unschedule(rounds);
    else await boss.schedule(rounds, schedule, {}, { tz: "UTC" });
    await boss.work(rounds, { includeMetadata: true }, startRound);
    await boss.work(jobs, options, work);
    await new Promise<void>((ended) => {
      if (ending.aborted) ended();
      else ending.addEventListener("abort", () => ended(), { once: true });
    });
    await Promise.all([rounds, jobs].map((queue) => boss.offWork(queue, { wait: true })));
    for (const id of givenBack) await boss.update(jobs, undefined, { id, startAfter: 1 });
  } finally {
    await boss.stop({ graceful: false });
    await targets.close();
  }
}

const jobStatus: Readonly<Record<AttemptEnd, JobResultStatus>> = {
  done: "completed",
  again: "failed",
  "given-back": "failed",
  "given-up": "deadletter",
};

function endOf(exitCode: number | undefined, attempts: number): AttemptEnd {
  if (exitCode === interrupted) return "given-back";
  if (!passing.includes(exitCode)) return "done";
  return attempts < mostAttempts ? "again" : "given-up";
}

function commandOf({ command, expectedPlan }: FleetJob) {
  const approved = expectedPlan === undefined ? {} : { autoApprove: true, expectPlan: expectedPlan };
  return { command, flags: { ...approved, breakStaleLock: "2m" }, reports: [] };
}
