import type { Rehearsal } from "../../model/plan.ts";
import type { Policy } from "../../model/policy.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { type Clock, isoTime } from "../../ports/clock.ts";
import type { Progress } from "../../ports/progress.ts";
import type { PlanningPorts, RehearsalInput } from "../../rehearse/rehearse.ts";
import type { Replan } from "../../rehearse/verdict.ts";
import { type CommandError, invalidSetting } from "../command-error.ts";
import type { Host } from "../host.ts";
import type { CommandResult } from "../output/finish.ts";
import { readProgress } from "../progress/progress-observer.ts";
import { sha256 } from "../system.ts";
import type { LoadedRoster } from "./load-roster.ts";
import { learnedEvents, type Planned, type PlanningInput, type PlanPorts, planFor } from "./pipeline.ts";
import type { PlanSession } from "./with-plan.ts";

/** What a rehearsal takes beside the plan. */
type RehearsalSource = RehearsalOptions &
  Pick<
    PlanSession,
    "loaded" | "policy" | "settings" | "halting" | "onlooker" | "readTimes" | "host" | "everyone" | "keyInUse"
  >;

/** Milliseconds of a call where nobody says how long one takes: the same input makes the same text. */
const defaultLatency = 100;

/**
 * What was concluded of a plan, with what a rehearsal of it came to, where one is wanted: refused where it ran into trouble. A
 * plan that is refused already is not rehearsed.
 */
export async function rehearseIfWanted(
  so: CommandResult,
  planned: Planned,
  means: RehearsalSource,
): Promise<CommandResult> {
  const { settings, halting, onlooker, readTimes, host } = means;
  if (so.stop !== undefined || planned.refusal !== undefined) return so;
  if (!means.rehearse && !settings.rehearse) return so;
  const { latency = defaultLatency } = means;
  const { parallelism } = settings;
  const ports = { parallelism, progress: readProgress(onlooker), signal: halting.signal };
  const rehearsal = await rehearsePlan(planned, { ...means, ...ports, latency, clock: host.clock });
  if (rehearsal === undefined) {
    const stop = halting.outOfTime();
    return stop === undefined ? so : { ...so, stop };
  }
  if (means.latency === undefined) reportMeasuredLatency(readTimes, host);
  const told = { ...so, rehearsal };
  return rehearsal.converges ? told : { ...told, stop: rehearsalFailed(rehearsal) };
}

/** Told beside the results, since it differs from run to run. */
function reportMeasuredLatency(readTimes: readonly number[], host: Host): void {
  const sorted = [...readTimes].sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)];
  if (median === undefined) return;
  const measured = Math.max(1, Math.round(median));
  host.stderr.write(
    `The reads of this run took ${measured} ms each (median): --latency ${measured}ms says how long an apply takes at that.\n`,
  );
}

function rehearsalFailed({ troubles }: Rehearsal): CommandError {
  const many = troubles.length === 1 ? "1 trouble" : `${troubles.length} troubles`;
  return {
    reason: "refused",
    problem: {
      code: "rehearsal-failed",
      message: `a rehearsal of this plan ran into ${many}: an apply would not bring about what it shows`,
      hint: "nothing was sent; correct what the rehearsal tells, or go without one (no --rehearse and no --latency, and ROSTER_REHEARSE=0) where it cannot be right about this service",
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
export async function rehearsePlan(planned: Planned, means: RehearsalSetup): Promise<Rehearsal | undefined> {
  const { rehearse } = await import("../../rehearse/rehearse.ts");
  const { plan, snapshot, state } = planned;
  const { loaded, policy, everyone, keyInUse, latency, parallelism, progress, signal, clock, knobs } = means;
  const { roster } = loaded;
  const lessons = learnedEvents(planned, { roster, policy, at: isoTime(clock) });
  return rehearse(
    {
      plan,
      snapshot,
      state,
      before: lessons.filter(({ type }) => type !== "records-moved"),
      keyInUse,
      privilegedRoles: policy.privilegedRoles,
      latency,
      parallelism,
      ...(knobs === undefined ? {} : { knobs }),
      planAgain: (when, known, stage) =>
        planAgain(
          { roster, everyone, state: known, policy: policyFor(when, policy) },
          { ...stage, parallelism, signal },
        ),
    },
    { digest: sha256, progress, signal },
  );
}

/** What a person says of one plan or for one run says nothing of the next. */
function policyFor(when: "before" | "after", policy: Policy): Policy {
  return when === "before" ? policy : { ...policy, allowed: [], recreate: [] };
}

const noProgress: Progress = { report: () => {} };

async function planAgain(
  question: PlanningInput,
  ports: PlanningPorts & Pick<PlanPorts, "parallelism" | "signal">,
): Promise<Result<Replan, string>> {
  const planned = await planFor(question, { ...ports, progress: noProgress });
  if (!planned.ok) return problem(messageOf(planned.error));
  const { plan, snapshot, refusal } = planned.value;
  const against = (refusal?.diagnostics ?? []).map(({ code, message }) => `${code}: ${message}`);
  return success({ plan, snapshot, against });
}

function messageOf({ problem: trouble, diagnostics = [] }: CommandError): string {
  return trouble?.message ?? diagnostics[0]?.message ?? "it came to no plan";
}

export interface RehearsalFlags {
  readonly rehearse?: boolean;
  readonly latency?: string | undefined;
}

/** What a person says of a rehearsal. The settings may ask for one where nobody does. */
export interface RehearsalOptions {
  readonly rehearse: boolean;
  /** Milliseconds that a call is taken to take; absent where nobody says so. */
  readonly latency?: number;
}

const maxLatency = 60_000;

/** A time that is given is one for a rehearsal. */
export function readRehearsal({ rehearse = false, latency }: RehearsalFlags): Result<RehearsalOptions, CommandError> {
  if (latency === undefined) return success({ rehearse });
  const [, number = "", unit = ""] = /^(\d+)(ms|s)$/u.exec(latency) ?? [];
  const milliseconds = Number(number) * (unit === "s" ? 1000 : 1);
  if (unit !== "" && milliseconds <= maxLatency) return success({ rehearse: true, latency: milliseconds });
  return problem(
    invalidSetting(
      "bad-latency",
      `--latency ${latency} is no time that a call takes.`,
      "Write a whole number of milliseconds or seconds, at most a minute: 80ms, 2s.",
    ),
  );
}
