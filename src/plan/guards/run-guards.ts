import type { Action } from "../../model/action.ts";
import { allowableCodes, needsReason, type Objection } from "../../model/allowance.ts";
import type { GuardRefusal, GuardViolation, Plan, PlanRefusal } from "../../model/plan.ts";
import { guardNames, type HoldName } from "../../model/policy.ts";
import { type Result, success } from "../../model/result.ts";
import type { Roster } from "../../model/roster.ts";
import { formatSubject } from "../../model/subject.ts";
import { type PruneTarget, prune } from "../actions.ts";
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

/** What is left of a plan where holds have had their say. */
interface HeldPlan {
  readonly draft: PlanDraft;
  readonly actions: readonly Action[];
  readonly findings: readonly FindingDraft[];
}

/**
 * Lets holds check what is asked for. People that they keep from being created are left out before first members are chosen, so that others
 * take their places where they can. That may bring up other actions: these are checked as well, until nobody more is held.
 */
export function holdBack(
  unguarded: PlanDraft,
  planWithout: (held: HeldResources) => Result<PlanDraft, PlanRefusal>,
  context: PlanContext,
  keyInUse: string | undefined,
): Result<HeldPlan, PlanRefusal> {
  const raised = new Map<string, RaisedHold>();
  let draft = unguarded;
  let held = heldResources([]);
  for (;;) {
    const input = { ...draft, context, keyInUse };
    for (const { name, check } of holds) for (const hold of check(input)) raiseHold(raised, name, hold, context);
    const more = heldResources([...raised.values()]);
    if (countHeld(more) === countHeld(held)) break;
    held = more;
    const again = planWithout(held);
    if (!again.ok) return again;
    draft = again.value;
  }
  const inForce = [...raised.values()];
  const { actions, pruned } = prune(draft.actions, inForce.flatMap(pruneTargets));
  const findings = inForce.map((hold) =>
    holdFinding(hold, [...formatReserved(hold, draft, context.roster), ...formatDependents(hold, pruned)]),
  );
  return success({ draft, actions, findings: [...findings, ...draft.findings] });
}

/** Lets stops check what would be done in the end. Where they have anything against it, the plan must not be applied. */
export function checkStops(input: GuardInput): readonly GuardViolation[] {
  return stops.flatMap(({ name, check }) => {
    const stop = check(input);
    if (stop === undefined) return [];
    const { isAllowed, code } = input.context.allowances.ask({ of: name, subject: undefined, facts: stop.facts });
    return isAllowed ? [] : [{ code: name, message: stop.message, allow: code }];
  });
}

/** One hold that nobody has allowed. */
interface RaisedHold extends Hold {
  readonly guard: HoldName;
  readonly objections: readonly Objection[];
}

/** Each stands once by its guard and subject, however often it was raised. What is withheld grows; the message stays the first one. */
function raiseHold(raised: Map<string, RaisedHold>, guard: HoldName, hold: Hold, { allowances }: PlanContext): void {
  const of = allowableCodes.find((code) => code === guard);
  const objection = of === undefined ? undefined : { of, subject: hold.subject, facts: hold.facts };
  if (objection !== undefined && allowances.ask(objection).isAllowed) return;
  const key = `${guard} ${formatSubject(hold.subject)}`;
  const before = raised.get(key);
  raised.set(key, {
    ...(before ?? { guard, ...hold }),
    withholds: [...(before?.withholds ?? []), ...hold.withholds],
    objections: [...(before?.objections ?? []), ...(objection === undefined ? [] : [objection])],
  });
}

function heldResources(holds: readonly Hold[]): HeldResources {
  const withheld = holds.flatMap(({ withholds }) => withholds);
  return {
    people: new Set(withheld.flatMap((part) => (part.of === "person" ? [part.address] : []))),
    teams: new Set(withheld.flatMap((part) => (part.of === "team" ? [part.team] : []))),
    privileges: new Set(withheld.flatMap((part) => (part.of === "privilege" ? [part.place] : []))),
  };
}

/** What is held only grows. */
function countHeld({ people, teams, privileges }: HeldResources): number {
  return people.size + teams.size + privileges.size;
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
function holdFinding(hold: RaisedHold, waits: readonly string[]): FindingDraft {
  const { guard, withholds: _, facts: _facts, objections, message, ...rest } = hold;
  // Whatever is held was selected.
  return { code: guard, message: [message, ...waits].join(" "), ...rest, allow: objections, concerns: [] };
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

/** The refusal of a plan by all the guards that have something against it, and by codes that do not fit. */
export function guardRefusal(plan: Plan, stops: readonly GuardViolation[]): GuardRefusal {
  const codes = [...new Set(stops.flatMap(({ allow }) => allow ?? []))];
  const names = [...new Set(stops.map(({ code }) => code))];
  const guards = names.filter((code) => guardNames.some((name) => name === code));
  const isInDoubt = plan.findings.some(({ code }) => code === "service-reset");
  const why = isInDoubt
    ? "The service may have lost its data, so the plan cannot be applied"
    : guards.length === 0
      ? "An `--allow` code does not fit this plan, so it cannot be applied"
      : `The guard ${joinList(guards)} refuses the plan, so it cannot be applied`;
  const flags = [...codes.map((code) => `--allow ${code}`), ...(codes.some(needsReason) ? ["--reason TEXT"] : [])];
  const allowIt =
    codes.length === 0
      ? "Read the plan again, and pass the codes that it prints."
      : `${isInDoubt ? "Check the service" : "Correct the roster"}. If you have read the plan and want it, pass \`${flags.join(" ")}\`, or set ROSTER_ALLOW.`;
  return { code: "guard", message: why, hint: allowIt, plan, stops };
}
