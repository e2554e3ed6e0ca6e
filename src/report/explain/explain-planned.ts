import type { Action, ActionId, ReplaceRoles } from "../../model/action.ts";
import type { FoldedAddress } from "../../model/address.ts";
import type { Plan } from "../../model/plan.ts";
import type { PlanFilter } from "./concerns.ts";
import type { ExplainedAction, ExplainedTarget, ExplainTarget } from "./explanation.ts";

/** Of what a plan alone does not tell. */
export const noStatements = { roster: [], service: [], state: [], settled: [], unasked: [] } as const;

/** Nothing, where the plan has nothing about it. */
export function unlessEmpty(thing: ExplainedTarget): readonly ExplainedTarget[] {
  return thing.actions.length + thing.findings.length === 0 ? [] : [thing];
}

/** From where a plan comes. */
type ExplanationSource = Pick<ExplainedTarget, "from" | "readings" | "refused">;

/** An action or a finding of a plan, by its name. */
export function explainPlanPart(
  thing: Extract<ExplainTarget, { is: "action" | "finding" }>,
  plan: Plan,
  source: ExplanationSource,
): readonly ExplainedTarget[] {
  const name = thing.is === "action" ? thing.id : thing.fingerprint;
  const actions = thing.is === "action" ? plan.actions.filter(({ id }) => id === thing.id) : [];
  const findings =
    thing.is === "finding" ? plan.findings.filter(({ fingerprint }) => fingerprint === thing.fingerprint) : [];
  const told = {
    ...noStatements,
    ...source,
    is: thing.is,
    name,
    plan,
    findings,
    actions: actions.map((action) => explainAction(action, plan)),
  };
  return unlessEmpty(told);
}

/** What a plan does and finds about something. */
export function planPartsAbout(
  plan: Plan,
  concern: PlanFilter,
  person?: FoldedAddress,
): Pick<ExplainedTarget, "plan" | "actions" | "findings"> {
  const actions = plan.actions.filter((action) => concern.action(action));
  return {
    plan,
    actions: actions.map((action) => explainAction(action, plan, person)),
    findings: plan.findings.filter((finding) => concern.finding(finding)),
  };
}

const dependentsByPlan = new WeakMap<Plan, ReadonlyMap<ActionId, readonly Action[]>>();

/** Of each action, those that wait for it, in the order of the plan. Read once of a plan, however many are asked about. */
function dependentsOf(plan: Plan): ReadonlyMap<ActionId, readonly Action[]> {
  const known = dependentsByPlan.get(plan) ?? indexDependents(plan);
  dependentsByPlan.set(plan, known);
  return known;
}

function indexDependents({ actions }: Plan): ReadonlyMap<ActionId, readonly Action[]> {
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

function explainAction(action: Action, plan: Plan, person?: FoldedAddress): ExplainedAction {
  const needing = dependentsOf(plan).get(action.id) ?? [];
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
