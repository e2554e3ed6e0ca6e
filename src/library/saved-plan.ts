import type { PlanFile } from "../codec/plan-file-format.ts";
import { encodeState } from "../codec/state.ts";
import { applyEvents } from "../log/fold.ts";
import { resolveAbsentTeamCreations } from "../log/operator-resolution.ts";
import { changedPreconditions } from "../log/preconditions.ts";
import type { RunEvent } from "../model/event.ts";
import { factValue } from "../model/fact.ts";
import { sha256 } from "../model/json.ts";
import { type ActionId, lostRoles, prefixOf } from "../model/plan.ts";
import type { Policy } from "../model/policy.ts";
import { emptyRoster } from "../model/roster.ts";
import { hasNoPlanningRecords, isUnusedState, type State } from "../model/state.ts";
import { type MembershipKey, membershipKeyOf } from "../model/team.ts";
import { observe } from "../observe/observe.ts";
import { isoTime } from "../ports/clock.ts";
import type { StaleActions } from "../run/apply-input.ts";
import { resolveOpen } from "../run/assess.ts";
import { type ApplyRun, type Run, type RunOptions, runPlan, splitLessons, startRun } from "./apply.ts";
import { type ApplyResult, havingApplied, orThrow, stopError } from "./error.ts";
import { allowancesUsed, checkService, type PlanOptions, type Work, workOf } from "./plan.ts";

export interface ApplySavedOptions extends RunOptions, Omit<PlanOptions, "roster"> {
  readonly file: PlanFile;
  /** Without selection: the file says what was planned and allowed. */
  readonly policy: Policy;
}

/** Runs a saved plan under the log's lock. It is recorded as begun before anything is sent. */
export function applySaved(options: ApplySavedOptions): ApplyRun {
  const prepare = () => ({ operation: "apply", work: workOf({ ...options, roster: { roster: emptyRoster } }) });
  return startRun(options, prepare, applyFile);
}

type StateBasis = NonNullable<PlanFile["basis"]["state"]>;

async function applyFile(run: Run<ApplySavedOptions>): Promise<ApplyResult> {
  const { work, options, lock } = run;
  const { service, clock, policy } = work;
  const { state } = lock;
  const { file } = options;
  const { plan, basis, witnesses } = file;
  checkService(state, service);
  checkStale(file, state, clock.now());
  const { moved, others, applied } = splitLessons(file.lessons);
  const renamed = applyEvents(state, moved);
  const resolved = await resolveOpenCalls(renamed, file, work);
  const isMoved = !isUnmoved(basis.state, state);
  const message = `The state has changed since the plan was made (the log ends at position ${state.serial} now). Actions with changed facts are not applied.`;
  const warnings = isMoved ? [{ code: "state-changed-since-plan", severity: "warning", message } as const] : [];
  const known = applyEvents(renamed, [...resolved, ...applied]);
  const at = isoTime(clock);
  // A file without actions may be applied again.
  const begun: readonly RunEvent[] =
    plan.actions.length === 0 ? [] : [{ type: "plan-file-begun", at, file: file.file }];
  // One of each team that people are added to, who may show its identifier.
  const teams = new Set(plan.actions.flatMap((action) => (action.kind === "add-members" ? [action.team] : [])));
  const members = [...known.memberships.values()].flatMap(({ team, address }) =>
    teams.delete(team) ? [{ address, email: known.users.get(address)?.email ?? address }] : [],
  );
  const used = allowancesUsed(plan, applied.length > 0 ? "whole" : "part", at);
  const toRun = {
    plan,
    capabilities: basis.capabilities,
    stale: staleActions(file, known, service.keyPrefix, policy),
    known: witnesses,
    teamMembers: [...witnesses, ...members],
    resolved,
    // What the reads taught of the service is old where the state has moved on since; what the roster says is not.
    learned: [...moved, ...resolved, ...(isMoved ? [] : others)],
    approved: [...begun, ...applied, ...used],
  };
  return havingApplied({ plan, warnings }, async () => ({ ...(await runPlan(run, toRun)), warnings }));
}

/** Nothing is read where nothing is open. */
async function resolveOpenCalls(state: State, { plan }: PlanFile, work: Work): Promise<readonly RunEvent[]> {
  if (state.open.length === 0 && state.presumedUndone === undefined) return [];
  // Names no user: only what the open calls are about is read.
  const snapshot = orThrow(await observe({ roster: emptyRoster, state, everyone: "when-needed" }, work));
  const at = isoTime(work.clock);
  const events = resolveOpen(state, snapshot, { at, consistency: work.policy.consistency });
  const { open } = applyEvents(state, events);
  return [...events, ...resolveAbsentTeamCreations(open, plan.allowed ?? [], { at })];
}

function checkStale(file: PlanFile, state: State, now: number): void {
  const begun = state.planFiles?.find((one) => one.file === file.file);
  const again = "nothing was sent; plan again with `roster plan --out FILE`";
  // It may have ended in the middle: what it did is recorded, and only a new plan knows what is left.
  if (begun !== undefined) {
    const message = `this plan file was already applied: its apply started at ${begun.at}`;
    const rest = "plan what is left with `roster plan --out FILE`, or run `roster apply` without a plan file";
    throw stopError("stale", "stale", message, `nothing was sent; ${rest}`);
  }
  const why = otherState(file, state) ?? superseded(file, state, now);
  if (why !== undefined) throw stopError("stale", "stale", why, again);
}

function otherState({ basis: { state: made } }: PlanFile, state: State): string | undefined {
  const now = stateBasis(state);
  const shown = ({ lineage, serial }: StateBasis) => `position ${serial} of the log ${lineage}`;
  if (made === undefined) {
    if (now === undefined || hasNoPlanningRecords(state)) return undefined;
    return `the plan was made without a log, but there is one now: ${shown(now)}`;
  }
  const before = `the plan was made at ${shown(made)}`;
  if (now === undefined) return `${before}, but there is no log here`;
  if (now.lineage !== made.lineage) return `${before}, but this is another log: ${shown(now)}`;
  if (now.serial >= made.serial) return undefined;
  return `${before}, but the log ends at position ${now.serial}: its later events are lost`;
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
  return lessons.some(({ type }) => type === "epoch-started")
    ? "the plan starts anew with this service, but the state has changed since the plan was made"
    : undefined;
}

function isUnmoved(basis: StateBasis | undefined, state: State): boolean {
  return basis === undefined ? hasNoPlanningRecords(state) : stateBasis(state)?.digest === basis.digest;
}

/** What does not fit any more, as far as that is known without reading the service. */
function staleActions(
  { plan, records }: PlanFile,
  state: State,
  keyInUse: string | undefined,
  { privilegedRoles }: Policy,
): StaleActions {
  const actions = new Map<ActionId, string>();
  const members = new Map<MembershipKey, string>();
  for (const { about, action, member } of changedPreconditions(plan, state, records)) {
    const why = `the state of the ${about} has changed since the plan was made`;
    if (action.kind === "add-members" && member !== undefined) members.set(membershipKeyOf(action.team, member), why);
    else actions.set(action.id, why);
  }
  for (const action of plan.actions) {
    if (action.kind === "add-members") {
      const planned = plan.teams.get(action.team);
      const known = state.teams.get(action.team)?.identifier;
      const meant = planned && factValue(planned.identifier);
      const why = `the state has the team ${planned?.name} with the identifier ${known}, and the plan adds to ${meant}`;
      if (known !== undefined && meant !== undefined && known !== meant) actions.set(action.id, why);
    }
    if (action.kind !== "replace-roles" || keyInUse === undefined || prefixOf(action) !== keyInUse) continue;
    if (lostRoles(action, privilegedRoles).length > 0)
      actions.set(action.id, "the key is the one in use by now, and no call would be allowed after it");
  }
  return { actions, members };
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
