import type { Rehearsal } from "../../model/plan.ts";
import type { Policy } from "../../model/policy.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { type Clock, isoTime } from "../../ports/clock.ts";
import type { Progress } from "../../ports/progress.ts";
import type { PlanningPorts, RehearsalInput } from "../../rehearse/rehearse.ts";
import type { Replan } from "../../rehearse/verdict.ts";
import type { CommandError } from "../stop.ts";
import { sha256 } from "../system.ts";
import { learnedEvents } from "./lessons.ts";
import type { LoadedRoster } from "./load-roster.ts";
import { type Planned, type PlanningInput, type PlanPorts, planFor } from "./pipeline.ts";

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

/** Rehearses a plan that guards let pass. Undefined where the signal was aborted meanwhile. */
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
