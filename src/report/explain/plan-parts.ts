import type { Action, ActionId, KeyRef, ReplaceRoles } from "../../model/action.ts";
import type { FoldedAddress } from "../../model/address.ts";
import { factValue, isSameReason, type Reason } from "../../model/fact.ts";
import type { Finding } from "../../model/finding.ts";
import type { Plan } from "../../model/plan.ts";
import { multimap } from "../../model/role-set.ts";
import { formatSubject, type Subject, subjectAddress, subjectPrefix, subjectTeam } from "../../model/subject.ts";
import { onceOfEach } from "../plan-names.ts";
import type { ExplainedAction, ExplainedTarget, ExplainTarget } from "./explanation.ts";

/** For what a plan alone does not hold. */
export const noStatements = { roster: [], service: [], state: [], settled: [], unasked: [] } as const;

/** Nothing, where the plan has nothing about it. */
export function unlessEmpty(thing: ExplainedTarget): readonly ExplainedTarget[] {
  return thing.actions.length + thing.findings.length === 0 ? [] : [thing];
}

/** From where a plan comes. */
export type ExplanationSource = Pick<ExplainedTarget, "from" | "readings" | "refused">;

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
  return unlessEmpty({
    ...noStatements,
    ...source,
    is: thing.is,
    name,
    plan,
    findings,
    actions: actions.map((action) => explainAction(action, plan)),
  });
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

/** Of each action, those that wait for it, in the order of the plan. */
const dependentsOf = onceOfEach(indexDependents);

function indexDependents({ actions }: Plan): ReadonlyMap<ActionId, readonly Action[]> {
  return multimap(actions.flatMap((action) => [...new Set(action.dependsOn)].map((id) => [id, action])));
}

export function explainAction(action: Action, plan: Plan, person?: FoldedAddress): ExplainedAction {
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

/** Whether an action or a finding is about something. */
interface PlanFilter {
  action(action: Action): boolean;
  finding(finding: Finding): boolean;
}

/** About a person: made, added, or given roles; or needed for it. */
export function personFilter(address: FoldedAddress, entry: Reason | undefined): PlanFilter {
  const isTheirs = (key: KeyRef) => key.of !== "prefix" && key.address === address;
  return {
    action(action) {
      switch (action.kind) {
        case "create-user":
          return action.address === address || action.founds?.admin?.address === address;
        case "add-members":
          return action.members.some((member) => member.address === address);
        case "replace-roles":
          return action.owner?.address === address || isTheirs(action.key);
      }
    },
    finding: ({ subject, because, restsOn }) =>
      subjectAddress(subject) === address ||
      because.some((link) => link.person === address || isEntry(link, entry)) ||
      restsOn.some(({ about }) => about.kind === "user" && about.address === address),
  };
}

/** About a team: founded, joined, or a key in it. */
export function teamFilter(team: string, entry: Reason | undefined): PlanFilter {
  return {
    action(action) {
      switch (action.kind) {
        case "create-user":
          return action.founds?.team === team;
        case "add-members":
          return action.team.team === team;
        case "replace-roles":
          return action.key.of !== "own-key" && action.key.team?.team === team;
      }
    },
    finding: ({ subject, because }) => subjectTeam(subject) === team || because.some((link) => isEntry(link, entry)),
  };
}

/** About a key: its roles. */
export function keyFilter(prefix: string): PlanFilter {
  return {
    action: (action) =>
      action.kind === "replace-roles" && action.key.of === "prefix" && factValue(action.key.prefix) === prefix,
    finding: ({ subject, restsOn }) =>
      subjectPrefix(subject) === prefix || restsOn.some(({ about }) => subjectPrefix(about) === prefix),
  };
}

/** About a role: given, taken, or named in a finding; and what keeps people from a role that the roster gives them. */
export function roleFilter(role: string, missing: readonly Subject[] = []): PlanFilter {
  const subjects = new Set(missing.map(formatSubject));
  return {
    action: (action) => roleEffect(action, role) !== undefined,
    finding: ({ subject, roles = [] }) => {
      const isOfRole = (subject.kind === "role" || subject.kind === "role-on-key") && subject.role === role;
      return isOfRole || roles.includes(role) || subjects.has(formatSubject(subject));
    },
  };
}

/** What an action does about a role, where it does anything. */
interface RoleEffect {
  readonly is: "gives" | "takes";
  /** Of the key, where it is known. */
  readonly prefix?: string;
}

/** Whether an action gives a role, if only for a moment as the creation of a team may, or takes it. */
export function roleEffect(action: Action, role: string): RoleEffect | undefined {
  switch (action.kind) {
    case "create-user": {
      const { accessKeyRoles = [], grantsForAMoment = [] } = action.founds ?? {};
      return accessKeyRoles.includes(role) || grantsForAMoment.includes(role) ? { is: "gives" } : undefined;
    }
    case "add-members":
      return undefined;
    case "replace-roles": {
      const { key, before, roles } = action;
      const prefix = key.of === "prefix" ? factValue(key.prefix) : undefined;
      const of = prefix === undefined ? {} : { prefix };
      const had = factValue(before)?.includes(role) === true;
      if (had === roles.includes(role)) return undefined;
      return { is: had ? "takes" : "gives", ...of };
    }
  }
}

function isEntry(link: Reason, entry: Reason | undefined): boolean {
  return entry !== undefined && isSameReason(link, entry);
}
