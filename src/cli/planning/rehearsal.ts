import type { Finding } from "../../model/finding.ts";
import type { Rehearsal } from "../../model/plan.ts";
import { type Exception, formatException, type Policy, readAllowance } from "../../model/policy.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { type Clock, isoTime } from "../../ports/clock.ts";
import type { Progress } from "../../ports/operator.ts";
import type { PlanningPorts, RehearsalInput } from "../../rehearse/rehearse.ts";
import type { Replan } from "../../rehearse/verdict.ts";
import { type CommandError, invalidSetting } from "../command-error.ts";
import type { Host } from "../host.ts";
import type { CommandResult } from "../output/finish.ts";
import { readProgress, type Session } from "../session.ts";
import { sha256 } from "../system.ts";
import type { LoadedRoster } from "./load-roster.ts";
import { exceptionsIn, learnedEvents, type Planned, type PlanningInput, type PlanPorts, planFor } from "./pipeline.ts";

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

function rehearsalFailed({ troubles }: Rehearsal): CommandError {
  const many = troubles.length === 1 ? "1 problem" : `${troubles.length} problems`;
  return {
    reason: "refused",
    problem: {
      code: "rehearsal-failed",
      message: `The rehearsal of this plan found ${many}: apply would not have the planned result`,
      hint: "roster sent nothing. Correct the problems. If the rehearsal is wrong for this service, remove --rehearse and set ROSTER_REHEARSE=0",
    },
  };
}

/** With what a plan was made, and is rehearsed. */
export interface RehearsalSetup
  extends Pick<PlanningInput, "policy" | "everyone">,
    Pick<PlanPorts, "parallelism" | "signal"> {
  readonly loaded: Pick<LoadedRoster, "roster">;
  readonly keyInUse?: string | undefined;
  /** Milliseconds that each call is taken to take. */
  readonly latency: number;
  readonly progress: Progress;
  readonly clock: Clock;
  /** Ways of the service that no read shows, where they are known. */
  readonly knobs?: RehearsalInput["knobs"];
}

/** Rehearses a plan that guards let pass. Undefined where the signal was aborted meanwhile. @internal */
export async function rehearsePlan(planned: Planned, setup: RehearsalSetup): Promise<Rehearsal | undefined> {
  const { rehearse } = await import("../../rehearse/rehearse.ts");
  const { plan, snapshot, state } = planned;
  const { loaded, policy, everyone, keyInUse, latency, parallelism, progress, signal, clock, knobs } = setup;
  const { roster } = loaded;
  const learned = learnedEvents(planned, { roster, policy, at: isoTime(clock) });
  return rehearse(
    {
      plan,
      snapshot,
      state,
      before: learned.filter(({ type }) => type !== "records-moved"),
      keyInUse,
      privilegedRoles: policy.privilegedRoles,
      latency,
      parallelism,
      ...(knobs === undefined ? {} : { knobs }),
      planAgain: (when, known, stage) =>
        planAgain(
          { roster, everyone, state: known, policy: policyFor(when, policy) },
          { ...stage, parallelism, signal },
          when === "before" ? [] : exceptionsIn(plan),
        ),
    },
    { digest: sha256, progress, signal },
  );
}

/** What a person allows of one plan says nothing of the next. */
function policyFor(when: "before" | "after", policy: Policy): Policy {
  return when === "before" ? policy : { ...policy, allowed: [] };
}

const noProgress: Progress = { report: () => {} };

async function planAgain(
  input: PlanningInput,
  ports: PlanningPorts & Pick<PlanPorts, "parallelism" | "signal">,
  allowed: readonly Exception[],
): Promise<Result<Replan, string>> {
  const planned = await planFor(input, { ...ports, progress: noProgress });
  if (!planned.ok) return problem(messageOf(planned.error));
  const { plan: again, snapshot, refusal } = planned.value;
  // What a person has allowed of the plan is not asked for once more.
  const plan = { ...again, findings: again.findings.filter((finding) => !isAllowed(finding, allowed)) };
  const against = (refusal?.diagnostics ?? []).map(({ code, message }) => `${code}: ${message}`);
  return success({ plan, snapshot, against });
}

function isAllowed({ allow = [] }: Finding, allowed: readonly Exception[]): boolean {
  const words = new Set(allowed.map(formatException));
  return allow.some((word) => {
    const exception = readAllowance(word)?.exception;
    if (exception === undefined) return false;
    const isGeneral =
      (exception.is === "absent-team" && words.has("absent:teams")) ||
      (exception.is === "absent-member" && words.has("absent:members"));
    return isGeneral || words.has(formatException(exception));
  });
}

function messageOf({ problem: stopped, diagnostics = [] }: CommandError): string {
  return stopped?.message ?? diagnostics[0]?.message ?? "it came to no plan";
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

export function readRehearsal({ rehearse }: RehearsalFlags): Result<RehearsalOptions, CommandError> {
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
