import type { Action, ActionId, ReplaceRoles } from "../../model/action.ts";
import type { FoldedAddress } from "../../model/address.ts";
import type { Plan } from "../../model/plan.ts";
import type { Concern } from "./concerns.ts";
import type { ActionExplained, Thing, ThingExplained } from "./explanation.ts";

/** Of what a plan alone does not tell. */
export const nothingKnown = { roster: [], service: [], state: [], settled: [], unasked: [] } as const;

/** Nothing, where the plan has nothing about it. */
export function unlessEmpty(thing: ThingExplained): readonly ThingExplained[] {
  return thing.actions.length + thing.findings.length === 0 ? [] : [thing];
}

/** From where a plan comes. */
type Source = Pick<ThingExplained, "from" | "readings" | "refused">;

/** An action or a finding of a plan, by its name. */
export function explainPart(
  thing: Extract<Thing, { is: "action" | "finding" }>,
  plan: Plan,
  source: Source,
): readonly ThingExplained[] {
  const name = thing.is === "action" ? thing.id : thing.fingerprint;
  const actions = thing.is === "action" ? plan.actions.filter(({ id }) => id === thing.id) : [];
  const findings =
    thing.is === "finding" ? plan.findings.filter(({ fingerprint }) => fingerprint === thing.fingerprint) : [];
  const told = {
    ...nothingKnown,
    ...source,
    is: thing.is,
    name,
    plan,
    findings,
    actions: actions.map((action) => explained(action, plan)),
  };
  return unlessEmpty(told);
}

/** What a plan does and finds about something. */
export function planned(
  plan: Plan,
  concern: Concern,
  person?: FoldedAddress,
): Pick<ThingExplained, "plan" | "actions" | "findings"> {
  const actions = plan.actions.filter((action) => concern.action(action));
  return {
    plan,
    actions: actions.map((action) => explained(action, plan, person)),
    findings: plan.findings.filter((finding) => concern.finding(finding)),
  };
}

const waiting = new WeakMap<Plan, ReadonlyMap<ActionId, readonly Action[]>>();

/** Of each action, those that wait for it, in the order of the plan. Read once of a plan, however many are asked about. */
function waitingFor(plan: Plan): ReadonlyMap<ActionId, readonly Action[]> {
  const known = waiting.get(plan) ?? readWaiting(plan);
  waiting.set(plan, known);
  return known;
}

function readWaiting({ actions }: Plan): ReadonlyMap<ActionId, readonly Action[]> {
  const byNeeded = new Map<ActionId, Action[]>();
  for (const action of actions) {
    for (const id of new Set(action.dependsOn)) {
      const others = byNeeded.get(id);
      if (others === undefined) byNeeded.set(id, [action]);
      else others.push(action);
    }
  }
  return byNeeded;
}

function explained(action: Action, plan: Plan, person?: FoldedAddress): ActionExplained {
  const needing = waitingFor(plan).get(action.id) ?? [];
  if (person === undefined || action.kind !== "add-members") {
    return { action, waitsFor: action.dependsOn, neededBy: needing.map(({ id }) => id) };
  }
  const { createdBy } = action.members.find(({ address }) => address === person) ?? {};
  const waitsFor = action.dependsOn.filter((id) => id === action.team.foundedBy || id === createdBy);
  const theirs = needing.filter((one) => one.kind !== "replace-roles" || keyHolder(one) === person);
  return { action, person, waitsFor, neededBy: theirs.map(({ id }) => id) };
}

function keyHolder({ key, owner }: ReplaceRoles): FoldedAddress | undefined {
  return key.of === "prefix" ? owner?.address : key.address;
}
