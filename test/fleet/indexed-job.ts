import { setTimeout as pause } from "node:timers/promises";
import type { CommandResult } from "../support/command.ts";

/** A process that runs, until it ends. */
interface RunningPod {
  readonly index: number;
  readonly kill: () => void;
}

/** One start of an index, and how it ended. */
export interface Attempt {
  readonly index: number;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface IndexedJobOptions {
  readonly completions: number;
  /** How often an index is started again after it has failed. */
  readonly backoffLimitPerIndex: number;
  /** Starts the process of an index, which gets a way to kill it. */
  readonly start: (index: number, started: (kill: () => void) => void) => Promise<CommandResult>;
}

/** Exit codes of a run that did its work, whatever it found. */
const complete: readonly (number | null)[] = [0, 2, 9];

/** Exit codes that are no failure of the index: a call has no outcome yet, or another run holds the state of a target. */
const ignored: readonly (number | null)[] = [7, 8];

/**
 * Runs a process for each index at the same time, as an Indexed Job of Kubernetes does: an index that fails is started again with
 * the same number, after a pause that doubles. What is killed from outside counts as no failure, nor does an exit code that a
 * `podFailurePolicy` ignores.
 */
export function indexedJob({ completions, backoffLimitPerIndex, start }: IndexedJobOptions): IndexedJob {
  const running = new Set<RunningPod>();
  const attempts: Attempt[] = [];
  let stopped = false;

  async function runIndex(index: number): Promise<void> {
    for (let failures = 0; !stopped; ) {
      const { code, signal } = await runPod(index);
      attempts.push({ index, code, signal });
      if (complete.includes(code)) return;
      if (signal !== null || ignored.includes(code)) continue;
      failures += 1;
      if (failures > backoffLimitPerIndex) return;
      await pause(firstBackoff * 2 ** (failures - 1));
    }
  }

  async function runPod(index: number): Promise<CommandResult> {
    let pod: RunningPod | undefined;
    const ended = start(index, (kill) => {
      pod = { index, kill };
      running.add(pod);
    });
    try {
      return await ended;
    } finally {
      if (pod !== undefined) running.delete(pod);
    }
  }

  const done = Promise.all(Array.from({ length: completions }, (_, index) => runIndex(index)));
  return {
    attempts,
    running: () => [...running],
    done: done.then(() => undefined),
    stop() {
      stopped = true;
      for (const { kill } of running) kill();
    },
  };
}

export interface IndexedJob {
  /** In the order in which they ended. */
  readonly attempts: readonly Attempt[];
  running(): readonly RunningPod[];
  /** Resolves when every index is complete or has failed for good. */
  readonly done: Promise<void>;
  stop(): void;
}

/** Milliseconds; half of what Kubernetes waits. */
const firstBackoff = 5000;
