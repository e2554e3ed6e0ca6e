import { applyEvents } from "../../journal/fold.ts";
import { resolveAbsentFoundings } from "../../journal/operator-resolution.ts";
import { settleOpen } from "../../journal/settle.ts";
import type { RunEvent } from "../../model/event.ts";
import type { Policy } from "../../model/policy.ts";
import { type Diagnostic, problem, type Result, success } from "../../model/result.ts";
import { roleSet } from "../../model/role-set.ts";
import type { Roster } from "../../model/roster.ts";
import type { PlanFile, PlanningEvent } from "../../model/saved-files.ts";
import type { State } from "../../model/state.ts";
import { type ObservePorts, observe } from "../../observe/observe.ts";
import { isoTime } from "../../ports/clock.ts";
import { renderPlan } from "../../report/text/plan.ts";
import { type PlanToRun, type RunPorts, runPlan, runResult, sequenceEvents, supersededRun } from "../apply/run-plan.ts";
import { type CommandError, errorFromFailure, invalidSetting } from "../command-error.ts";
import { type Host, textStyleOf } from "../host.ts";
import type { CommandResult } from "../output/finish.ts";
import { isFollowed, shownAs } from "../output/output-flags.ts";
import { stateServiceMismatch } from "../planning/pipeline.ts";
import { absentFoundingIn } from "../planning/policy-flags.ts";
import { readProgress } from "../progress/progress-observer.ts";
import { type PlanningFlags, withSessionWithoutRoster } from "../session.ts";
import { type LockWaitOptions, recordEvents, takeLock, underLock } from "../stores/lock.ts";
import { sha256 } from "../system.ts";
import { checkPlanFileTrust } from "../trust/file-trust.ts";
import { readPlanFile, summaryOf } from "./read-plan-file.ts";
import { isUnmoved, staleActions, staleFile } from "./stale-plan.ts";

/** How a person wants a plan file applied. */
interface ApplyFileOptions {
  readonly flags: PlanningFlags;
  readonly host: Host;
  readonly patience: LockWaitOptions;
  readonly sequence?: number;
}

/** Applies a plan file: what could be wrong with it is found before the state is locked, what can be stale after. */
export async function applyPlanFile(
  begun: CommandResult,
  found: { readonly path: string; readonly text: string },
  { flags, host, patience, ...order }: ApplyFileOptions,
): Promise<CommandResult> {
  const wrong = refusedFlags(flags) ?? (await checkPlanFileTrust(found.path, host));
  if (wrong !== undefined) return { ...begun, stop: wrong };
  const read = readPlanFile(found);
  if (!read.ok) return { ...begun, stop: read.error };
  const file = read.value;
  const told: CommandResult = { ...begun, ...summaryOf(file), planFile: { path: found.path, file, is: "applied" } };
  return withSessionWithoutRoster(told, { flags, host }, async (so, { store, ...ready }) => {
    const foreign = ofAnotherService(file, ready.service.address);
    if (foreign !== undefined) return { ...so, stop: foreign };
    const run = host.randomness.identifier();
    const { signal } = ready.halting;
    const locked = await takeLock(store, { run, operation: "apply" }, patience, { host, signal });
    if (!locked.ok) return { ...so, stop: errorFromFailure(locked.error) };
    const session = locked.value;
    return underLock(session, () => applyFile(so, { flags, host, ...ready, ...order, session, run, file }));
  });
}

function ofAnotherService({ plan }: PlanFile, address: string): CommandError | undefined {
  if (plan.service === address) return undefined;
  return invalidSetting(
    "plan-of-another-service",
    `The plan is for the service ${plan.service}, and this run is about ${address}.`,
    "Name the service that it was made for with --endpoint or ROSTER_ENDPOINT, or plan again.",
  );
}

/** The flags that say how a plan file is applied. All others say what to plan, which the file has said already. */
const flagsForApply: ReadonlySet<string> = new Set([
  "format",
  "report",
  "title",
  "view",
  "endpoint",
  "parallelism",
  "consistency",
  "debug",
  "state",
  "lockTimeout",
  "takeDeadLock",
  "sequence",
  "deadline",
  "autoApprove",
]);

/** Refuses flags that would shape a plan: nothing that is said is passed over. */
function refusedFlags(flags: object): CommandError | undefined {
  const strange = Object.entries(flags).flatMap(([name, said]) =>
    said === undefined || flagsForApply.has(name)
      ? []
      : [`--${name.replace(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)}`],
  );
  if (strange.length === 0) return undefined;
  return invalidSetting(
    "plan-file-has-said",
    `${strange.join(", ")} cannot be said of a plan file: what it does was settled when it was made.`,
    "Say it to `roster plan --out FILE`, and apply that file.",
  );
}

/** What a plan file is applied with. */
interface PlanFileSession extends RunPorts {
  readonly file: PlanFile;
  /** The place that this run names for itself among all applies. */
  readonly sequence?: number;
}

/** Runs a saved plan under the state's lock. The file is the approval; it is remembered as begun before anything is sent. */
async function applyFile(so: CommandResult, work: PlanFileSession): Promise<CommandResult> {
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

/** Asks for nobody: what is read is what the open calls are about. */
const emptyRoster: Roster = {
  accounts: [],
  users: new Map(),
  leavers: new Map(),
  teams: [],
  keys: [],
  roleSets: new Map(),
};

/** Settles by reading what an earlier run left open; nothing is read where nothing is. */
async function settleOpenCalls(
  state: State,
  { consistency, absentFoundings = [] }: Pick<Policy, "consistency" | "absentFoundings">,
  ports: ObservePorts,
): Promise<Result<readonly RunEvent[], CommandError>> {
  if (state.open.length === 0) return success([]);
  const question = { roster: emptyRoster, state, everyone: "when-needed", assumeAbsentTeams: [] } as const;
  const read = await observe(question, ports);
  if (!read.ok) return problem(errorFromFailure(read.error));
  const at = isoTime(ports.clock);
  const { events, unsettled } = settleOpen(state, read.value, { at, consistency });
  return success([...events, ...resolveAbsentFoundings(unsettled, absentFoundings, { at, digest: sha256 })]);
}
