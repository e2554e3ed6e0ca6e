import type { RunSummary } from "../../log/summary.ts";
import type { RunEvent } from "../../model/event.ts";
import type { Plan } from "../../model/plan.ts";
import type { Roster } from "../../model/roster.ts";
import type { State } from "../../model/state.ts";
import { isoTime } from "../../ports/clock.ts";
import type { Progress } from "../../ports/operator.ts";
import { findDrift, fixedByRun, type Recorder, recordOpenFindings } from "../drift/open-findings.ts";
import { type RosterError, stopError } from "../error.ts";
import {
  allowancesUsed,
  isWhole,
  learnedEvents,
  type Planned,
  type PlanningInput,
  planFor,
} from "../planning/planning.ts";
import { recordEvents } from "./lock.ts";
import { planToRun, type RunContext, type RunObserver, runPlan } from "./run-plan.ts";

/** What an apply works with. The log is locked for it. */
export interface ApplyContext extends RunContext, Recorder {
  readonly roster: Roster;
  readonly everyone: PlanningInput["everyone"];
  readonly progress: Progress;
  /** What to say where the signal ended the work before anything was sent; undefined where nothing is said of it. */
  readonly whyAborted: () => RosterError | undefined;
}

/** What happens between the steps of an apply. */
export interface ApplySteps extends RunObserver {
  /** The number of this run among all applies. */
  readonly sequence?: number | undefined;
  /** Why the plan that was made is not the one to apply. Nothing is recorded by then. */
  readonly unexpected?: (plan: Plan) => RosterError | undefined;
  /** The plan is made, and nothing of it was done yet. */
  readonly planned?: (planned: Planned) => void;
  /** Why the plan is not applied. Asked where guards let it pass and it has actions. */
  readonly approve: (planned: Planned) => Promise<RosterError | undefined>;
  /** The run begins: nothing was sent by then. */
  readonly begins?: (plan: Plan) => Promise<void>;
}

/** What an apply came to. */
export interface Applied {
  /** Why it ended before its work was done; absent where it did not. */
  readonly error?: RosterError;
  readonly planned?: Planned;
  /** As it stands after the run. */
  readonly plan?: Plan;
  /** Absent where nothing was begun. */
  readonly run?: RunSummary;
}

/** Plans, asks and runs the plan. What planning learned is recorded before anything is sent. */
export async function applyUnderLock(context: ApplyContext, steps: ApplySteps): Promise<Applied> {
  const late = supersededRun(steps.sequence, context.lock.state);
  if (late !== undefined) return { error: late };
  const made = await planFor(planningInput(context), context);
  if (!made.ok) return { error: made.error };
  const planned = made.value;
  const unexpected = steps.unexpected?.(planned.plan);
  if (unexpected !== undefined) return { planned, error: unexpected };
  const ran = await runPlanned(context, planned, steps, planningEvents(context, planned));
  if (ran.error !== undefined) return ran;
  const unrecorded = await recordDriftAfterRun(context, planned, ran.run);
  return unrecorded === undefined ? ran : { ...ran, error: unrecorded };
}

function planningInput({ roster, policy, lock, everyone }: ApplyContext): PlanningInput {
  return { roster, state: lock.state, policy, everyone };
}

/** What was learned counts even if the plan is not approved. That the roster is applied or the service starts anew does not. */
export interface PlanningEvents {
  readonly learned: readonly RunEvent[];
  readonly applied: readonly RunEvent[];
}

export function planningEvents(
  { clock, roster, policy }: Pick<ApplyContext, "clock" | "roster" | "policy">,
  planned: Planned,
): PlanningEvents {
  const events = learnedEvents(planned, { roster, policy, at: isoTime(clock) });
  const ofType = (type: RunEvent["type"]) => events.filter((event) => event.type === type);
  const ofNewEpoch: readonly RunEvent["type"][] =
    planned.epoch === undefined ? [] : ["epoch-started", "users-observed"];
  const late: readonly RunEvent["type"][] = [...ofNewEpoch, "roster-applied"];
  const others = events.filter(({ type }) => type !== "records-moved" && !late.includes(type));
  return {
    learned: [...ofType("records-moved"), ...planned.resolved, ...others],
    applied: [
      ...late.flatMap(ofType),
      ...allowancesUsed(planned.plan, isWhole(policy) ? "whole" : "part", isoTime(clock)),
    ],
  };
}

/** Records what planning learned, asks, and runs the plan. */
export async function runPlanned(
  context: ApplyContext,
  planned: Planned,
  steps: Omit<ApplySteps, "unexpected">,
  { learned, applied }: PlanningEvents,
): Promise<Applied> {
  const { plan, resolved } = planned;
  const { lock, signal, policy } = context;
  steps.planned?.(planned);
  // Without a place for what was learned, no call can be announced: nothing is sent.
  const record = (events: readonly RunEvent[]) => recordEvents(lock, events, "nothing was sent");
  const unrecorded = await record(learned);
  if (unrecorded !== undefined) return { planned, error: unrecorded };
  const refused = await whyNotRun(context, planned, steps);
  if (refused !== undefined) return { planned, error: refused };
  const unstarted = await record(startEvents(context, steps.sequence, applied));
  if (unstarted !== undefined) return { planned, error: unstarted };
  // Interrupted: nothing was begun.
  if (signal.aborted || plan.actions.length + resolved.length === 0) return { planned };
  await steps.begins?.(plan);
  return { planned, ...(await runPlan({ ...context, policy }, planToRun(planned), learned, steps)) };
}

/** Out of time, refused by guards, or not approved. Without actions there is no question. */
async function whyNotRun(
  { signal, whyAborted }: ApplyContext,
  planned: Planned,
  { approve }: Pick<ApplySteps, "approve">,
): Promise<RosterError | undefined> {
  if (signal.aborted) return whyAborted();
  if (planned.refusal !== undefined) return planned.refusal;
  return planned.plan.actions.length === 0 ? undefined : approve(planned);
}

/** Recorded even if nothing is left to do: an older roster that comes later must not be applied, and nobody is forgotten. */
function startEvents(
  { lock, clock, signal }: ApplyContext,
  sequence: number | undefined,
  applied: readonly RunEvent[],
): readonly RunEvent[] {
  if (signal.aborted) return [];
  return [...sequenceEvents(sequence, lock.state, isoTime(clock)), ...applied];
}

/** Records the differences that an apply has seen and left, so that a later drift says since when they exist. */
async function recordDriftAfterRun(
  context: ApplyContext,
  planned: Planned,
  run: RunSummary | undefined,
): Promise<RosterError | undefined> {
  const { lock, policy, roster } = context;
  const drift = findDrift(planned, { roster, policy });
  const recorded = await recordOpenFindings(lock, { planned, drift, policy, settled: fixedByRun(run, drift) }, context);
  return typeof recorded === "string" ? undefined : recorded;
}

/** What to remember of the place that a run names; nothing where it is known. */
export function sequenceEvents(
  sequence: number | undefined,
  { sequence: known }: State,
  at: string,
): readonly RunEvent[] {
  return sequence === undefined || sequence === known ? [] : [{ type: "sequenced", at, sequence }];
}

/** Why a run must not go on after a newer roster was applied, which it would undo; undefined where it may. */
export function supersededRun(sequence: number | undefined, { sequence: applied }: State): RosterError | undefined {
  if (sequence === undefined || applied === undefined || sequence >= applied) return undefined;
  return stopError(
    "stale",
    "stale",
    `this run has number ${sequence}, but number ${applied} with a newer roster was already applied`,
    "nothing was read or sent; let the newest pipeline run apply",
  );
}

/** Why a plan is not the one that was approved; undefined where it is. `difference`: in what, as the end of a sentence. */
export function otherPlan(plan: Plan, { id }: Pick<Plan, "id">, difference = ""): RosterError | undefined {
  if (plan.id === id) return undefined;
  return stopError(
    "stale",
    "stale",
    `the plan has the ID ${plan.id} now, and ${id} was approved${difference}`,
    "nothing was sent; read the plan of today, and approve it",
  );
}
