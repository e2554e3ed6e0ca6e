import type { PlanFile } from "../codec/plan-file-format.ts";
import { encodeState } from "../codec/state.ts";
import { applyEvents } from "../log/fold.ts";
import { resolveAbsentTeamCreations } from "../log/operator-resolution.ts";
import { changedPreconditions } from "../log/preconditions.ts";
import { type Action, type ActionId, lostRoles, prefixOf, type ReplaceRoles } from "../model/action.ts";
import type { RunEvent } from "../model/event.ts";
import { factValue } from "../model/fact.ts";
import { type MembershipKey, membershipKeyOf } from "../model/membership.ts";
import type { Plan, PlanningEvent } from "../model/plan.ts";
import type { Policy } from "../model/policy.ts";
import type { Diagnostic } from "../model/result.ts";
import type { RoleSet } from "../model/role-set.ts";
import { emptyRoster } from "../model/roster.ts";
import { sha256 } from "../model/sha256.ts";
import { hasNoPlanningRecords, isUnusedState, type State } from "../model/state.ts";
import type { AddressedUser } from "../model/user.ts";
import { observe } from "../observe/observe.ts";
import { isoTime } from "../ports/clock.ts";
import type { StaleActions } from "../run/apply-input.ts";
import { resolveOpen } from "../run/assess.ts";
import { type ApplyRun, checkSequence, type RunOptions, runUnderLock, sequenceEvents, startRun } from "./apply.ts";
import { type ApplyResult, abortedBefore, havingApplied, orThrow, stopError, withoutSecrets } from "./error.ts";
import { type LockedLog, record } from "./lock.ts";
import { allowancesUsed, checkService, type PlanOptions, type Work, workOf } from "./plan.ts";
import { type PlanToRun, runPlan } from "./run-plan.ts";

/** How a saved plan is applied. The file is the approval. */
export interface ApplySavedOptions extends RunOptions, Omit<PlanOptions, "roster"> {
  readonly file: PlanFile;
  /** Without selection: the file says what was planned and allowed. */
  readonly policy: Policy;
}

/** Runs a saved plan under the log's lock. It is recorded as begun before anything is sent. */
export function applySaved(options: ApplySavedOptions): ApplyRun {
  return startRun((event) => {
    const work = workOf({ ...options, roster: { roster: emptyRoster } });
    return withoutSecrets(work.secrets, () =>
      runUnderLock("apply", options, work, event, (lock, hear) => applyFile({ ...work, lock }, options, hear)),
    );
  });
}

type StateBasis = NonNullable<PlanFile["basis"]["state"]>;
type Context = Work & { readonly lock: LockedLog };

async function applyFile(
  context: Context,
  { file, sequence, begins, deadline }: ApplySavedOptions,
  event: (event: RunEvent) => void,
): Promise<ApplyResult> {
  const { service, clock, signal, lock } = context;
  const { state } = lock;
  const { plan } = file;
  checkSequence(sequence, state);
  checkService(state, service);
  checkStale(file, state, clock.now());
  const { moved, learned, applied } = planFileEvents(file, state);
  const renamed = applyEvents(state, moved);
  const resolved = await resolveOpenCalls(renamed, file, context);
  const before = [...moved, ...resolved, ...learned];
  const warnings = stateMovedOn(file, state);
  return havingApplied({ plan, warnings }, async () => {
    await record(lock, before, "nothing was sent");
    if (signal.aborted) throw abortedBefore();
    const used = allowancesUsed(plan, applied.length > 0 ? "whole" : "part", isoTime(clock));
    await record(lock, [...startEvents(file, context, sequence), ...applied, ...used], "nothing was sent");
    if (plan.actions.length + resolved.length === 0) return { plan, warnings };
    await begins?.(plan, lock);
    const known = applyEvents(renamed, [...resolved, ...applied]);
    return {
      ...(await runPlan({ ...context, deadline }, savedPlanToRun(file, known, context), before, event)),
      warnings,
    };
  });
}

interface PlanFileEvents {
  readonly moved: readonly PlanningEvent[];
  readonly learned: readonly PlanningEvent[];
  readonly applied: readonly PlanningEvent[];
}

/** What the reads taught of the service is old where the state has moved on since; what the roster says is not. */
function planFileEvents({ lessons, basis }: PlanFile, state: State): PlanFileEvents {
  const moved = lessons.filter(({ type }) => type === "records-moved");
  const late: readonly RunEvent["type"][] = startsAnew(lessons)
    ? ["epoch-started", "users-observed", "roster-applied"]
    : ["roster-applied"];
  const applied = late.flatMap((type) => lessons.filter((lesson) => lesson.type === type));
  const others = lessons.filter((lesson) => !moved.includes(lesson) && !applied.includes(lesson));
  return { moved, learned: isUnmoved(basis.state, state) ? others : [], applied };
}

function startsAnew(lessons: PlanFile["lessons"]): boolean {
  return lessons.some(({ type }) => type === "epoch-started");
}

function stateMovedOn({ basis }: PlanFile, state: State): readonly Diagnostic[] {
  if (isUnmoved(basis.state, state)) return [];
  const message = `The state has changed since the plan was made (the log ends at position ${state.serial} now). Actions with changed facts are not applied.`;
  return [{ code: "state-changed-since-plan", severity: "warning", message }];
}

/** A file without actions may be applied again. */
function startEvents(
  { file, plan }: PlanFile,
  { lock, clock }: Context,
  sequence: number | undefined,
): readonly RunEvent[] {
  const at = isoTime(clock);
  const begun: readonly RunEvent[] = plan.actions.length === 0 ? [] : [{ type: "plan-file-begun", at, file }];
  return [...begun, ...sequenceEvents(sequence, lock.state, at)];
}

function savedPlanToRun(file: PlanFile, known: State, { service, policy }: Context): PlanToRun {
  const { basis, witnesses } = file;
  const { privilegedRoles } = policy;
  const stale = staleActions(file, known, { inUse: service.keyPrefix, privilegedRoles });
  const teamMembers = [...witnesses, ...recordedMembers(file.plan, known)];
  return { plan: file.plan, capabilities: basis.capabilities, stale, known: witnesses, teamMembers };
}

/** One of each team that people are added to, who may show its identifier. */
function recordedMembers({ actions }: Plan, { memberships, users }: State): readonly AddressedUser[] {
  const teams = new Set(actions.flatMap((action) => (action.kind === "add-members" ? [action.team] : [])));
  return [...memberships.values()].flatMap(({ team, address }) =>
    teams.delete(team) ? [{ address, email: users.get(address)?.email ?? address }] : [],
  );
}

/**
 * Settles by reading what an earlier run left open, and by what a person has allowed of the plan. Nothing is read where nothing is
 * open.
 */
async function resolveOpenCalls(state: State, { plan }: PlanFile, context: Context): Promise<readonly RunEvent[]> {
  if (state.open.length === 0 && state.presumedUndone === undefined) return [];
  // Names no user: only what the open calls are about is read.
  const snapshot = orThrow(await observe({ roster: emptyRoster, state, everyone: "when-needed" }, context));
  const at = isoTime(context.clock);
  const events = resolveOpen(state, snapshot, { at, consistency: context.policy.consistency });
  const { open } = applyEvents(state, events);
  return [...events, ...resolveAbsentTeamCreations(open, plan.allowed ?? [], { at })];
}

/** Throws where a plan file is not applied any more, whatever the service shows. */
function checkStale(file: PlanFile, state: State, now: number): void {
  const begun = state.planFiles?.get(file.file);
  const also =
    begun === undefined
      ? ""
      : ", which knows what is left of it, or bring the service to the roster with `roster apply`";
  // It may have ended in the middle: what it did is recorded, and only a new plan knows what is left.
  const why =
    begun === undefined
      ? (otherState(file, state) ?? superseded(file, state, now))
      : `this plan file was already applied: its apply started at ${begun.at}`;
  if (why !== undefined)
    throw stopError("stale", "stale", why, `nothing was sent; plan again with \`roster plan --out FILE\`${also}`);
}

function otherState({ basis: { state: made } }: PlanFile, state: State): string | undefined {
  const now = stateBasis(state);
  const here = now === undefined ? "" : shown(now);
  if (made === undefined) {
    if (now === undefined || hasNoPlanningRecords(state)) return undefined;
    return `the plan was made without a log, but there is one now: ${here}`;
  }
  const before = `the plan was made with ${shown(made)}`;
  if (now === undefined) return `${before}, but there is no log here`;
  if (now.lineage !== made.lineage) return `${before}, but this is another log: ${here}`;
  if (now.serial >= made.serial) return undefined;
  return `${before}, and the log ends at position ${now.serial}: it has lost what came after`;
}

function shown({ lineage, serial }: StateBasis): string {
  return `position ${serial} of the log ${lineage}`;
}

function superseded({ basis, lessons, expiresAt }: PlanFile, state: State, now: number): string | undefined {
  // A time that is none is over.
  if (!(now < Date.parse(expiresAt))) return `this plan file expired at ${expiresAt}`;
  if (isUnmoved(basis.state, state)) return undefined;
  const { applied } = state;
  // The plan could create users again who left the roster since.
  if (applied !== undefined && applied.digest !== basis.roster.digest && applied.at > basis.readAt)
    return `another roster was applied at ${applied.at}, after this plan was made`;
  // What a run has recorded since would be dropped with what the plan drops.
  return startsAnew(lessons)
    ? "the plan starts anew with this service, but the state has changed since the plan was made"
    : undefined;
}

/** Whether the state says the same as the one that a plan was made with. */
function isUnmoved(basis: StateBasis | undefined, state: State): boolean {
  if (basis === undefined) return hasNoPlanningRecords(state);
  const now = stateBasis(state);
  return now !== undefined && now.digest === basis.digest;
}

/**
 * What of a saved plan does not fit any more, as far as that is known without a read of the service: what the state says by now of
 * the people, teams and keys of the plan, and what would keep the key in use from going on.
 */
function staleActions(
  { plan, records }: PlanFile,
  state: State,
  key: { readonly inUse: string | undefined; readonly privilegedRoles: RoleSet },
): StaleActions {
  const moved = changedPreconditions(plan, state, records);
  const actions = new Map<ActionId, string>();
  const members = new Map<MembershipKey, string>();
  for (const { about, action, member } of moved) {
    const why = `the state of the ${about} has changed since the plan was made`;
    if (action.kind === "add-members" && member !== undefined) members.set(membershipKeyOf(action.team, member), why);
    else actions.set(action.id, why);
  }
  for (const [id, why] of plan.actions.flatMap((action) => otherTeamRecord(action, plan, state))) actions.set(id, why);
  for (const action of plan.actions) {
    if (action.kind === "replace-roles" && removesOwnAccess(action, key)) actions.set(action.id, wouldLockOut);
  }
  return { actions, members };
}

function otherTeamRecord(action: Action, plan: Plan, { teams }: State): readonly (readonly [ActionId, string])[] {
  const planned = action.kind === "add-members" ? plan.teams.get(action.team) : undefined;
  const known = action.kind === "add-members" ? teams.get(action.team)?.identifier : undefined;
  const meant = planned && factValue(planned.identifier);
  if (known === undefined || meant === undefined || known === meant) return [];
  const why = `the state has the team ${planned?.name} with the identifier ${known}, and the plan adds to ${meant}`;
  return [[action.id, why]];
}

const wouldLockOut = "the key is the one in use by now, and no call would be allowed after it";

function removesOwnAccess(
  action: ReplaceRoles,
  { inUse, privilegedRoles }: { readonly inUse: string | undefined; readonly privilegedRoles: RoleSet },
): boolean {
  return inUse !== undefined && prefixOf(action) === inUse && lostRoles(action, privilegedRoles).length > 0;
}

/** The very version of a state; undefined where nothing was ever kept. */
export function stateBasis(state: State): StateBasis | undefined {
  if (isUnusedState(state)) return undefined;
  const { lineage, serial } = state;
  // What runs note of themselves, and what a drift has seen, moves nothing that a plan rests on.
  const { sequence: _order, planFiles: _files, openFindings: _seen, capabilities: _shown, ...rest } = state;
  const { queues: _later, ...known } = rest;
  return { lineage, serial, digest: sha256(encodeState({ ...known, serial: 0 })).slice(0, 16) };
}
