import type { Action } from "../../model/action.ts";
import type { GuardRefusal, GuardViolation, Plan, PlanRefusal } from "../../model/plan.ts";
import {
  type Allowance,
  formatAllowance,
  type GuardName,
  guardNames,
  type HoldName,
  needsReason,
  type StopName,
} from "../../model/policy.ts";
import { type Result, success } from "../../model/result.ts";
import type { Roster } from "../../model/roster.ts";
import { formatSubject } from "../../model/subject.ts";
import { type PruneTarget, prune } from "../actions.ts";
import {
  allowsObjection,
  formatOtherPlan,
  idleAllowanceFinding,
  type ObjectionOrigin,
  objectionPlan,
  type PlanAllowances,
} from "../allowances.ts";
import type { HeldResources, PlanContext } from "../context.ts";
import { type FindingDraft, joinList, truncateList } from "../finding-draft.ts";
import type { TeamIdentities } from "../identities.ts";
import type { FirstMembers } from "../new-teams.ts";
import { holds, stops } from "./guard-registry.ts";
import type { GuardInput, Hold, ManagedKey } from "./guard-types.ts";

/** All that the roster asks for and calls can do, apart from what guards hold already. */
export interface PlanDraft {
  /** Each after those that it depends on. */
  readonly actions: readonly Action[];
  readonly findings: readonly FindingDraft[];
  readonly teams: TeamIdentities;
  readonly firstMembers: FirstMembers;
  readonly managedKeys: readonly ManagedKey[];
}

/** What guards hold of a plan, and which guards refuse what is left. */
interface GuardResult {
  readonly findings: readonly FindingDraft[];
  /** Where there are any, the plan must not be applied. */
  readonly stops: readonly GuardViolation[];
}

interface GuardedPlan extends GuardResult {
  /** What is left of the plan. */
  readonly actions: readonly Action[];
  /** The same for a part of what is left, with what is allowed of this part. */
  checkPart(part: readonly Action[], allowances: PlanAllowances): GuardResult;
}

/** Plans with what guards hold left out. */
type PlanWithout = (held: HeldResources) => Result<PlanDraft, PlanRefusal>;

interface GuardedInput {
  readonly context: PlanContext;
  readonly keyInUse: string | undefined;
  readonly allowances: PlanAllowances;
  /** The same plan where nothing is allowed; absent where nothing is but guards. */
  readonly unallowed?: UnallowedPlan | undefined;
}

export interface UnallowedPlan {
  readonly draft: PlanDraft;
  readonly planWithout: PlanWithout;
  readonly context: PlanContext;
}

/** Lets every guard check the plan: holds all that is asked for, stops what would be done in the end. */
export function guardPlan(
  unguarded: PlanDraft,
  planWithout: PlanWithout,
  { context, keyInUse, allowances, unallowed }: GuardedInput,
): Result<GuardedPlan, PlanRefusal> {
  const origins = objectionOrigins(unallowed, keyInUse);
  if (!origins.ok) return origins;
  const { ofHold, ofStop } = origins.value;
  const isHeld = (hold: RaisedHold) => !allowsObjection(hold.guard, ofHold(hold), allowances);
  const settled = settleHolds(unguarded, planWithout, (draft) => guardInput(draft, context, keyInUse), isHeld);
  if (!settled.ok) return settled;

  const { draft, raised } = settled.value;
  const inForce = [...raised.values()].filter(isHeld);
  const { actions, pruned } = prune(draft.actions, inForce.flatMap(pruneTargets));
  const holdFindings = inForce.map((hold) =>
    holdFinding(
      hold,
      [...formatReserved(hold, draft, context.roster), ...formatDependents(hold, pruned)],
      objectionPlan(ofHold(hold), allowances),
    ),
  );
  const holding = new Map(inForce.map((hold) => [hold.guard, objectionPlan(ofHold(hold), allowances)]));
  const check = (checked: readonly Action[], given: PlanAllowances): GuardResult => {
    const { ofOtherPlans } = given;
    const remaining = guardInput({ ...draft, actions: checked }, context, keyInUse);
    const violations = raiseStops(remaining);
    const withObjection = new Set<GuardName>([...raised.values(), ...violations].map(({ guard }) => guard));
    const stopping = violations.filter(({ guard }) => !allowsObjection(guard, ofStop(guard), given));
    const isIdle = ({ exception }: Allowance) => exception.is === "guard" && !withObjection.has(exception.guard);
    const idle = [...[...given.granted, ...ofOtherPlans].filter(isIdle), ...given.idle];
    return {
      findings: [...holdFindings, ...draft.findings, ...idle.map(idleAllowanceFinding)],
      stops: [
        ...stopping.map((stop) => refuseByStop(stop, objectionPlan(ofStop(stop.guard), given), ofOtherPlans)),
        ...refuseOtherPlans(holding, ofOtherPlans),
        ...given.violations,
      ],
    };
  };
  return success({ actions, ...check(actions, allowances), checkPart: check });
}

interface ObjectionOrigins {
  ofHold(hold: RaisedHold): ObjectionOrigin;
  ofStop(guard: StopName): ObjectionOrigin;
}

const everythingByRoster: ObjectionOrigins = { ofHold: () => "roster", ofStop: () => "roster" };

/** An allowance for a guard was given to what the plan showed before anything else was allowed: to nothing that this brings about. */
function objectionOrigins(
  unallowed: UnallowedPlan | undefined,
  keyInUse: string | undefined,
): Result<ObjectionOrigins, PlanRefusal> {
  if (unallowed === undefined) return success(everythingByRoster);
  const { context, draft: unguarded, planWithout } = unallowed;
  const inputOf = (draft: PlanDraft) => guardInput(draft, context, keyInUse);
  const settled = settleHolds(unguarded, planWithout, inputOf, () => true);
  if (!settled.ok) return settled;
  const raised = [...settled.value.raised.values()];
  const holdKey = ({ guard, subject, message }: RaisedHold) => JSON.stringify([guard, formatSubject(subject), message]);
  const known = new Set(raised.map(holdKey));
  const stopped = new Set(raiseStops(inputOf(unguarded)).map(({ guard }) => guard));
  return success({
    ofHold: (hold) => (known.has(holdKey(hold)) ? "roster" : "exceptions"),
    ofStop: (guard) => (stopped.has(guard) ? "roster" : "exceptions"),
  });
}

/** A stop that nobody has allowed; it names an allowance for another plan. */
function refuseByStop(
  { guard, message }: RaisedStop,
  plan: string,
  ofOtherPlans: readonly Allowance[],
): GuardViolation {
  const others = allowancesOf(guard, ofOtherPlans);
  return {
    code: guard,
    message: others.length === 0 ? message : `${message} ${formatOtherPlan(others, plan)}`,
    allow: { exception: { is: "guard", guard }, plan },
  };
}

/** Allowances of guards that hold something, meant for other plans: the person who gave them has read another plan. */
function refuseOtherPlans(
  holding: ReadonlyMap<GuardName, string>,
  ofOtherPlans: readonly Allowance[],
): readonly GuardViolation[] {
  return [...holding].flatMap(([guard, plan]) => {
    const others = allowancesOf(guard, ofOtherPlans);
    if (others.length === 0) return [];
    return [
      { code: guard, message: formatOtherPlan(others, plan), allow: { exception: { is: "guard", guard }, plan } },
    ];
  });
}

function allowancesOf(guard: GuardName, allowances: readonly Allowance[]): readonly Allowance[] {
  return allowances.filter(({ exception }) => exception.is === "guard" && exception.guard === guard);
}

/** A guard that stops, and what it has against the plan. */
interface RaisedStop {
  readonly guard: StopName;
  readonly message: string;
}

function raiseStops(input: GuardInput): readonly RaisedStop[] {
  return stops.flatMap(({ name: guard, check }) => {
    const message = check(input);
    return message === undefined ? [] : [{ guard, message }];
  });
}

/**
 * People that holds keep from being created are left out before first members are chosen, so that others take their places where they
 * can. That may bring up other actions: these are checked as well, until nobody more is held.
 */
function settleHolds(
  unguarded: PlanDraft,
  planWithout: PlanWithout,
  inputOf: (draft: PlanDraft) => GuardInput,
  isHeld: (hold: RaisedHold) => boolean,
): Result<{ readonly draft: PlanDraft; readonly raised: RaisedHolds }, PlanRefusal> {
  let draft = unguarded;
  let raised = noHolds;
  let held = heldResources([]);
  for (;;) {
    const input = inputOf(draft);
    for (const { name, check } of holds) raised = raised.with(name, check(input));
    const more = heldResources([...raised.values()].filter(isHeld));
    if (!holdsMore(more, held)) return success({ draft, raised });
    held = more;
    const again = planWithout(held);
    if (!again.ok) return again;
    draft = again.value;
  }
}

function guardInput(
  { actions, teams, managedKeys }: Pick<PlanDraft, "actions" | "teams" | "managedKeys">,
  context: PlanContext,
  keyInUse: string | undefined,
): GuardInput {
  return { context, actions, teams, managedKeys, keyInUse };
}

function heldResources(holds: readonly Hold[]): HeldResources {
  const withheld = holds.flatMap(({ withholds }) => withholds);
  return {
    people: new Set(withheld.flatMap((part) => (part.of === "person" ? [part.address] : []))),
    teams: new Set(withheld.flatMap((part) => (part.of === "team" ? [part.team] : []))),
    privileges: new Set(withheld.flatMap((part) => (part.of === "privilege" ? [part.place] : []))),
  };
}

/** Whether more is held than was. What is held only grows. */
function holdsMore(now: HeldResources, before: HeldResources): boolean {
  return countHeld(now) > countHeld(before);
}

function countHeld({ people, teams, privileges }: HeldResources): number {
  return people.size + teams.size + privileges.size;
}

/** One hold, and its guard. */
interface RaisedHold extends Hold {
  readonly guard: HoldName;
}

/** Holds by their guard and subject, each once however often it was raised, in the order of the first time. */
interface RaisedHolds {
  values(): Iterable<RaisedHold>;
  /** What is withheld grows; the message stays the first one. */
  with(guard: HoldName, holds: readonly Hold[]): RaisedHolds;
}

const noHolds: RaisedHolds = raisedHolds(new Map());

function raisedHolds(known: ReadonlyMap<string, RaisedHold>): RaisedHolds {
  return {
    values: () => known.values(),
    with(guard, holds) {
      const all = new Map(known);
      for (const hold of holds) {
        const key = `${guard} ${formatSubject(hold.subject)}`;
        const before = all.get(key);
        const withholds = [...(before?.withholds ?? []), ...hold.withholds];
        all.set(key, { ...(before ?? { guard, ...hold }), withholds });
      }
      return raisedHolds(all);
    },
  };
}

/** The parts of the plan that a hold takes out, beyond what is not planned in the first place. */
function pruneTargets(hold: RaisedHold): readonly PruneTarget<RaisedHold>[] {
  return hold.withholds.flatMap((part) => {
    if (part.of !== "part") return [];
    const target = { action: part.action, cause: hold };
    return [part.address === undefined ? target : { ...target, address: part.address }];
  });
}

/** The blocking finding of one hold: what it withholds and why, what waits with it, and that it can be allowed. */
function holdFinding(hold: RaisedHold, waits: readonly string[], allowPlan: string): FindingDraft {
  const { guard, withholds: _, message, ...rest } = hold;
  // Whatever is held was selected.
  return {
    code: guard,
    message: [message, ...waits].join(" "),
    ...rest,
    allow: [{ is: "guard", guard }],
    allowPlan,
    concerns: [],
  };
}

/** People who are not created meanwhile, so that a team that is held can still be created. */
function formatReserved(hold: RaisedHold, { firstMembers }: PlanDraft, { users }: Roster): readonly string[] {
  const teams = hold.withholds.flatMap((part) => (part.of === "team" ? [part.team] : []));
  const kept = new Set(teams.flatMap((team) => firstMembers.reservedFor.get(team) ?? []));
  if (kept.size === 0) return [];
  const emails = [...kept].map((address) => users.get(address)?.email ?? address);
  return [`Until then, roster does not create ${truncateList(emails)}. The team needs a new user.`];
}

/** Actions that depend on what is held. */
function formatDependents(hold: RaisedHold, pruned: readonly PruneTarget<RaisedHold>[]): readonly string[] {
  const meant = new Set(pruneTargets(hold).map(targetName));
  const others = pruned.filter((part) => part.cause === hold && !meant.has(targetName(part))).map(targetName);
  return others.length === 0 ? [] : [`Actions that depend on it wait too: ${truncateList(others)}.`];
}

function targetName({ action, address }: Omit<PruneTarget<unknown>, "cause">): string {
  return address === undefined ? action : `${address} in ${action}`;
}

/** The refusal of a plan by all the guards that have something against it, and by allowances for other plans. */
export function guardRefusal(plan: Plan, stops: readonly GuardViolation[]): GuardRefusal {
  const words = [
    ...new Set(stops.flatMap(({ allow }) => (allow === undefined ? [] : [`--allow ${formatAllowance(allow)}`]))),
  ];
  const guards = [...new Set(stops.map(({ code }) => code))].filter((code) => guardNames.some((name) => name === code));
  const isInDoubt = stops.some(({ code }) => code === "service-reset");
  const why = isInDoubt
    ? "The service may have lost its data, so the plan cannot be applied"
    : guards.length === 0
      ? "An `--allow` value does not fit this plan, so it cannot be applied"
      : `The guard ${joinList(guards)} refuses the plan, so it cannot be applied`;
  const reason = stops.some(({ allow }) => allow !== undefined && needsReason(allow)) ? ["--reason TEXT"] : [];
  const allowIt =
    words.length === 0
      ? "Read the plan again, and pass the allowance that it prints."
      : `${isInDoubt ? "Check the service" : "Correct the roster"}. If you have read the plan and want it, pass \`${[...words, ...reason].join(" ")}\`, or set ROSTER_ALLOW.`;
  return { code: "guard", message: why, hint: allowIt, plan, stops };
}
