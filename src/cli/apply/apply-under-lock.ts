import type { RunEvent } from "../../model/event.ts";
import type { Rehearsal } from "../../model/plan.ts";
import { computeDrift } from "../../plan/drift/drift.ts";
import { isoTime } from "../../ports/clock.ts";
import { renderPlan } from "../../report/text/plan.ts";
import type { CommandError } from "../command-error.ts";
import { fixedByRun, recordSightings } from "../drift/sightings.ts";
import { textStyleOf } from "../host.ts";
import type { CommandResult } from "../output/finish.ts";
import { isFollowed, shownAs } from "../output/output-flags.ts";
import type { LoadedRoster } from "../planning/load-roster.ts";
import { learnedEvents, type Planned, type PlanningInput, type PlanPorts, planFor } from "../planning/pipeline.ts";
import { selectedPart } from "../planning/policy-flags.ts";
import { type RehearsalOptions, rehearseIfWanted } from "../planning/rehearsal.ts";
import { readProgress } from "../progress/progress-observer.ts";
import type { CommandSession } from "../session.ts";
import { recordEvents } from "../stores/lock.ts";
import { sha256 } from "../system.ts";
import { reviewerFor } from "./approval.ts";
import { planToRun, type RunPorts, runPlan, runResult, sequenceEvents, supersededRun } from "./run-plan.ts";

/** What an apply works with once everything that could be wrong before the first call was found right. */
export interface ApplySession extends RunPorts {
  readonly flags: RunPorts["flags"] & { readonly autoApprove?: boolean; readonly unmanaged?: boolean };
  readonly loaded: LoadedRoster;
  /** The place that this run names for itself among all applies. */
  readonly sequence?: number;
  /** Absent where nothing of a run is ever rehearsed. */
  readonly rehearsal?: RehearsalOptions & Pick<CommandSession, "readTimes">;
}

/** Plans, asks and runs the plan. What was learned is recorded before anything is sent; the session stays open. */
export async function applyUnderLock(so: CommandResult, work: ApplySession): Promise<CommandResult> {
  const late = supersededRun(work.sequence, work.session.state);
  if (late !== undefined) return { ...so, stop: late };
  const planned = await planUnderLock(work);
  if (!planned.ok) return { ...so, stop: planned.error };
  const ended = await runUnderLock(so, work, planned.value, planningEvents(work, planned.value));
  return recordDriftAfterRun(ended, work, planned.value);
}

/** Records what planning has taught, asks, and runs the plan. */
export async function runUnderLock(
  so: CommandResult,
  work: ApplySession,
  planned: Planned,
  { taught, applied }: PlanningEvents,
): Promise<CommandResult> {
  const { plan, reading, settled } = planned;
  const told = { ...so, plan, reading, ...shownAs(work.flags, work.policy), ...selectedPart(work.policy) };
  work.onlooker.planned(plan);
  // Without a place for what was learned, no call can be announced: nothing is sent.
  const record = (events: readonly RunEvent[]) => recordEvents(work.session, events, "nothing was sent");
  const unrecorded = await record(taught);
  if (unrecorded !== undefined) return { ...told, stop: unrecorded };
  const played = await rehearseUnderLock(told, work, planned);
  const { rehearsal } = played;
  const stop =
    played.stop ?? (await confirmPlan(work, planned, rehearsal)) ?? (await record(startEvents(work, applied)));
  if (stop !== undefined) return { ...played, stop };
  // Interrupted: nothing was begun, which the exit code says.
  if (work.halting.signal.aborted || plan.actions.length + settled.length === 0) return played;
  return { ...played, ...runResult(plan, await runPlan(work, planToRun(planned), taught)) };
}

/** Where there is nothing to do, there is nothing to rehearse. */
async function rehearseUnderLock(told: CommandResult, work: ApplySession, planned: Planned): Promise<CommandResult> {
  if (work.rehearsal === undefined || planned.plan.actions.length === 0) return told;
  const { question } = planningUnderLock(work);
  const { keyPrefix: keyInUse } = work.service;
  return rehearseIfWanted(told, planned, { ...work, ...work.rehearsal, everyone: question.everyone, keyInUse });
}

function planUnderLock(work: ApplySession): ReturnType<typeof planFor> {
  const { question, ports } = planningUnderLock(work);
  return planFor(question, ports);
}

/** What is asked of the service for a plan under the lock, and how. */
export function planningUnderLock(work: ApplySession): { readonly question: PlanningInput; readonly ports: PlanPorts } {
  const { flags, host, settings, policy, loaded, service, session, halting, onlooker } = work;
  const everyone = flags.unmanaged === true ? "always" : "when-needed";
  const question = { roster: loaded.roster, state: session.state, policy, everyone } as const;
  const ports = { service, clock: host.clock, progress: readProgress(onlooker), parallelism: settings.parallelism };
  return { question, ports: { ...ports, signal: halting.signal } };
}

/** What was learned counts whether or not the plan is approved; that the roster is applied does not. */
interface PlanningEvents {
  readonly taught: readonly RunEvent[];
  readonly applied: readonly RunEvent[];
}

export function planningEvents({ host, loaded, policy }: ApplySession, planned: Planned): PlanningEvents {
  const { roster } = loaded;
  const lessons = learnedEvents(planned, { roster, policy, at: isoTime(host.clock) });
  const ofType = (type: RunEvent["type"]) => lessons.filter((lesson) => lesson.type === type);
  const others = lessons.filter(({ type }) => type !== "records-moved" && type !== "roster-applied");
  return {
    taught: [...ofType("records-moved"), ...planned.settled, ...others],
    applied: ofType("roster-applied"),
  };
}

/** Remembered although nothing may be left to do: an older roster that comes later must not be applied, nor anybody forgotten. */
function startEvents(
  { sequence, session, host, halting }: ApplySession,
  applied: readonly RunEvent[],
): readonly RunEvent[] {
  if (halting.signal.aborted) return [];
  return [...sequenceEvents(sequence, session.state, isoTime(host.clock)), ...applied];
}

/** Why the plan is not run: out of time, refused by guards, or not approved. Where there is nothing to do, nobody is asked. */
async function confirmPlan(
  work: ApplySession,
  planned: Planned,
  rehearsal: Rehearsal | undefined,
): Promise<CommandError | undefined> {
  const { halting } = work;
  if (halting.signal.aborted) return halting.outOfTime();
  if (planned.refusal !== undefined) return planned.refusal;
  if (planned.plan.actions.length === 0) return undefined;
  const refused = await askForApproval(work, planned, rehearsal);
  return refused === undefined ? undefined : (halting.outOfTime() ?? refused);
}

async function askForApproval(
  work: ApplySession,
  { plan, reading }: Planned,
  rehearsal: Rehearsal | undefined,
): Promise<CommandError | undefined> {
  const { flags, host, halting } = work;
  const played = rehearsal === undefined ? {} : { rehearsal };
  const shown = { reading, ...shownAs(flags, work.policy), ...selectedPart(work.policy), ...played };
  if (flags.autoApprove === true) {
    if (isFollowed(flags)) host.stdout.write(`${renderPlan(plan, { ...textStyleOf(host.stdout), ...shown })}\n`);
    return undefined;
  }
  const { signal } = halting;
  const reviewer = reviewerFor(host, { flags, shown, signal, privileged: work.policy.privilegedRoles });
  work.onlooker.asking();
  const answer = await reviewer.approve(plan);
  if (answer.approved) return undefined;
  const problem = {
    code: answer.code,
    message: answer.why,
    ...(answer.hint === undefined ? {} : { hint: answer.hint }),
  };
  return { reason: "refused", problem };
}

/** Remembers what an apply has seen to differ and has left so, so that a drift tells since when. */
async function recordDriftAfterRun(ended: CommandResult, work: ApplySession, planned: Planned): Promise<CommandResult> {
  if (ended.stop !== undefined) return ended;
  const { plan, snapshot, state } = planned;
  const { session, policy, loaded, host } = work;
  const about = { roster: loaded.roster, privilegedRoles: policy.privilegedRoles, digest: sha256 };
  const drift = computeDrift({ plan, snapshot, state, ...about });
  const done = await recordSightings(session, { planned, drift, policy, settled: fixedByRun(ended.run, drift) }, host);
  return typeof done === "string" ? ended : { ...ended, stop: done };
}
