import type { Action } from "../../model/action.ts";
import type { GuardRefusal, GuardViolation, Plan, PlanRefusal } from "../../model/plan.ts";
import { type Allowance, formatAllowance, type GuardName, type HoldName, type Policy } from "../../model/policy.ts";
import { type Result, success } from "../../model/result.ts";
import { formatSubject } from "../../model/subject.ts";
import { type PruneTarget, planId, prune } from "../actions.ts";
import type { HeldResources, PlanContext } from "../context.ts";
import { draftPlan, type PlanDraft } from "../draft-plan.ts";
import { type FindingDraft, joinList, truncateList } from "../finding-draft.ts";
import type { Selection } from "../selection.ts";
import { holds, stops } from "./guard-registry.ts";
import type { GuardInput, Hold } from "./guard-types.ts";

/** What is left of a plan, and what guards have to say. */
interface GuardedPlan {
  readonly actions: readonly Action[];
  readonly findings: readonly FindingDraft[];
  /** Where there are any, the plan must not be applied. */
  readonly stops: readonly GuardViolation[];
}

/** Lets every guard look at the plan: holds at all that is asked for, stops at what would be done in the end. */
export function guardPlan(
  context: PlanContext,
  selection: Selection,
  keyInUse: string | undefined,
): Result<GuardedPlan, PlanRefusal> {
  const asked = draftPlan(context, selection);
  if (!asked.ok) return asked;
  const id = planId(context.snapshot.service, asked.value.actions, context.digest);
  const allowances = allowancesFor(id, context.policy);
  const settled = settleHolds(asked.value, { context, selection, keyInUse, allowances });
  if (!settled.ok) return settled;

  const { drafted, spoken } = settled.value;
  const holding = [...spoken.values()].filter(({ guard }) => !allowances.lets(guard));
  const { actions, pruned } = prune(drafted.actions, holding.flatMap(pruneTargets));
  const input = guardInput({ ...drafted, actions }, context, keyInUse);
  const objections = stops.flatMap(({ name: guard, check }) => {
    const message = check(input);
    return message === undefined ? [] : [{ guard, message }];
  });
  const heard = new Set<GuardName>([...spoken.values(), ...objections].map(({ guard }) => guard));
  return success({
    actions,
    findings: [
      ...holding.map((hold) => reportHold(hold, { allowances, pruned, drafted, context })),
      ...drafted.findings,
      ...allowances.idle(heard).map(reportIdleAllowance),
    ],
    stops: [
      ...objections.filter(({ guard }) => !allowances.lets(guard)).map((stop) => allowances.refuse(stop)),
      ...allowances.misfits(new Set(holding.map(({ guard }) => guard))),
    ],
  });
}

interface HoldInput {
  readonly context: PlanContext;
  readonly selection: Selection;
  readonly keyInUse: string | undefined;
  readonly allowances: Allowances;
}

/**
 * Whom holds keep from being created is left out before founders are chosen, so that others take their places where they
 * can. That may bring up other actions: these are looked at as well, until nobody more is held.
 */
function settleHolds(
  asked: PlanDraft,
  { context, selection, keyInUse, allowances }: HoldInput,
): Result<{ readonly drafted: PlanDraft; readonly spoken: RaisedHolds }, PlanRefusal> {
  let drafted = asked;
  let spoken = noHolds;
  let { held } = context;
  for (;;) {
    const input = guardInput(drafted, context, keyInUse);
    for (const { name, check } of holds) spoken = spoken.with(name, check(input));
    const more = heldResources([...spoken.values()].filter(({ guard }) => !allowances.lets(guard)));
    if (!holdsMore(more, held)) return success({ drafted, spoken });
    held = more;
    const again = draftPlan({ ...context, held }, selection);
    if (!again.ok) return again;
    drafted = again.value;
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

/** One hold, and the guard that speaks it. */
interface RaisedHold extends Hold {
  readonly guard: HoldName;
}

/** Holds by their guard and subject, each once however often it was spoken, in the order of the first time. */
interface RaisedHolds {
  values(): Iterable<RaisedHold>;
  /** What is withheld grows; what is said stays as it was said first. */
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

interface HoldReportInput {
  readonly allowances: Allowances;
  readonly pruned: readonly PruneTarget<RaisedHold>[];
  readonly drafted: PlanDraft;
  readonly context: PlanContext;
}

/** The blocking finding of one hold: what it has against whom, what waits with it, and how to let it pass. */
function reportHold(hold: RaisedHold, input: HoldReportInput): FindingDraft {
  const { guard, withholds: _, message, ...rest } = hold;
  const word = formatAllowance(input.allowances.word(guard));
  const parts = [message, ...formatReserved(hold, input), ...formatDependents(hold, input)];
  const text = `${parts.join(" ")} To let this very plan pass, say \`--allow ${word}\`.`;
  // Whatever is held was selected.
  return { code: guard, message: text, ...rest, allow: [word], concerns: [] };
}

/** People who are not created meanwhile, so that a team that is held can still be founded. */
function formatReserved(hold: RaisedHold, { drafted, context }: HoldReportInput): readonly string[] {
  const teams = hold.withholds.flatMap((part) => (part.of === "team" ? [part.team] : []));
  const kept = new Set(teams.flatMap((team) => drafted.founders.reservedFor.get(team) ?? []));
  if (kept.size === 0) return [];
  const emails = [...kept].map((address) => context.roster.users.get(address)?.email ?? address);
  return [
    `Until then ${truncateList(emails)} ${kept.size === 1 ? "is" : "are"} not created, so that it can still be founded.`,
  ];
}

/** Actions that depend on what is held. */
function formatDependents(hold: RaisedHold, { pruned }: HoldReportInput): readonly string[] {
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

/** A person's words that guards let a plan pass, held against the plan that is asked for. */
interface Allowances {
  /** Whether the guard was told to let this very plan pass. */
  lets(guard: GuardName): boolean;
  /** What to say so that it does. */
  word(guard: GuardName): Allowance;
  /** A stop that nobody has allowed; an allowance for another plan is told with it. */
  refuse(stop: { readonly guard: GuardName; readonly message: string }): GuardViolation;
  /** Allowances of guards that hold something, meant for other plans: whoever gave them has read another plan. */
  misfits(holding: ReadonlySet<GuardName>): readonly GuardViolation[];
  /** Allowances of guards that have nothing against the plan. */
  idle(heard: ReadonlySet<GuardName>): readonly Allowance[];
}

/** `plan` is the id of the plan before any guard, so that it is the same in each run of the same change. */
function allowancesFor(plan: string, { allowed }: Policy): Allowances {
  const lets = (guard: GuardName) => allowed.some((one) => one.guard === guard && one.plan === plan);
  const word = (guard: GuardName): Allowance => ({ guard, plan });
  const others = (guard: GuardName) => allowed.filter((one) => one.guard === guard && one.plan !== plan);
  const misfit = (guard: GuardName) => {
    const written = others(guard).map(formatAllowance).join(" and ");
    return `The allowance ${written} does not fit: it is for another plan, and this one is ${plan}.`;
  };
  return {
    lets,
    word,
    refuse: ({ guard, message }) => ({
      guard,
      message: others(guard).length === 0 ? message : `${message} ${misfit(guard)}`,
      allow: word(guard),
    }),
    misfits: (holding) =>
      [...holding].flatMap((guard) =>
        others(guard).length === 0 ? [] : [{ guard, message: misfit(guard), allow: word(guard) }],
      ),
    idle: (heard) => allowed.filter(({ guard }) => !heard.has(guard)),
  };
}
