import type { StaleActions } from "../../apply/recheck.ts";
import { applyEvents } from "../../journal/fold.ts";
import { resolveAbsentFoundings } from "../../journal/operator-resolution.ts";
import { changedSubjects } from "../../journal/record-marks.ts";
import { settleOpen } from "../../journal/settle.ts";
import { type ActionId, lostRoles, type ReplaceRoles } from "../../model/action.ts";
import type { RunEvent } from "../../model/event.ts";
import { factValue } from "../../model/fact.ts";
import { type Allowance, readAllowance } from "../../model/policy.ts";
import { type Diagnostic, problem, type Result, success } from "../../model/result.ts";
import { type RoleSet, roleSet } from "../../model/role-set.ts";
import { emptyRoster } from "../../model/roster.ts";
import type { PlanFile, PlanningEvent, StateBasis } from "../../model/saved-files.ts";
import { hasNoPlanningRecords, type State } from "../../model/state.ts";
import { type MembershipKey, membershipKeyOf } from "../../model/team.ts";
import { observe } from "../../observe/observe.ts";
import { isoTime } from "../../ports/clock.ts";
import type { ApprovalReport } from "../../report/outcome.ts";
import { renderPlan } from "../../report/text/text.ts";
import { type PlanPart, type PlanToRun, runPlan, sequenceEvents, supersededRun } from "../apply/apply-under-lock.ts";
import { type ExpectedPlan, unexpectedPlan } from "../apply/expected-plan.ts";
import { checkApprovals } from "../approvals/check-approvals.ts";
import { type CommandError, errorFromFailure, invalidSetting } from "../command-error.ts";
import { textStyleOf } from "../host.ts";
import type { CommandResult } from "../output/finish.ts";
import { isFollowed, shownAs } from "../output/output-flags.ts";
import { exceptionsIn, stateServiceMismatch } from "../planning/pipeline.ts";
import { type CommandCall, type PlanningFlags, readPorts, type Session } from "../session.ts";
import { type Locked, type LockWaitOptions, lockState, recordEvents } from "../stores/lock.ts";
import { sha256 } from "../system.ts";
import { checkPlanFileTrust } from "../trust/file-trust.ts";
import { readPlanFile, stateBasis, summaryOf } from "./plan-file.ts";

/** How a person wants a plan file applied. */
interface ApplyFileOptions extends CommandCall<PlanningFlags & { readonly signature?: readonly string[] }> {
  readonly wait: LockWaitOptions;
  /** The number of this run among all applies. */
  readonly sequence?: number;
  readonly expected: ExpectedPlan | undefined;
}

/** Applies a plan file: faults of the file are found before the state is locked, stale facts after it. */
export async function applyPlanFile(
  base: CommandResult,
  found: { readonly path: string; readonly text: string },
  { flags, host, open, wait, expected, ...sequence }: ApplyFileOptions,
): Promise<CommandResult> {
  const refused = refusedFlags(flags) ?? (await checkPlanFileTrust(found.path, host));
  if (refused !== undefined) return { ...base, stop: refused };
  const read = await readPlanFile(found);
  if (!read.ok) return { ...base, stop: read.error };
  const file = read.value;
  const result: CommandResult = { ...base, ...summaryOf(file), planFile: { path: found.path, file, is: "applied" } };
  const needs = ["policy", "observer", "store", "service"] as const;
  const session = await open({ command: "apply", flags, host, needs });
  if (!session.ok) return { ...result, ...session.error };
  const foreign = ofAnotherService(file, session.value.service.address) ?? unexpectedPlan(file.plan, expected);
  if (foreign !== undefined) return { ...result, stop: foreign };
  // Roles are privileged if the plan or this run says so.
  const privilegedRoles = roleSet([...session.value.policy.privilegedRoles, ...file.policy.privilegedRoles]);
  const signed = { ...found, plan: file.plan, privilegedRoles, signatures: flags.signature };
  const approved = await checkApprovals(signed, session.value.settings, host);
  if (!approved.ok) return { ...result, stop: approved.error };
  const { approvals, report, isUnsigned, refused: unapproved } = approved.value;
  const reported = withApprovals(result, report);
  if (unapproved !== undefined) return { ...reported, stop: unapproved };
  // The file says what a person has allowed, not the environment of this run.
  const policy = { ...session.value.policy, privilegedRoles, allowed: allowancesOf(file) };
  const opened = { ...session.value, policy };
  const locked = await lockState(opened, "apply", approvals.length === 0 ? wait : { ...wait, approvals });
  if (!locked.ok) return { ...reported, stop: locked.error };
  return applyFile(reported, locked.value, { flags, ...sequence, file: isUnsigned ? withoutRecords(file) : file });
}

function allowancesOf({ plan: { allowed = [] } }: PlanFile): readonly Allowance[] {
  return allowed.flatMap((word) => readAllowance(word) ?? []);
}

/** The file without what it would write into the state. */
function withoutRecords(file: PlanFile): PlanFile {
  const { allowed: _, ...plan } = file.plan;
  return { ...file, lessons: [], plan };
}

function withApprovals(result: CommandResult, approvals: ApprovalReport | undefined): CommandResult {
  const { planFile } = result;
  return planFile === undefined || approvals === undefined
    ? result
    : { ...result, planFile: { ...planFile, approvals } };
}

function ofAnotherService({ plan }: PlanFile, address: string): CommandError | undefined {
  if (plan.service === address) return undefined;
  return invalidSetting(
    "plan-of-another-service",
    `The plan is for the service ${plan.service}, but this run uses ${address}.`,
    "Set ROSTER_ENDPOINT to the service of the plan, or plan again.",
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
  "breakStaleLock",
  "tui",
  "audit",
  "sequence",
  "expectPlan",
  "deadline",
  "autoApprove",
  "signature",
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
    "flag-not-for-plan-file",
    `${strange.join(", ")} cannot be used with a plan file. A plan file fixes what apply does.`,
    "Pass it to `roster plan --out FILE`, and apply that file.",
  );
}

interface FileRun {
  readonly flags: PlanningFlags;
  readonly file: PlanFile;
  readonly sequence?: number;
}

/** Runs a saved plan under the state's lock. The file is the approval. It is recorded as begun before anything is sent. */
async function applyFile(
  result: CommandResult,
  session: Locked<Session<PlanPart>>,
  { flags, file, sequence }: FileRun,
): Promise<CommandResult> {
  const { service, host, cancellation, lock, observer } = session;
  const { state } = lock;
  const stale =
    supersededRun(sequence, state) ?? stateServiceMismatch(state, service) ?? staleFile(file, state, host.clock.now());
  if (stale !== undefined) return { ...result, stop: stale };
  const { moved, learned, applied } = planFileEvents(file, state);
  const renamed = applyEvents(state, moved);
  const settled = await settleOpenCalls(renamed, file, session);
  if (!settled.ok) return { ...result, stop: settled.error };
  const before = [...moved, ...settled.value, ...learned];
  const planned = { ...result, plan: file.plan, diagnostics: [...result.diagnostics, ...stateMovedOn(file, state)] };
  const record = (events: readonly RunEvent[]) => recordEvents(lock, events, "nothing was sent");
  const started = () => (cancellation.signal.aborted ? [] : [...startEvents(file, session, sequence), ...applied]);
  const stop = (await record(before)) ?? cancellation.outOfTime() ?? (await record(started()));
  if (stop !== undefined) return { ...planned, stop };
  // Interrupted: nothing was begun, which the exit code says.
  if (cancellation.signal.aborted || file.plan.actions.length + settled.value.length === 0) return planned;
  const unaudited = await lock.begin();
  if (unaudited !== undefined) return { ...planned, stop: unaudited };
  if (isFollowed(flags)) host.stdout.write(`${shownPlan(result, file, { session, flags })}\n`);
  observer.planned(file.plan);
  const known = applyEvents(renamed, settled.value);
  return { ...planned, ...(await runPlan(session, planToRun(file, known, session), before)) };
}

/** What there is to record besides the calls. */
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
  const message = `The state has changed since the plan was made (it is at version ${state.serial}). Actions with changed facts are not applied.`;
  return [{ code: "state-changed-since-plan", severity: "warning", message }];
}

/** A file without actions may be applied again. */
function startEvents(
  { id, plan }: PlanFile,
  { lock, host }: Locked<Session<PlanPart>>,
  sequence: number | undefined,
): readonly RunEvent[] {
  const at = isoTime(host.clock);
  const begun: readonly RunEvent[] = plan.actions.length === 0 ? [] : [{ type: "plan-file-begun", at, file: id }];
  return [...begun, ...sequenceEvents(sequence, lock.state, at)];
}

function shownPlan(
  { planFile }: CommandResult,
  file: PlanFile,
  { session, flags }: { readonly session: Session<"policy">; readonly flags: PlanningFlags },
): string {
  const { reading } = summaryOf(file);
  const shown = { reading, ...shownAs(flags, session.policy) };
  const source = planFile === undefined ? {} : { planFile };
  return renderPlan(file.plan, { ...textStyleOf(session.host.stdout), ...shown, ...source });
}

function planToRun(file: PlanFile, known: State, { service, policy }: Session<"policy" | "service">): PlanToRun {
  const { capabilities, witnesses } = file.basis;
  const { privilegedRoles } = policy;
  const stale = staleActions(file, known, { inUse: service.keyPrefix, privilegedRoles });
  return { plan: file.plan, capabilities, stale, known: witnesses };
}

/**
 * Settles by reading what an earlier run left open, and by what a person has allowed of the plan. Nothing is read where nothing is
 * open.
 */
async function settleOpenCalls(
  state: State,
  { plan }: PlanFile,
  session: Locked<Session<PlanPart>>,
): Promise<Result<readonly RunEvent[], CommandError>> {
  if (state.open.length === 0) return success([]);
  // Names no user: only what the open calls are about is read.
  const input = { roster: emptyRoster, state, everyone: "when-needed" } as const;
  const read = await observe(input, readPorts(session));
  if (!read.ok) return problem(errorFromFailure(read.error));
  const at = isoTime(session.host.clock);
  const { events, unsettled } = settleOpen(state, read.value, { at, consistency: session.policy.consistency });
  return success([...events, ...resolveAbsentFoundings(unsettled, exceptionsIn(plan), { at, digest: sha256 })]);
}

/** Why a plan file is not applied any more, whatever the service shows; undefined where nothing speaks against it. */
function staleFile(file: PlanFile, state: State, now: number): CommandError | undefined {
  const why =
    appliedBefore(file, state) ?? otherState(file, state) ?? expired(file, now) ?? supersededRoster(file, state);
  if (why === undefined) return undefined;
  const hint = `nothing was sent; plan again with \`roster plan --out FILE\`${why.also ?? ""}`;
  return { reason: "stale", problem: { code: "stale", message: why.message, hint } };
}

interface StaleReason {
  readonly message: string;
  /** To come after the hint to plan again. */
  readonly also?: string;
}

/** It may have ended in the middle: what it did is recorded, and only a new plan knows what is left. */
function appliedBefore({ id }: PlanFile, { planFiles }: State): StaleReason | undefined {
  const begun = planFiles?.get(id);
  if (begun === undefined) return undefined;
  return {
    message: `this plan file was already applied: its apply started at ${begun.at}`,
    also: ", which knows what is left of it, or bring the service to the roster with `roster apply`",
  };
}

function otherState({ basis }: PlanFile, state: State): StaleReason | undefined {
  const now = stateBasis(state);
  if (basis.state === "none") {
    if (now === "none" || hasNoPlanningRecords(state)) return undefined;
    return { message: `the plan was made without a state, but there is one now: ${shown(now)}` };
  }
  if (now === "none") return { message: `the plan was made with ${shown(basis.state)}, but there is no state here` };
  if (now.lineage !== basis.state.lineage) {
    return { message: `the plan was made with ${shown(basis.state)}, but this is another state: ${shown(now)}` };
  }
  if (now.serial >= basis.state.serial) return undefined;
  return {
    message: `the plan was made with ${shown(basis.state)}, and the state is at version ${now.serial}: it has lost what came after`,
  };
}

function shown({ lineage, serial }: StateBasis): string {
  return `version ${serial} of the state ${lineage}`;
}

/** A time that is none is over. */
function expired({ expiresAt }: PlanFile, now: number): StaleReason | undefined {
  return now < Date.parse(expiresAt) ? undefined : { message: `this plan file expired at ${expiresAt}` };
}

/** Whoever left the roster since would be brought back. */
function supersededRoster({ basis }: PlanFile, state: State): StaleReason | undefined {
  const { applied } = state;
  if (applied === undefined || isUnmoved(basis.state, state)) return undefined;
  if (applied.digest === basis.roster.digest || applied.at <= basis.readAt) return undefined;
  return { message: `another roster was applied at ${applied.at}, after this plan was made` };
}

/** Whether the state says the same as the one that a plan was made with. */
function isUnmoved(basis: StateBasis | "none", state: State): boolean {
  if (basis === "none") return hasNoPlanningRecords(state);
  const now = stateBasis(state);
  return now !== "none" && now.digest === basis.digest;
}

/**
 * What of a saved plan does not fit any more, as far as no read of the service can tell: what the state says by now of
 * whom and what it is about, and what would keep the key in use from going on.
 */
function staleActions(
  { plan, basis }: PlanFile,
  state: State,
  key: { readonly inUse: string | undefined; readonly privilegedRoles: RoleSet },
): StaleActions {
  const moved = changedSubjects(plan.actions, state, { marks: basis.records, digest: sha256 });
  const actions = new Map<ActionId, string>();
  const members = new Map<MembershipKey, string>();
  for (const { about, action, member } of moved) {
    const why = `the state of the ${about} has changed since the plan was made`;
    if (action.kind === "add-members" && member !== undefined)
      members.set(membershipKeyOf(action.team.team, member.address), why);
    else actions.set(action.id, why);
  }
  // A person's word was about the key that was in use when the plan was made, which its guards forbid.
  const isSaid = exceptionsIn(plan).some((one) => one.is === "guard" && one.guard === "own-key");
  if (!isSaid || key.inUse === undefined || plan.forbids?.keys.includes(key.inUse) !== true) {
    for (const action of plan.actions) {
      if (action.kind === "replace-roles" && removesOwnAccess(action, key)) actions.set(action.id, wouldLockOut);
    }
  }
  return { actions, members };
}

const wouldLockOut = "the key is the one in use by now, and no call would be allowed after it";

function removesOwnAccess(
  action: ReplaceRoles,
  { inUse, privilegedRoles }: { readonly inUse: string | undefined; readonly privilegedRoles: RoleSet },
): boolean {
  if (inUse === undefined || action.key.of !== "prefix" || factValue(action.key.prefix) !== inUse) return false;
  return lostRoles(action, privilegedRoles).length > 0;
}
