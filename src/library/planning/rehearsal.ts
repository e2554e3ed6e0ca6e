import type { Finding } from "../../model/finding.ts";
import type { Rehearsal } from "../../model/plan.ts";
import { type Exception, formatException, type Policy, readAllowance } from "../../model/policy.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { type Clock, isoTime } from "../../ports/clock.ts";
import type { Progress } from "../../ports/operator.ts";
import type { PlanningPorts, RehearsalInput } from "../../rehearse/rehearse.ts";
import type { Replan } from "../../rehearse/verdict.ts";
import type { RosterError } from "../error.ts";
import { sha256 } from "../system.ts";
import type { LoadedRoster } from "./load-roster.ts";
import { exceptionsIn, learnedEvents, type Planned, type PlanningInput, type PlanPorts, planFor } from "./planning.ts";

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

function messageOf({ problem: stopped, diagnostics = [] }: RosterError): string {
  return stopped?.message ?? diagnostics[0]?.message ?? "it came to no plan";
}
