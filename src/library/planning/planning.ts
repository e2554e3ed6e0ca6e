import { applyEvents } from "../../log/fold.ts";
import { recordsMoved } from "../../log/moved-records.ts";
import { rosterApplied, serviceLearned, usersObserved } from "../../log/observed-events.ts";
import { resolveAbsentTeamCreations } from "../../log/operator-resolution.ts";
import { withFormerUsers } from "../../log/prune.ts";
import { type Allowance, allowedSubjects } from "../../model/allowance.ts";
import type { AllowancesUsed, EpochStarted, RecordsMoved, RosterApplied, RunEvent } from "../../model/event.ts";
import type { GuardRefusal, InvalidSelection, Plan, PlanningEvent } from "../../model/plan.ts";
import type { Policy } from "../../model/policy.ts";
import { type Diagnostic, problem, type Result, success } from "../../model/result.ts";
import { type Roster, rosterDigest } from "../../model/roster.ts";
import { findServiceReset } from "../../model/service-reset.ts";
import { privilegedKeys, type ReadSummary, type Snapshot } from "../../model/snapshot.ts";
import type { State } from "../../model/state.ts";
import { type ObservePorts, observe } from "../../observe/observe.ts";
import { makePlan, type PlanInput } from "../../plan/make-plan.ts";
import type { AccountService } from "../../ports/account-service.ts";
import { isoTime, type Moment, momentOf } from "../../ports/clock.ts";
import { type ResolutionTimes, resolveOpen } from "../../run/assess.ts";
import { errorFromFailure, invalidInput, invalidSetting, type RosterError, stopError } from "../error.ts";
import { suggestSelector } from "./policy.ts";

/** What was read of the service, and what the state comes to by it. */
interface ReadForPlan {
  readonly snapshot: Snapshot;
  readonly reading: ReadSummary;
  /** The state that the plan rests on: what was open in it is resolved where reading could tell. */
  readonly state: State;
  /** What it says of people and teams under former addresses and names, and counts for who they are now. */
  readonly moved?: RecordsMoved;
  /** The events that resolved it. */
  readonly resolved: readonly RunEvent[];
  /** When this process began to read. */
  readonly read?: Moment | undefined;
}

/** The rest of the path to a plan: service reads -> Snapshot; Roster x Snapshot x State x Policy -> Plan. */
export interface Planned extends ReadForPlan {
  readonly plan: Plan;
  /** A person says that the service starts anew: `state` is without what was recorded before. */
  readonly epoch?: EpochStarted;
  /** Guards refuse the plan: it may be shown, and must not be run. */
  readonly refusal?: RosterError;
  readonly keyInUse?: string | undefined;
}

export interface PlanningInput {
  readonly roster: Roster;
  readonly state: State;
  readonly policy: Policy;
  readonly everyone: "when-needed" | "always";
}

export type PlanPorts = ObservePorts & { readonly signal: AbortSignal };

export async function planFor(input: PlanningInput, ports: PlanPorts): Promise<Result<Planned, RosterError>> {
  const read = await readForPlan(input, ports);
  if (!read.ok) return read;
  const { keyPrefix: keyInUse } = ports.service;
  return planFromReading(read.value, { ...input, keyInUse });
}

/** What a plan is made of besides what was read and is known. */
type PlanSpec = Pick<PlanInput, "roster" | "policy" | "keyInUse" | "kept" | "part">;

/** Makes the plan of what was read, however it was. */
export function planFromReading(
  read: ReadForPlan,
  { roster, policy, keyInUse, kept, part }: PlanSpec,
): Result<Planned, RosterError> {
  const { snapshot, state, resolved, moved, read: began } = read;
  const known = { snapshot, state, resolved, read: began, ...(moved === undefined ? {} : { moved }) };
  const reading = { ...read.reading, privileges: privilegedKeys(snapshot.users, policy.privilegedRoles) };
  const made = makePlan({ roster, snapshot, state, policy, keyInUse, kept, part });
  if (made.ok)
    return success(withNewEpoch(withTeamCreationsResolved({ ...known, reading, plan: made.value, keyInUse })));
  if (made.error.code !== "guard") {
    return problem(errorForSelection(suggestSelector(made.error, [...policy.include, ...policy.exclude], roster)));
  }
  return success({ ...known, reading, plan: made.error.plan, refusal: errorForGuards(made.error), keyInUse });
}

/** A creation with a team that a person says was not done is resolved for the apply of the plan, too. */
function withTeamCreationsResolved(planned: Planned): Planned {
  const { plan, snapshot, state, resolved: before } = planned;
  const resolved = resolveAbsentTeamCreations(state.open, plan.allowed ?? [], { at: snapshot.readAt });
  if (resolved.length === 0) return planned;
  return { ...planned, state: applyEvents(state, resolved), resolved: [...before, ...resolved] };
}

/** A service that starts anew has nothing of what was recorded, for the apply of the plan either. */
function withNewEpoch(planned: Planned): Planned {
  const { plan, snapshot, state } = planned;
  if (allowedSubjects(plan.allowed, "service-reset").size === 0) return planned;
  const epoch: EpochStarted = { type: "epoch-started", at: snapshot.readAt, service: snapshot.service };
  return { ...planned, epoch, state: applyEvents(state, [epoch]) };
}

/** Why nothing may be done where the service itself is in doubt; undefined where it is not. */
export function serviceDoubt({ plan, refusal }: Pick<Planned, "plan" | "refusal">): RosterError | undefined {
  return plan.findings.some(({ code }) => code === "service-reset") ? refusal : undefined;
}

/**
 * What is recorded of allowances before the first call that they let pass. Users are released only where the roster is applied as a
 * whole.
 */
export function allowancesUsed(
  { allowed = [] }: Plan,
  applied: "whole" | "part",
  at: string,
): readonly AllowancesUsed[] {
  const isRelease = ({ code }: Allowance) => code.startsWith("user-removed:");
  const allowances = applied === "whole" ? allowed : allowed.filter((one) => !isRelease(one));
  return allowances.length === 0 ? [] : [{ type: "allowances-used", at, allowances }];
}

/** Reads what a plan needs, and resolves by it what the state has left open. */
async function readForPlan(input: PlanningInput, ports: PlanPorts): Promise<Result<ReadForPlan, RosterError>> {
  const { roster, state, policy, everyone } = input;
  const mismatch = stateServiceMismatch(state, ports.service);
  if (mismatch !== undefined) return problem(mismatch);
  const { guards } = policy;
  const namesakes = guards.nearDuplicate === "on" ? "sought" : undefined;
  const {
    privilegedRoles,
    protected: { users: protectedUsers },
  } = guards;
  const sensitive = { privilegedRoles: privilegedRoles === "off" ? [] : privilegedRoles.roles, protectedUsers };
  const began = momentOf(ports.clock);
  const read = await observe({ roster, state, everyone, namesakes, sensitive }, ports);
  if (!read.ok) return problem(errorFromFailure(read.error));
  const { consistency } = policy;
  const found = resolveBySnapshot(read.value, { roster, state, at: isoTime(ports.clock), consistency });
  return success({ ...found, read: began });
}

/** What is resolved by reading. */
interface ResolutionInput extends ResolutionTimes {
  readonly roster: Roster;
  readonly state: State;
}

/** What the state comes to by what was read. */
export function resolveBySnapshot(snapshot: Snapshot, { roster, state, ...times }: ResolutionInput): ReadForPlan {
  const known = withFormerUsers(state, roster, snapshot);
  const moved = recordsMoved(roster, snapshot, known, times.at);
  const named = moved === undefined ? known : applyEvents(known, [moved]);
  // What a service in doubt does not show may have been done all the same.
  const isInDoubt = findServiceReset(roster, snapshot, named, times.consistency) !== undefined;
  const consistency = isInDoubt ? Number.POSITIVE_INFINITY : times.consistency;
  const resolved = resolveOpen(named, snapshot, { ...times, consistency });
  const after = applyEvents(named, resolved);
  const found = { snapshot, reading: readingOf(snapshot), state: after, resolved };
  return moved === undefined ? found : { ...found, moved };
}

/** What is remembered of one service would be taken for facts of the other. */
export function stateServiceMismatch(
  { service: remembered }: State,
  { address }: AccountService,
): RosterError | undefined {
  if (remembered === undefined || remembered === address) return undefined;
  return invalidSetting(
    "other-service",
    `The state belongs to the service ${remembered}, but this run uses ${address}.`,
    "Check the address: --endpoint or ROSTER_ENDPOINT may have a typing error. Another service needs a state of its own: name it with --state or ROSTER_STATE. " +
      `Only if the same service has moved to this address, run \`roster state set-endpoint ${address}\`.`,
  );
}

function readingOf({ service, readAt, everyone, capabilities, readings }: Snapshot): ReadSummary {
  return { service, readAt, everyone, capabilities, readings };
}

function errorForSelection({ code, message, hint }: InvalidSelection): RosterError {
  if (code === "unknown-selector") return invalidInput([{ code, severity: "error", message, hint }]);
  return stopError("refused", code, message, hint);
}

/** Each guard speaks for itself, and the problem names what would let the plan pass. */
function errorForGuards({ code, message, hint, stops }: GuardRefusal): RosterError {
  const diagnostics = stops.map((stop): Diagnostic => ({ code: stop.code, severity: "error", message: stop.message }));
  const allow = [...new Set(stops.flatMap((stop) => stop.allow ?? []))];
  return { reason: "refused", diagnostics, problem: { code, message, hint, allow } };
}

/**
 * What planning has taught beyond the plan, as events that an apply records before anything is sent; the first tells who is
 * known under another address or name by now, the last whom the roster is about. `at` is ISO 8601.
 */
export function learnedEvents(
  { plan, snapshot, state, moved, epoch }: Planned,
  { roster, policy, at }: { readonly roster: Roster; readonly policy: Policy; readonly at: string },
): readonly PlanningEvent[] {
  const { allowed } = plan;
  const seen = usersObserved(roster, snapshot, state, { at, allowed });
  const learned = serviceLearned(snapshot, state, at);
  const applied = isWhole(policy) ? rosterAppliedEvent(roster, snapshot, state, { at, allowed }) : undefined;
  return [moved, epoch, seen, learned, applied].filter((event) => event !== undefined);
}

/** A run for a part of the roster applies no whole roster: users outside that part were not dropped. */
export function isWhole({ include, exclude }: Policy): boolean {
  return include.length + exclude.length === 0;
}

function rosterAppliedEvent(
  roster: Roster,
  snapshot: Snapshot,
  state: State,
  said: { readonly at: string; readonly allowed: readonly Allowance[] | undefined },
): RosterApplied | undefined {
  return rosterApplied(roster, snapshot, state, { ...said, digest: rosterDigest(roster) });
}
