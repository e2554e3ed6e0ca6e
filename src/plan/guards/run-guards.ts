import { type HoldName, holdNames, isHold, isStop, type StopName, stopNames } from "../../codes/guards.ts";
import { joinList, sentence } from "../../codes/message.ts";
import type { EmailKey } from "../../model/address.ts";
import { groupBy } from "../../model/collections.ts";
import { formatSubject } from "../../model/fact.ts";
import { type ActionId, type NamesInCalls, type Plan, teamOf } from "../../model/plan.ts";
import { allowableCodes, allowCommand, type Objection, type Policy } from "../../model/policy.ts";
import { type Result, success } from "../../model/result.ts";
import { membershipKeyOf } from "../../model/team.ts";
import type { TeamKey } from "../../model/values.ts";
import { type PruneTarget, prune } from "../actions.ts";
import type { GuardViolation } from "../allowances.ts";
import type { FindingDraft, HeldResources, PlanContext } from "../context.ts";
import type { FirstMembers } from "../first-members.ts";
import {
  allowedEmailDomains,
  emptyRoster,
  type GuardInput,
  type Hold,
  incompleteSnapshot,
  maxInvitations,
  maxNewUsers,
  maxRoleRemovals,
  minAdmins,
  nearDuplicate,
  ownKey,
  privilegedRoles,
  protectedResources,
  renamedTeam,
  requiredAdmins,
  type Stop,
} from "./guards.ts";

interface Refusal<Code extends string> {
  readonly code: Code;
  readonly message: string;
  readonly hint: string;
}

/** Of a selection that cannot be honoured without harm there is no plan. */
export type PlanRefusal = Refusal<"not-selected" | "unknown-selector"> | GuardRefusal;

/** Guards that stop have something against the plan, which is shown and not applied. */
interface GuardRefusal extends Refusal<"guard"> {
  readonly plan: Plan;
  /** Never empty. */
  readonly stops: readonly GuardViolation[];
}

/** Guards that block actions. Each of their holds is a finding of its own. */
const holds: Readonly<Record<HoldName, (input: GuardInput) => readonly Hold[]>> = {
  "allowed-email-domains": allowedEmailDomains,
  "near-duplicate": nearDuplicate,
  "privileged-roles": privilegedRoles,
  "own-key": ownKey,
  protected: protectedResources,
  "renamed-team": renamedTeam,
};

/** Guards that refuse the plan as a whole. */
const stops: Readonly<Record<StopName, (input: GuardInput) => Stop | undefined>> = {
  "max-new-users": maxNewUsers,
  "max-invitations": maxInvitations,
  "max-role-removals": maxRoleRemovals,
  "min-admins": minAdmins,
  "required-admins": requiredAdmins,
  "empty-roster": emptyRoster,
  "incomplete-snapshot": incompleteSnapshot,
};

/** All that the roster asks for and calls can do, apart from what guards hold already. */
export interface PlanDraft extends NamesInCalls, Pick<GuardInput, "actions" | "identities" | "knownKeys"> {
  readonly findings: readonly FindingDraft[];
  readonly firstMembers: FirstMembers;
}

/**
 * Lets holds check what is asked for. People that they keep from being created are left out before first members are chosen, so that others
 * take their places where they can. That may bring up other actions: these are checked as well, until nobody more is held.
 */
export function holdBack(
  unguarded: PlanDraft,
  planWithout: (held: HeldResources) => Result<PlanDraft, PlanRefusal>,
  context: PlanContext,
): Result<PlanDraft, PlanRefusal> {
  const raised = new Map<string, RaisedHold>();
  let draft = unguarded;
  for (let count = 0; ; ) {
    const input = { ...draft, context };
    for (const name of holdNames) for (const hold of holds[name](input)) raiseHold(raised, name, hold, context);
    const blocked = [...raised.values()].flatMap(({ blocks }) => blocks);
    const held: HeldResources = {
      people: new Set(blocked.flatMap((part) => (part.of === "person" ? part.address : []))),
      teams: new Set(blocked.flatMap((part) => (part.of === "team" ? part.team : []))),
      privileges: new Set(blocked.flatMap((part) => (part.of === "privilege" ? part.place : []))),
    };
    const more = held.people.size + held.teams.size + held.privileges.size;
    // What is held only grows.
    if (more === count) break;
    count = more;
    const again = planWithout(held);
    if (!again.ok) return again;
    draft = again.value;
  }
  if (raised.size === 0) return success(draft);
  const inForce = [...raised.values()];
  const targets = inForce.flatMap((cause) =>
    cause.blocks.flatMap((part) => (part.of === "part" ? { action: part.action, address: part.address, cause } : [])),
  );
  const { actions, pruned } = prune(draft.actions, targets);
  const fallen = groupBy(pruned, ({ cause }) => cause);
  const teamOfCall = new Map(unguarded.actions.map((action) => [action.id, teamOf(action)]));
  const heldTeams = inForce.flatMap((by) =>
    by.blocks.flatMap((part) => (part.of === "team" ? { team: part.team, by } : [])),
  );
  const findings = inForce.map((hold) => {
    const others = heldTeams.filter(
      ({ team, by }) => by !== hold && blocksIn(team, draft.firstMembers.reservedFor.get(team) ?? [], hold, teamOfCall),
    );
    return holdFinding(
      hold,
      fallen.get(hold) ?? [],
      [...new Set(others.map(({ by }) => `${by.guard} of ${formatSubject(by.subject)}`))],
      draft,
      context,
    );
  });
  return success({ ...draft, actions, findings: [...findings, ...draft.findings] });
}

/** Lets stops check what would be done in the end. Where they have anything against it, the plan must not be applied. */
export function checkStops(input: GuardInput): readonly GuardViolation[] {
  return stopNames.flatMap((name) => {
    const stop = stops[name](input);
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

/** Each stands once by its guard and subject, however often it was raised. What is blocked grows; the message stays the first one. */
function raiseHold(raised: Map<string, RaisedHold>, guard: HoldName, hold: Hold, { allowances }: PlanContext): void {
  const of = allowableCodes.find((code) => code === guard);
  const objection = of === undefined ? undefined : { of, subject: hold.subject, facts: hold.facts };
  if (objection !== undefined && allowances.ask(objection).isAllowed) return;
  const key = `${guard} ${formatSubject(hold.subject)}`;
  const before = raised.get(key);
  raised.set(key, {
    ...(before ?? { guard, ...hold }),
    blocks: [...(before?.blocks ?? []), ...hold.blocks],
    objections: [...(before?.objections ?? []), ...(objection === undefined ? [] : [objection])],
  });
}

/** The blocking finding of one hold: what it blocks and why, what waits with it, and that it can be allowed. `heldToo`: the other tasks that block its team. */
function holdFinding(
  { guard, blocks, facts: _, objections, message, allowAt: at, ...rest }: RaisedHold,
  pruned: readonly PruneTarget<RaisedHold>[],
  heldToo: readonly string[],
  { firstMembers }: PlanDraft,
  { roster: { users } }: PlanContext,
): FindingDraft {
  const first =
    at === undefined || heldToo.length === 0 ? "" : `${sentence("blocked-too", { tasks: heldToo, code: guard })} `;
  const sentences = [first === "" ? message : `${message.slice(0, at)}${first}${message.slice(at)}`];
  // People who are not created meanwhile, so that a team that is held can still be created.
  const waiting = blocks.flatMap((part) => (part.of === "team" ? part.team : []));
  const kept = waiting.flatMap((team) => firstMembers.reservedFor.get(team) ?? []);
  if (kept.length > 0) {
    const emails = [...new Set(kept)].map((address) => users.get(address)?.email ?? address);
    sentences.push(sentence("reserved", { emails }));
  }
  const meant = new Set(blocks.map((part) => (part.of === "part" ? targetName(part) : undefined)));
  const others = pruned.map(targetName).filter((name) => !meant.has(name));
  if (others.length > 0) sentences.push(sentence("waits", { actions: others }));
  // Whatever is held was selected.
  const allowAt = at === undefined ? undefined : first.length + at;
  return { code: guard, message: sentences.join(" "), allowAt, ...rest, allow: objections, concerns: [] };
}

/** Whether a hold blocks something in this team. `reserved`: the people who may have to create it. */
function blocksIn(
  team: TeamKey,
  reserved: readonly EmailKey[],
  { blocks, subject }: RaisedHold,
  teamOfCall: ReadonlyMap<ActionId, TeamKey | undefined>,
): boolean {
  return blocks.some((part) => {
    if (part.of === "part") return teamOfCall.get(part.action) === team;
    if (part.of === "person") return reserved.includes(part.address);
    return part.of === "privilege" && subject.kind === "user" && part.place === membershipKeyOf(team, subject.address);
  });
}

function targetName({ action, address }: Omit<PruneTarget<unknown>, "cause">): string {
  return address === undefined ? action : `${address} in ${action}`;
}

/** The refusal of a plan by all the guards that have something against it, and by codes that do not fit. */
export function guardRefusal(plan: Plan, stops: readonly GuardViolation[], policy: Policy): GuardRefusal {
  const codes = [...new Set(stops.flatMap(({ allow }) => allow ?? []))];
  const names = [...new Set(stops.map(({ code }) => code))];
  const guards = names.filter((code) => isHold(code) || isStop(code));
  const isInDoubt = plan.findings.some(({ code }) => code === "service-reset");
  const message = isInDoubt
    ? "The service may have lost its data, so roster does not apply the plan"
    : guards.length === 0
      ? "A code of `--allow` or ROSTER_ALLOW is wrong for this plan, so roster stops"
      : `The ${guards.length === 1 ? "guard" : "guards"} ${joinList(guards)} ${guards.length === 1 ? "refuses" : "refuse"} the plan, unless you allow it`;
  const all = [...(plan.allowed ?? []).map(({ code }) => code), ...codes];
  const command = allowCommand(all, policy);
  const [remedy, wish] = waysOut(names, isInDoubt ? "service" : "roster");
  const hint =
    codes.length === 0
      ? "Remove the wrong codes. If the plan prints codes, pass them whole, with the part after #."
      : `${remedy}. If ${wish}, ${policy.planAgain === undefined ? "pass" : "run"} \`${command}\`.${command.endsWith(asksForReason) ? " TEXT is your reason." : ""}`;
  return { code: "guard", message, hint, plan, stops };
}

const asksForReason = " --reason TEXT";

function waysOut(names: readonly string[], doubt: "service" | "roster"): readonly [remedy: string, wish: string] {
  if (names.join() === "empty-roster") return ["If a file is missing, restore it", "the roster must be empty"];
  const remedy = doubt === "service" ? "Check the service" : "If the plan is wrong, correct the roster";
  return [remedy, "you have read the plan and want it as it is"];
}
