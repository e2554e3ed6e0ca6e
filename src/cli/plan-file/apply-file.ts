import { applyEvents } from "../../journal/fold.ts";
import type { RunEvent } from "../../model/event.ts";
import type { Policy } from "../../model/policy.ts";
import type { Diagnostic } from "../../model/result.ts";
import { roleSet } from "../../model/role-set.ts";
import type { PlanFile, PlanningEvent } from "../../model/saved-files.ts";
import type { State } from "../../model/state.ts";
import type { ObservePorts } from "../../observe/observe.ts";
import { isoTime } from "../../ports/clock.ts";
import { renderPlan } from "../../report/text/plan.ts";
import { readProgress } from "../onlooking/onlooker.ts";
import type { CommandResult } from "../output/conclude.ts";
import { isFollowed } from "../output/output-flags.ts";
import { textStyleOf } from "../output/paint.ts";
import { shownAs } from "../output/view-flag.ts";
import { stateServiceMismatch } from "../planning/pipeline.ts";
import { absentFoundingIn } from "../planning/selectors.ts";
import { recordEvents } from "../running/record-events.ts";
import { sequenceEvents, supersededRun } from "../running/run-order.ts";
import { type PlanToRun, type RunPorts, runPlan, runResult } from "../running/run-plan.ts";
import { summaryOf } from "./read-plan-file.ts";
import { settleOpenCalls } from "./settle-open.ts";
import { isUnmoved, staleFile } from "./stale-file.ts";
import { staleActions } from "./unfit-actions.ts";

/** What a plan file is applied with. */
export interface PlanFileSession extends RunPorts {
  readonly file: PlanFile;
  /** The place that this run names for itself among all applies. */
  readonly sequence?: number;
}

/** Runs a saved plan under the state's lock. The file is the approval; it is remembered as begun before anything is sent. */
export async function applyFile(so: CommandResult, work: PlanFileSession): Promise<CommandResult> {
  const { file, session, service, host, halting } = work;
  const { state } = session;
  const stale =
    supersededRun(work.sequence, state) ??
    stateServiceMismatch(state, service) ??
    staleFile(file, state, host.clock.now());
  if (stale !== undefined) return { ...so, stop: stale };
  const { moved, learned, applied } = planFileEvents(file, state);
  const named = applyEvents(state, moved);
  const settled = await settleOpenCalls(named, settlingOptions(work), readPorts(work));
  if (!settled.ok) return { ...so, stop: settled.error };
  const before = [...moved, ...settled.value, ...learned];
  const told = { ...so, plan: file.plan, diagnostics: [...so.diagnostics, ...stateMovedOn(file, state)] };
  const record = (events: readonly RunEvent[]) => recordEvents(session, events, "nothing was sent");
  const stop = (await record(before)) ?? halting.outOfTime() ?? (await record(startEvents(work, applied)));
  if (stop !== undefined) return { ...told, stop };
  // Interrupted: nothing was begun, which the exit code says.
  if (halting.signal.aborted || file.plan.actions.length + settled.value.length === 0) return told;
  showPlan(so, work);
  work.onlooker.planned(file.plan);
  const known = applyEvents(named, settled.value);
  return { ...told, ...runResult(file.plan, await runPlan(withPrivileges(work), toRun(work, known), before)) };
}

/** What the plan was told of calls of unknown outcome counts for its apply as well. */
function settlingOptions({ file, policy }: PlanFileSession): Pick<Policy, "consistency" | "absentFoundings"> {
  const words = file.policy.words.flatMap((word) => absentFoundingIn(word.replace(/^--assume-absent /u, "")) ?? []);
  return { consistency: policy.consistency, absentFoundings: words };
}

function readPorts({ service, host, settings, halting, onlooker }: PlanFileSession): ObservePorts {
  const { clock } = host;
  return {
    service,
    clock,
    progress: readProgress(onlooker),
    parallelism: settings.parallelism,
    signal: halting.signal,
  };
}

/** What there is to record beside the calls. */
interface PlanFileEvents {
  readonly moved: readonly PlanningEvent[];
  readonly learned: readonly PlanningEvent[];
  readonly applied: readonly PlanningEvent[];
}

/** What the reads taught of the service is old where the state has moved on since; what the roster says is not. */
function planFileEvents({ lessons, basis }: PlanFile, state: State): PlanFileEvents {
  const moved = lessons.filter(({ type }) => type === "records-moved");
  const applied = lessons.filter(({ type }) => type === "roster-applied");
  const others = lessons.filter((lesson) => !moved.includes(lesson) && !applied.includes(lesson));
  return { moved, learned: isUnmoved(basis.state, state) ? others : [], applied };
}

function stateMovedOn({ basis }: PlanFile, state: State): readonly Diagnostic[] {
  if (isUnmoved(basis.state, state)) return [];
  const message = `The state has moved on since the plan was made (it is at version ${state.serial}): what has moved of what the plan rests on is not done.`;
  return [{ code: "state-moved-on", severity: "warning", message }];
}

/** Where there is nothing to do, the file may come again. */
function startEvents(
  { file, sequence, session, host, halting }: PlanFileSession,
  applied: readonly PlanningEvent[],
): readonly RunEvent[] {
  if (halting.signal.aborted) return [];
  const at = isoTime(host.clock);
  const begun: readonly RunEvent[] =
    file.plan.actions.length === 0 ? [] : [{ type: "plan-file-begun", at, file: file.id }];
  return [...begun, ...sequenceEvents(sequence, session.state, at), ...applied];
}

function showPlan({ planFile }: CommandResult, work: PlanFileSession): void {
  const { file, flags, host } = work;
  if (!isFollowed(flags)) return;
  const { reading } = summaryOf(file);
  const shown = { reading, ...shownAs(flags, withPrivileges(work).policy) };
  const about = planFile === undefined ? {} : { planFile };
  host.stdout.write(`${renderPlan(file.plan, { ...textStyleOf(host.stdout), ...shown, ...about })}\n`);
}

/** Roles that are privileged by either word, that of the plan and that of this run, are. */
function withPrivileges(work: PlanFileSession): PlanFileSession {
  const { policy, file } = work;
  const privilegedRoles = roleSet([...policy.privilegedRoles, ...file.policy.privilegedRoles]);
  return { ...work, policy: { ...policy, privilegedRoles } };
}

function toRun(work: PlanFileSession, known: State): PlanToRun {
  const { file, service } = work;
  const { capabilities, witnesses } = file.basis;
  const { privilegedRoles } = withPrivileges(work).policy;
  const unfit = staleActions(file, known, { inUse: service.keyPrefix, privilegedRoles });
  return { plan: file.plan, capabilities, unfit, known: witnesses };
}
