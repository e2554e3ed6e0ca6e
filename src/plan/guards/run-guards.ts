import type { Action } from "../../model/action.ts";
import type { GuardRefusal, GuardViolation, Plan, PlanRefusal } from "../../model/plan.ts";
import {
  type Allowance,
  formatAllowance,
  type GuardName,
  type HoldName,
  type Policy,
  type StopName,
} from "../../model/policy.ts";
import { type Result, success } from "../../model/result.ts";
import type { Roster } from "../../model/roster.ts";
import { formatSubject } from "../../model/subject.ts";
import { type PruneTarget, planId, prune } from "../actions.ts";
import type { HeldResources, PlanContext } from "../context.ts";
import { type FindingDraft, joinList, truncateList } from "../finding-draft.ts";
import type { Founders } from "../founding/founders.ts";
import type { TeamIdentities } from "../identities.ts";
import { holds, stops } from "./guard-registry.ts";
import type { GuardInput, Hold, ManagedKey } from "./guard-types.ts";

/** All that the roster asks for and calls can do, apart from what guards hold already. */
export interface PlanDraft {
  /** Each after those that it depends on. */
  readonly actions: readonly Action[];
  readonly findings: readonly FindingDraft[];
  readonly teams: TeamIdentities;
  readonly founders: Founders;
  readonly managedKeys: readonly ManagedKey[];
}

/** What is left of a plan, what guards hold of it, and which guards refuse it. */
interface GuardedPlan {
  readonly actions: readonly Action[];
  readonly findings: readonly FindingDraft[];
  /** Where there are any, the plan must not be applied. */
  readonly stops: readonly GuardViolation[];
}

/** Plans with what guards hold left out. */
type PlanWithout = (held: HeldResources) => Result<PlanDraft, PlanRefusal>;

/** Lets every guard check the plan: holds all that is asked for, stops what would be done in the end. */
export function guardPlan(
  planWithout: PlanWithout,
  context: PlanContext,
  keyInUse: string | undefined,
): Result<GuardedPlan, PlanRefusal> {
  const unguarded = planWithout(context.held);
  if (!unguarded.ok) return unguarded;
  const id = planId(context.snapshot.service, unguarded.value.actions, context.digest);
  const allowances = allowancesFor(id, context.policy);
  const isHeld = ({ guard }: RaisedHold) => !allowances.allows(guard);
  const settled = settleHolds(unguarded.value, planWithout, (draft) => guardInput(draft, context, keyInUse), isHeld);
  if (!settled.ok) return settled;

  const { draft, raised } = settled.value;
  const inForce = [...raised.values()].filter(isHeld);
  const { actions, pruned } = prune(draft.actions, inForce.flatMap(pruneTargets));
  const violations = raiseStops(guardInput({ ...draft, actions }, context, keyInUse));
  const withObjection = new Set<GuardName>([...raised.values(), ...violations].map(({ guard }) => guard));
  const holdFindings = inForce.map((hold) => {
    const waits = [...formatReserved(hold, draft, context.roster), ...formatDependents(hold, pruned)];
    return holdFinding(hold, waits, allowances.allowanceFor(hold.guard));
  });
  return success({
    actions,
    findings: [...holdFindings, ...draft.findings, ...allowances.idle(withObjection).map(reportIdleAllowance)],
    stops: [
      ...violations.filter(({ guard }) => !allowances.allows(guard)).map((stop) => allowances.refuse(stop)),
      ...allowances.forOtherPlans(new Set(inForce.map(({ guard }) => guard))),
    ],
  });
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
 * People that holds keep from being created are left out before founders are chosen, so that others take their places where they
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

/** The blocking finding of one hold: what it withholds and why, what waits with it, and how to let it pass. */
function holdFinding(hold: RaisedHold, waits: readonly string[], allowance: Allowance): FindingDraft {
  const { guard, withholds: _, message, ...rest } = hold;
  const word = formatAllowance(allowance);
  const text = `${[message, ...waits].join(" ")} To let this very plan pass, say \`--allow ${word}\`.`;
  // Whatever is held was selected.
  return { code: guard, message: text, ...rest, allow: [word], concerns: [] };
}

/** People who are not created meanwhile, so that a team that is held can still be founded. */
function formatReserved(hold: RaisedHold, { founders }: PlanDraft, { users }: Roster): readonly string[] {
  const teams = hold.withholds.flatMap((part) => (part.of === "team" ? [part.team] : []));
  const kept = new Set(teams.flatMap((team) => founders.reservedFor.get(team) ?? []));
  if (kept.size === 0) return [];
  const emails = [...kept].map((address) => users.get(address)?.email ?? address);
  return [
    `Until then ${truncateList(emails)} ${kept.size === 1 ? "is" : "are"} not created, so that it can still be founded.`,
  ];
}

/** Actions that depend on what is held. */
function formatDependents(hold: RaisedHold, pruned: readonly PruneTarget<RaisedHold>[]): readonly string[] {
  const meant = new Set(pruneTargets(hold).map(targetName));
  const others = pruned.filter((part) => part.cause === hold && !meant.has(targetName(part))).map(targetName);
  return others.length === 0 ? [] : [`What depends on it waits as well: ${truncateList(others)}.`];
}

function targetName({ action, address }: Omit<PruneTarget<unknown>, "cause">): string {
  return address === undefined ? action : `${address} in ${action}`;
}

/** An allowance that nothing was in need of. */
function reportIdleAllowance(allowance: Allowance): FindingDraft {
  const written = formatAllowance(allowance);
  return {
    code: "idle-allowance",
    subject: { kind: "allowance", written },
    message: `The guard ${allowance.guard} has nothing against this plan, so that ${written} allows nothing. Take it away, so that it is not mistaken for a word about a later plan.`,
    because: [],
    concerns: [],
  };
}

/** The refusal of a plan by all the guards that have something against it. */
export function guardRefusal(plan: Plan, stops: readonly GuardViolation[]): GuardRefusal {
  const words = [...new Set(stops.map(({ allow }) => `--allow ${formatAllowance(allow)}`))].join(" ");
  return {
    code: "guard",
    message: `The plan is refused by ${joinList([...new Set(stops.map(({ guard }) => guard))])}, and nothing of it may be done`,
    hint: `Correct the roster; or, once you have read the plan and want just this, say \`${words}\`, or the same in ROSTER_ALLOW.`,
    plan,
    stops,
  };
}

/** What a person has allowed with `--allow`, compared with the plan that is asked for. */
interface Allowances {
  /** Whether the guard is to let this very plan pass. */
  allows(guard: GuardName): boolean;
  /** What to say so that it does. */
  allowanceFor(guard: GuardName): Allowance;
  /** A stop that nobody has allowed; it names an allowance for another plan. */
  refuse(stop: RaisedStop): GuardViolation;
  /** Allowances of guards that hold something, meant for other plans: the person who gave them has read another plan. */
  forOtherPlans(holding: ReadonlySet<GuardName>): readonly GuardViolation[];
  /** Allowances of guards that have nothing against the plan. */
  idle(withObjection: ReadonlySet<GuardName>): readonly Allowance[];
}

/** `plan` is the id of the plan before any guard, so that it is the same in each run of the same change. */
function allowancesFor(plan: string, { allowed }: Policy): Allowances {
  const allowanceFor = (guard: GuardName): Allowance => ({ guard, plan });
  const others = (guard: GuardName) => allowed.filter((one) => one.guard === guard && one.plan !== plan);
  const misfit = (guard: GuardName) => {
    const written = others(guard).map(formatAllowance).join(" and ");
    return `The allowance ${written} does not fit: it is for another plan, and this one is ${plan}.`;
  };
  return {
    allows: (guard) => allowed.some((one) => one.guard === guard && one.plan === plan),
    allowanceFor,
    refuse: ({ guard, message }) => ({
      guard,
      message: others(guard).length === 0 ? message : `${message} ${misfit(guard)}`,
      allow: allowanceFor(guard),
    }),
    forOtherPlans: (holding) =>
      [...holding].flatMap((guard) =>
        others(guard).length === 0 ? [] : [{ guard, message: misfit(guard), allow: allowanceFor(guard) }],
      ),
    idle: (withObjection) => allowed.filter(({ guard }) => !withObjection.has(guard)),
  };
}
