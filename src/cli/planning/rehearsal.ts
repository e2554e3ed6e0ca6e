import { invalidSetting, type RosterError, stopError } from "../../library/error.ts";
import { type Planned, type PlanningInput, rehearsePlan } from "../../library/planning/planning.ts";
import type { Rehearsal } from "../../model/plan.ts";
import { problem, type Result, success } from "../../model/result.ts";
import type { Host } from "../host.ts";
import type { CommandResult } from "../output/finish.ts";
import { readProgress, type Session } from "../session.ts";

/** What a rehearsal takes beside the plan and its session. */
interface RehearsalRequest extends RehearsalOptions {
  readonly everyone: PlanningInput["everyone"];
  /** The public part of the key in use. */
  readonly keyInUse?: string | undefined;
}

/** Milliseconds of a call where nobody says how long one takes: the same input makes the same text. */
const defaultLatency = 100;

/** The result of a plan, with its rehearsal if one is wanted. A failed rehearsal refuses the plan. A refused plan is not rehearsed. */
export async function rehearseIfWanted(
  result: CommandResult,
  planned: Planned,
  { loaded, policy, settings, cancellation, observer, readTimes, host }: Session<"policy" | "observer" | "loaded">,
  { rehearse, latency, everyone, keyInUse }: RehearsalRequest,
): Promise<CommandResult> {
  if (result.stop !== undefined || planned.refusal !== undefined) return result;
  if (!rehearse && !settings.rehearse) return result;
  const { parallelism } = settings;
  const rehearsal = await rehearsePlan(planned, {
    loaded,
    policy,
    everyone,
    keyInUse,
    latency: latency ?? defaultLatency,
    parallelism,
    progress: readProgress(observer),
    signal: cancellation.signal,
    clock: host.clock,
  });
  if (rehearsal === undefined) {
    const stop = cancellation.outOfTime();
    return stop === undefined ? result : { ...result, stop };
  }
  if (latency === undefined) reportMeasuredLatency(readTimes, host);
  const rehearsed = { ...result, rehearsal };
  return rehearsal.converges ? rehearsed : { ...rehearsed, stop: rehearsalFailed(rehearsal) };
}

/** On standard error: it differs from run to run. */
function reportMeasuredLatency(readTimes: readonly number[], host: Host): void {
  const sorted = [...readTimes].sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)];
  if (median === undefined) return;
  const measured = Math.max(1, Math.round(median));
  host.stderr.write(
    `The reads of this run took ${measured} ms each (median): --rehearse=${measured}ms shows how long an apply takes at that.\n`,
  );
}

function rehearsalFailed({ troubles }: Rehearsal): RosterError {
  const many = troubles.length === 1 ? "1 problem" : `${troubles.length} problems`;
  return stopError(
    "refused",
    "rehearsal-failed",
    `The rehearsal of this plan found ${many}: apply would not have the planned result`,
    "roster sent nothing. Correct the problems. If the rehearsal is wrong for this service, remove --rehearse and set ROSTER_REHEARSE=0",
  );
}

export interface RehearsalFlags {
  /** How long each call takes, such as `80ms`; empty where that is not said. */
  readonly rehearse?: string | undefined;
}

/** What a person says of a rehearsal. The settings may ask for one where nobody does. */
export interface RehearsalOptions {
  readonly rehearse: boolean;
  /** Milliseconds that a call is taken to take; absent where nobody says so. */
  readonly latency?: number;
}

const maxLatency = 60_000;

export function readRehearsal({ rehearse }: RehearsalFlags): Result<RehearsalOptions, RosterError> {
  if (rehearse === undefined || rehearse === "") return success({ rehearse: rehearse === "" });
  const [, number = "", unit = ""] = /^(\d+)(ms|s)$/u.exec(rehearse) ?? [];
  const milliseconds = Number(number) * (unit === "s" ? 1000 : 1);
  if (unit !== "" && milliseconds <= maxLatency) return success({ rehearse: true, latency: milliseconds });
  return problem(
    invalidSetting(
      "bad-latency",
      `--rehearse=${rehearse} is not a valid time.`,
      "Write a whole number of milliseconds or seconds, at most one minute: --rehearse=80ms or --rehearse=2s.",
    ),
  );
}
