import type { Action, ReplaceRoles } from "../../model/action.ts";
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

function explained(action: Action, { actions }: Plan, person?: FoldedAddress): ActionExplained {
  const needing = actions.filter(({ dependsOn }) => dependsOn.includes(action.id));
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
