import { type Action, type ActionId, creationId, peopleOf, teamOf } from "../../model/action.ts";
import type { EmailKey } from "../../model/address.ts";
import { groupBy, multimap } from "../../model/collections.ts";
import { factValue, isSameReason, type Place, type ReadName, type Reason } from "../../model/fact.ts";
import type { Finding } from "../../model/finding.ts";
import type { InSync, Plan } from "../../model/plan.ts";
import type { TeamKey } from "../../model/recorded.ts";
import type { Roster } from "../../model/roster.ts";
import type { ReadRecord, Snapshot } from "../../model/snapshot.ts";
import type { State } from "../../model/state.ts";
import { formatSubject, type Subject, subjectAddress, subjectPrefix, subjectTeam } from "../../model/subject.ts";
import type { CatalogueEntry } from "../codes/catalogue.ts";
import { onceOfEach } from "../document/actions.ts";

/** What `explain` shows. */
export type Explanation =
  | { readonly of: "codes"; readonly codes: readonly CatalogueEntry[]; readonly as: "whole" | "list" }
  | { readonly of: "things"; readonly things: readonly ExplainedTarget[] };

/** One sentence about a thing, and how it is context. */
export interface Statement {
  readonly says: string;
  /** Where the YAML says so. */
  readonly place?: Place;
  /** The chain that asks for it. */
  readonly because?: readonly Reason[];
  /** The read that showed it. */
  readonly by?: ReadName;
  /** ISO 8601, when it was recorded. */
  readonly at?: string;
}

/** All that is known of one thing. */
export interface ExplainedTarget {
  readonly is: ExplainTarget["is"];
  /** As a person would name it. */
  readonly name: string;
  readonly from: "the service" | "a saved plan";
  readonly roster: readonly Statement[];
  readonly service: readonly Statement[];
  readonly state: readonly Statement[];
  readonly actions: readonly ExplainedAction[];
  readonly findings: readonly Finding[];
  /** What is so already, so that nothing is done about it. */
  readonly inSync: readonly InSync[];
  /** What is there and nobody asked for. */
  readonly unasked: readonly Statement[];
  readonly plan: Plan;
  /** Why guards refuse the plan as a whole, where they do. */
  readonly refused?: string | undefined;
  readonly readings: ReadonlyMap<ReadName, ReadRecord>;
}

export interface ExplainedAction {
  readonly action: Action;
  /** Whose part of it is shown, where it is for several people. */
  readonly person?: EmailKey;
  /** Actions of the plan that it, or that part, waits for. */
  readonly waitsFor: readonly ActionId[];
  /** Actions of the plan that wait for it, or for that part. */
  readonly neededBy: readonly ActionId[];
}

/** What is asked about. */
export type ExplainTarget =
  | { readonly is: "user"; readonly address: EmailKey }
  | { readonly is: "team"; readonly written: string }
  | { readonly is: "key"; readonly prefix: string }
  | { readonly is: "role"; readonly role: string }
  | { readonly is: "action"; readonly id: ActionId }
  | { readonly is: "finding"; readonly fingerprint: string };

/** A team as the roster, the state, a key or a plan names it. */
export interface ExplainedTeam {
  readonly key: TeamKey;
  readonly name: string;
  readonly identifier?: string | undefined;
}

/** All that is context, where the service was read. */
export interface ExplainContext {
  readonly roster: Roster;
  readonly snapshot: Snapshot;
  readonly state: State;
  readonly plan: Plan;
  readonly inSync: readonly InSync[];
  /** Why guards refuse the plan as a whole, where they do. */
  readonly refused?: string | undefined;
}

/** For what a plan alone does not hold. */
export const noStatements = { roster: [], service: [], state: [], inSync: [], unasked: [] } as const;

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
  person?: EmailKey,
): Pick<ExplainedTarget, "plan" | "actions" | "findings"> {
  const actions = plan.actions.filter((action) => concern.action(action));
  return {
    plan,
    actions: actions.map((action) => explainAction(action, plan, person)),
    findings: plan.findings.filter((finding) => concern.finding(finding)),
  };
}

/** Of each action, those that wait for it, in the order of the plan. */
const dependentsOf = onceOfEach(({ actions }: Plan) =>
  multimap(actions.flatMap((action) => [...new Set(action.dependsOn)].map((id) => [id, action] as const))),
);

/** An action can be for thousands of people, each of whom is explained. */
const placesOf = onceOfEach((ids: readonly ActionId[]) => new Map(ids.map((id, index) => [id, index])));

const replacementsOf = onceOfEach((actions: readonly Action[]) => ({
  others: actions.filter(({ kind }) => kind !== "replace-roles"),
  own: groupBy(actions, (action) => (action.kind === "replace-roles" ? action.key.address : undefined)),
}));

export function explainAction(action: Action, plan: Plan, person?: EmailKey): ExplainedAction {
  const needing = dependentsOf(plan).get(action.id) ?? [];
  if (person === undefined || action.kind !== "add-members") {
    return { action, waitsFor: action.dependsOn, neededBy: needing.map(({ id }) => id) };
  }
  const places = placesOf(action.dependsOn);
  const placeOf = (id: ActionId) => places.get(id) ?? -1;
  const needed = [...new Set([...[action.firstMember ?? []].flat(), person].map(creationId))];
  const waitsFor = needed.filter((id) => places.has(id)).sort((one, other) => placeOf(one) - placeOf(other));
  const { others, own } = replacementsOf(needing);
  const neededBy = [...others, ...(own.get(person) ?? [])].map(({ id }) => id);
  return { action, person, waitsFor, neededBy };
}

/** Whether an action or a finding is about something. */
interface PlanFilter {
  action(action: Action): boolean;
  finding(finding: Finding): boolean;
}

/** About a person: made, added, or given roles; or needed for it. */
export function personFilter(address: EmailKey, entry: Reason | undefined): PlanFilter {
  return {
    action: (action) => peopleOf(action).includes(address),
    finding: ({ subject, because, restsOn }) =>
      subjectAddress(subject) === address ||
      because.some((link) => link.person === address || isEntry(link, entry)) ||
      restsOn.some(({ about }) => about.kind === "user" && about.address === address),
  };
}

/** About a team: created, joined, or a key in it. */
export function teamFilter(team: string, entry: Reason | undefined): PlanFilter {
  return {
    action: (action) => teamOf(action) === team,
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
      const { accessKeyRoles = [], temporaryRoles = [] } = action.createsTeam ?? {};
      return accessKeyRoles.includes(role) || temporaryRoles.includes(role) ? { is: "gives" } : undefined;
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
