import type { Action } from "../model/action.ts";
import type { FindingCode } from "../model/finding.ts";
import type { GuardViolation } from "../model/plan.ts";
import {
  type Allowance,
  type Exception,
  formatAllowance,
  formatException,
  type GuardName,
  retryOf,
  stopNames,
} from "../model/policy.ts";
import { sha256 } from "../model/sha256.ts";
import { absentTeamCreationOf, type RecordedRefusal, type State } from "../model/state.ts";
import { formatSubject } from "../model/subject.ts";
import { planId } from "./actions.ts";
import type { FindingDraft } from "./finding-draft.ts";

/** Which exceptions count while a plan is drafted. */
export interface Grants {
  covers(wanted: Exception): boolean;
  /** Whether the refused call is sent again. */
  retries(refusal: RecordedRefusal): boolean;
}

export const nothingGranted: Grants = { covers: () => false, retries: () => false };

const everythingGranted: Grants = { covers: () => true, retries: () => true };

/** What of a draft its id and its allowances depend on. */
interface ComparedDraft {
  readonly actions: readonly Action[];
  readonly findings: readonly FindingDraft[];
}

/** What is planned of the same roster and reads where other exceptions count. Undefined where there is no such plan. */
type DraftWith = (grants: Grants) => ComparedDraft | undefined;

interface AllowanceInput {
  readonly service: string;
  readonly state: State;
  readonly draftWith: DraftWith;
}

/** What a person has allowed, compared with the plan that it is about. */
export interface PlanAllowances {
  /** The plan as it is before anything is allowed and before any guard: what an allowance names. */
  readonly plan: string;
  /** The same with the exceptions that are granted: what an allowance names of a guard that objects to what only they bring about. */
  readonly planWithExceptions: string;
  readonly grants: Grants;
  /** Those that are for this plan. */
  readonly granted: readonly Allowance[];
  /** Allowances for other plans, of something that this plan needs: the person who gave them has read another plan. */
  readonly violations: readonly GuardViolation[];
  /** Allowances that change nothing. Those of guards are not among them. */
  readonly idle: readonly Allowance[];
  /** Allowances of guards for other plans. */
  readonly ofOtherPlans: readonly Allowance[];
}

/** `base`: what is planned where nothing is allowed. */
export function compareAllowances(
  allowed: readonly Allowance[],
  base: ComparedDraft,
  input: AllowanceInput,
): PlanAllowances {
  const plan = allowancePlanId(base, input);
  const forPlan = allowed.filter((allowance) => isForPlan(allowance, plan, input.state));
  const planWithExceptions = exceptedPlanId(plan, forPlan);
  const isForExcepted = (one: Allowance) => isOfGuard(one) && one.plan === planWithExceptions;
  const granted = allowed.filter((one) => forPlan.includes(one) || isForExcepted(one));
  const grants = grantsOf(granted, plan);
  const offered = offeredExceptions(base);
  const others = allowed.filter((allowance) => !granted.includes(allowance));
  const isOffered = ({ exception }: Allowance) => offered.has(formatException(exception));
  const changesBase = (one: Allowance) => differ(base, input.draftWith(grantsOf([{ ...one, plan }], plan)));
  const isUsed = (one: Allowance) => {
    const rest = granted.filter((other) => other !== one);
    return isOffered(one) || differ(input.draftWith(grantsOf(rest, plan)), input.draftWith(grants));
  };
  const named = (one: Allowance) => offersOtherTeamCreation(one.exception, base);
  const misfits = others.filter((one) => !isOfGuard(one) && (isOffered(one) || named(one) || changesBase(one)));
  const isOpen = ({ exception }: Allowance) => isOpenTeamCreation(exception, input);
  const misnamed = granted.filter((one) => !isOffered(one) && !isOpen(one) && named(one));
  return {
    plan,
    planWithExceptions,
    grants,
    granted,
    violations: [...misfits.map((one) => otherPlanViolation(one, plan)), ...misnamed.map(otherCallViolation)],
    idle: [
      ...granted.filter((one) => !isOfGuard(one) && !misnamed.includes(one) && !isUsed(one)),
      ...others.filter((one) => !isOfGuard(one) && !misfits.includes(one)),
    ],
    ofOtherPlans: others.filter(isOfGuard),
  };
}

/**
 * Digests what would be done where nothing is allowed; and, where something can be, what would be done where all of it is. So an
 * allowance covers nothing that nobody has seen, and it stays the same whatever else is allowed. What is offered counts as well:
 * some exceptions change no call.
 */
function allowancePlanId(base: ComparedDraft, { service, draftWith }: AllowanceInput): string {
  const id = planId(service, base.actions);
  const offers = base.findings.flatMap(offersOf);
  if (offers.length === 0) return id;
  const whole = draftWith(everythingGranted);
  const allowed = whole === undefined ? null : planId(service, whole.actions);
  return sha256(JSON.stringify([id, allowed, ...offers.sort()])).slice(0, 16);
}

/**
 * What can be allowed, with what reads show of it: another user who has the address is another plan. A service that loses its memory
 * once more has lost what was recorded later.
 */
function offersOf({ allow = [], restsOn = [], code }: FindingDraft): readonly string[] {
  const shown = restsOn.flatMap(({ fact }) => {
    if (fact.known === "observed") return [fact.value];
    return code === "service-reset" && fact.known === "recorded" ? [fact.at] : [];
  });
  return allow.map((exception) => JSON.stringify([formatException(exception), ...shown]));
}

/** Differs from the plan only where something besides guards is allowed. */
function exceptedPlanId(plan: string, allowed: readonly Allowance[]): string {
  const exceptions = allowed.filter((one) => !isOfGuard(one)).map(formatAllowance);
  return exceptions.length === 0 ? plan : sha256(JSON.stringify([plan, ...exceptions.sort()])).slice(0, 16);
}

/** Where a guard's objection comes from: what the roster asks for, or only what a person has allowed. */
export type ObjectionOrigin = "roster" | "exceptions";

/** The plan that an allowance of the guard has to name. */
export function objectionPlan(origin: ObjectionOrigin, { plan, planWithExceptions }: PlanAllowances): string {
  return origin === "roster" ? plan : planWithExceptions;
}

/** Whether a person has allowed what this guard objects to: nothing that no output has shown. */
export function allowsObjection(guard: GuardName, origin: ObjectionOrigin, allowances: PlanAllowances): boolean {
  const plans = [objectionPlan(origin, allowances), allowances.planWithExceptions];
  return allowances.granted.some(
    ({ exception, plan }) => exception.is === "guard" && exception.guard === guard && plans.includes(plan),
  );
}

/** A call that the service refused may also be named by the plan in whose run it was refused. */
function isForPlan({ exception, plan }: Allowance, id: string, { refusals }: State): boolean {
  return plan === id || [...refusals.values()].some((one) => one.plan === plan && isRetryOf(exception, one));
}

/**
 * The same for a part of the plan that is applied alone. Guards that refuse plans judge the part by itself, so that their allowances
 * name it: what is allowed of the whole plan was never shown of the part.
 */
export function allowancesOfPart(allowances: PlanAllowances, part: string): PlanAllowances {
  const plan = sha256(JSON.stringify([allowances.planWithExceptions, part])).slice(0, 16);
  const given = [...allowances.granted, ...allowances.ofOtherPlans];
  const isGranted = (one: Allowance) => (isOfStop(one) ? one.plan === plan : allowances.granted.includes(one));
  return {
    ...allowances,
    plan,
    planWithExceptions: plan,
    granted: given.filter(isGranted),
    ofOtherPlans: given.filter((one) => !isGranted(one)),
  };
}

function isOfStop({ exception }: Allowance): boolean {
  return exception.is === "guard" && stopNames.some((name) => name === exception.guard);
}

/** Allowances of guards grant nothing here: guards look at a plan once it is drafted. */
function grantsOf(allowed: readonly Allowance[], plan: string): Grants {
  const granted = allowed.filter((one) => !isOfGuard(one));
  if (granted.length === 0) return nothingGranted;
  const words = new Set(granted.map(({ exception }) => formatException(exception)));
  return {
    covers: (wanted) => words.has(formatException(wanted)),
    retries: (refusal) =>
      granted.some((one) => (one.plan === plan || one.plan === refusal.plan) && isRetryOf(one.exception, refusal)),
  };
}

function isRetryOf(exception: Exception, refusal: RecordedRefusal): boolean {
  return formatException(exception) === formatException(retryOf(refusal));
}

function offeredExceptions({ findings }: ComparedDraft): ReadonlySet<string> {
  return new Set(findings.flatMap(({ allow = [] }) => allow.map(formatException)));
}

/** Whether it names a call that is open: of several that may have created one team only the first is offered. */
function isOpenTeamCreation(exception: Exception, { state }: AllowanceInput): boolean {
  return state.open.some((open) => {
    const teamCreation = absentTeamCreationOf(open);
    return teamCreation !== undefined && formatException(teamCreation) === formatException(exception);
  });
}

/** Whether it names another call than the one that may have created the team, or a call where there is none. */
function offersOtherTeamCreation(exception: Exception, { findings }: ComparedDraft): boolean {
  if (exception.is !== "absent-creation") return false;
  const offers = findings.flatMap(({ allow = [] }) => allow);
  return offers.some(
    (one) => (one.is === "absent-team" || one.is === "absent-creation") && one.team === exception.team,
  );
}

function differ(one: ComparedDraft | undefined, other: ComparedDraft | undefined): boolean {
  const parts = (draft: ComparedDraft | undefined) =>
    draft && [
      planId("", draft.actions),
      draft.findings.map(({ code, subject, message }) => [code, formatSubject(subject), message]),
    ];
  return JSON.stringify(parts(one)) !== JSON.stringify(parts(other));
}

function isOfGuard({ exception }: Allowance): boolean {
  return exception.is === "guard";
}

/** The right allowance for this plan, and why the given one is not. */
function otherPlanViolation(given: Allowance, plan: string): GuardViolation {
  const allow = { ...given, plan };
  return { code: exceptionCode(given.exception), message: formatOtherPlan([given], plan), allow };
}

/** Says that allowances are for another plan, and names both plans. */
export function formatOtherPlan(given: readonly Allowance[], plan: string): string {
  const words = given.map(formatAllowance).join(" and ");
  const plans = [...new Set(given.map((one) => one.plan))].join(" and ");
  return `The allowance ${words} is for plan ${plans}. This is plan ${plan}, so it does not apply.`;
}

/** An allowance that names a call which is not open. */
function otherCallViolation(given: Allowance): GuardViolation {
  const call = given.exception.is === "absent-creation" ? given.exception.call : "";
  const message = `The allowance ${formatAllowance(given)} does not apply: no unresolved call ${call} creates this team.`;
  return { code: exceptionCode(given.exception), message };
}

/** The code of the finding that a person reads before allowing it. */
function exceptionCode(exception: Exception): GuardName | FindingCode {
  switch (exception.is) {
    case "guard":
      return exception.guard;
    case "service-reset":
      return "service-reset";
    case "recreate":
      return "user-missing";
    case "release":
      return "user-removed";
    case "retry-user":
    case "retry-key":
      return "refused";
    case "absent-team":
    case "absent-teams":
    case "absent-member":
    case "absent-members":
      return "unproven-absence";
    case "absent-creation":
      return "unknown-outcome";
  }
}

/** An allowance that nothing was in need of. */
export function idleAllowanceFinding(allowance: Allowance): FindingDraft {
  const written = formatAllowance(allowance);
  return {
    code: "idle-allowance",
    subject: { kind: "allowance", written },
    message: `\`--allow ${written}\` has no effect on this plan. Remove it.`,
    because: [],
    concerns: [],
  };
}
