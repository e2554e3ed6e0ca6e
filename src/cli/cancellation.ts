import { setMaxListeners } from "node:events";
import { type Result, success } from "../model/result.ts";
import type { Clock } from "../ports/clock.ts";
import type { CommandError } from "./command-error.ts";
import { durationOf, showDuration } from "./duration.ts";
import type { Host } from "./host.ts";

export interface DeadlineFlags {
  readonly deadline?: string | undefined;
}

/** What can end a command before its work is done: an interrupt, and the time that it was given. */
export interface Cancellation {
  /** Aborted by either. */
  readonly signal: AbortSignal;
  /** Aborted once the time is over. */
  readonly deadline: AbortSignal;
  /** What to say of a command that ran out of time before anything was done; undefined where it has not. */
  outOfTime(): CommandError | undefined;
  /** Stops counting. */
  end(): void;
}

/** Milliseconds that the command is given; undefined where it has all the time. */
export function readDeadline({ deadline }: DeadlineFlags, host: Host): Result<number | undefined, CommandError> {
  return durationOf({ flag: "--deadline", said: deadline, name: "ROSTER_DEADLINE" }, host);
}

/** Begins to count the time that the command is given, if it is given one. */
export function startCancellation(flags: DeadlineFlags, host: Host): Result<Cancellation, CommandError> {
  const limit = readDeadline(flags, host);
  return limit.ok ? success(cancellationAfter(limit.value, host)) : limit;
}

/** Ends by an interrupt, and after a limit in milliseconds if there is one. */
export function cancellationAfter(limit: number | undefined, { clock, interruption }: Host): Cancellation {
  const passed = new AbortController();
  const ended = new AbortController();
  if (limit !== undefined) {
    void waitByTheClock(limit, clock, ended.signal).then(() => {
      if (!ended.signal.aborted) passed.abort();
    });
  }
  const signal = AbortSignal.any([interruption.signal, passed.signal]);
  // Each wait of a call listens to it; from the eleventh listener on, Node prints a warning.
  setMaxListeners(0, signal);
  return {
    signal,
    deadline: passed.signal,
    outOfTime: () => (passed.signal.aborted ? outOfTime(limit ?? 0) : undefined),
    end: () => ended.abort(),
  };
}

/** Timers stand still while a machine sleeps, and the clock does not. */
const longestTimer = 500;

async function waitByTheClock(limit: number, clock: Clock, ended: AbortSignal): Promise<void> {
  const end = clock.now() + limit;
  while (!ended.aborted && clock.now() < end) await clock.wait(Math.min(end - clock.now(), longestTimer), ended);
}

function outOfTime(limit: number): CommandError {
  const problem = {
    code: "deadline",
    message: `the --deadline of ${showDuration(limit)} passed before any change`,
    hint: "give it more time, and run again",
  };
  return { reason: "failed", problem };
}
