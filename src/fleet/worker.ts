import pLimit from "p-limit";
import type { JobResult, JobWithMetadata } from "pg-boss";
import type { Clock } from "../ports/clock.ts";
import type { Target } from "./fleet-file.ts";
import type { TargetOutcome } from "./fleet-summary.ts";
import { enqueueJobs, type JobQueue, rounds } from "./job-queue.ts";
import { notStarted } from "./outcomes.ts";
import { type FleetJob, giveBackSql, isPaused, jobQueue, readJob, takeTurn, workerSql } from "./queue-tables.ts";

/** How the calls of a job take their turns. */
export interface CallTurns {
  /** Ends the job: the worker ends, the queue has given the job to another, or writes are paused. */
  readonly signal: AbortSignal;
  /** Awaited before each call. */
  readonly mayStart: (effect: "read" | "write") => Promise<void>;
  readonly ended: () => void;
}

export interface Worker {
  /** What others see of it, such as `host:4711`. */
  readonly name: string;
  /** A job for another commit is refused. */
  readonly commit: string;
  readonly targets: readonly Target[];
  /** How many jobs run at the same time. */
  readonly parallelism: number;
  readonly callsPerOrigin: number;
  readonly callsPerSecond?: number | undefined;
  /** How often to enqueue a round of drifts, in milliseconds. */
  readonly every?: number | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
  readonly run: (target: Target, job: FleetJob, turns: CallTurns) => Promise<TargetOutcome | "interrupted">;
}

/** Takes jobs until the signal is aborted. Then calls under way end, and jobs under way go back. */
export async function work(worker: Worker, { boss, sql }: JobQueue): Promise<void> {
  const { commit, parallelism, signal: ending, say, callsPerSecond: perSecond = Number.POSITIVE_INFINITY } = worker;
  const targets = new Map(worker.targets.map((target) => [target.name, target]));

  async function runJob(one: JobWithMetadata): Promise<Omit<JobResult, "id">> {
    const job = readJob(one.data);
    const target = targets.get(job?.target ?? "");
    if (job === undefined || target === undefined) {
      const why = job === undefined ? "it has missing or unknown fields" : `the fleet has no target ${job.target}`;
      say(`A job was refused: ${why}.`);
      return { status: "deadletter" };
    }
    if (job.commit !== commit) {
      const message = `The job is for the commit ${job.commit}, and this worker has ${commit}.`;
      const output = { ...notStarted(target), status: "failed", error: { code: "stale", message } };
      return { status: "deadletter", output };
    }
    const thisTry = [one.id, one.retryCount];
    await sql(workerSql, [...thisTry, worker.name]);
    const stop = new AbortController();
    const signal = AbortSignal.any([ending, one.signal, stop.signal]);
    // One call at a time asks for its turn. A call that is not sent has its turn until the job ends.
    const asking = pLimit(1);
    const ends: (() => Promise<unknown>)[] = [];
    const ended = () => ends.shift()?.();
    const limits = { ...target, atOnce: worker.callsPerOrigin, perSecond };
    const mayStart = async (effect: "read" | "write") => {
      ends.push(await asking(() => takeTurn(sql, limits, worker.clock, signal)));
      // Where the database does not answer, nobody knows whether this is a pause.
      if (effect === "write" && (await isPaused(sql).catch(() => true))) stop.abort();
    };
    if (job.command === "apply") await mayStart("write").then(ended);
    const output = await worker.run(target, job, { signal, mayStart, ended });
    await Promise.all(ends.map((end) => end()));
    if (output === "interrupted") {
      await sql(giveBackSql, thisTry);
      return { status: "failed", output: one.output };
    }
    // What can pass is tried again: a failure of the network or the service, and a locked log.
    return { status: [1, 8].includes(output.exit_code ?? 0) ? "failed" : "completed", output };
  }

  if (worker.every !== undefined) {
    await boss.schedule(rounds, cronOf(worker.every), {}, { tz: "UTC" });
    await boss.work(rounds, { includeMetadata: true }, async ([one]: JobWithMetadata[]) => {
      const round = `drift-${one?.createdOn.toISOString()}`;
      await enqueueJobs({ boss, sql }, worker.targets, (target, drifts) =>
        drifts.includes(target) ? undefined : { target, command: "drift", commit, round },
      );
    });
  }
  const options = {
    pollingIntervalSeconds: 0.5,
    burstWhenReadyExceeds: parallelism,
    localConcurrency: parallelism,
    // A slow origin does not take every place.
    localGroupConcurrency: Math.max(1, parallelism - 1),
    perJobResults: true,
    includeMetadata: true,
  } as const;
  await boss.work(jobQueue, options, (all: JobWithMetadata[]) =>
    Promise.all(all.map(async (one) => ({ id: one.id, ...(await runJob(one)) }))),
  );
  say(`Waiting for jobs of the commit ${commit}.`);
  if (!ending.aborted) await new Promise((ended) => ending.addEventListener("abort", ended, { once: true }));
  await Promise.all([rounds, jobQueue].map((name) => boss.offWork(name, { wait: true })));
}

function cronOf(every: number): string {
  const minutes = every / 60_000;
  if (minutes < 60) return `*/${minutes} * * * *`;
  return minutes < 24 * 60 ? `0 */${minutes / 60} * * *` : "0 0 * * *";
}
