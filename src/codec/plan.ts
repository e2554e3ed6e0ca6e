import type { Action, ReplaceRoles } from "../model/action.ts";
import { definedFields } from "../model/collections.ts";
import type { Static, Written } from "../model/declare.ts";
import type { Fact, Place, Reason } from "../model/fact.ts";
import { type Finding, findingClass } from "../model/finding.ts";
import { countPlan, type NamesInCalls, type Plan } from "../model/plan.ts";
import type { Ownership, Profile } from "../model/recorded.ts";
import { roleSet } from "../model/role-set.ts";
import { type Basis, decodeSubject, formatSubject } from "../model/subject.ts";
import { quoted } from "./document.ts";
import type * as format from "./plan-format.ts";

type ActionDocument = Static<typeof format.action>;
type CreationDocument = Static<typeof format.createUser>;
type FindingDocument = Static<typeof format.finding>;
type BasisDocument = Static<typeof format.basis>;
type ProfileDocument = Static<typeof format.profile>;

/** Every field of a plan, under the published names. Nothing is lost: the document decodes to the same plan. */
export function encodePlan(plan: Plan): Written<format.PlanFields> {
  return {
    plan_id: plan.id,
    service: plan.service,
    actions: plan.actions.map(encodeAction),
    ...encodeNames(plan),
    findings: plan.findings.map(encodeFinding),
    summary: planSummary(plan),
    forbids: plan.forbids && forbidsOf(plan.forbids),
    allowed: plan.allowed,
    reason: plan.reason,
  };
}

/** The plan that a valid document holds. */
export function decodePlan(document: format.PlanFields): Plan {
  const { reads, writes, at_most } = document.summary.calls;
  return definedFields({
    id: document.plan_id,
    service: document.service,
    actions: document.actions.map(decodeAction),
    users: new Map(
      document.users.map(({ address, email, identifier }) => [address, { email, identifier: factOf(identifier) }]),
    ),
    teams: new Map(
      document.teams.map(({ team, name, account, identifier }) => [
        team,
        { name, account, identifier: factOf(identifier) },
      ]),
    ),
    findings: document.findings.map(decodeFinding),
    calls: { reads, writes, atMost: at_most },
    forbids: document.forbids && forbidsOf(document.forbids),
    allowed: document.allowed,
    reason: document.reason,
  });
}

/** How calls name people and teams. */
export function encodeNames({ users, teams }: NamesInCalls): Pick<format.PlanFields, "users" | "teams"> {
  return {
    users: [...users].map(([address, { email, identifier }]) => ({ address, email, identifier: factOf(identifier) })),
    teams: [...teams].map(([team, { name, account, identifier }]) => {
      return { team, name, account, identifier: factOf(identifier) };
    }),
  };
}

/** A plan in numbers, under the published names. */
export function planSummary(plan: Plan): format.PlanFields["summary"] {
  const { createUsers, createTeams, addMembers, replaceRoles, mails, calls, findings, blockingFindings } =
    countPlan(plan);
  return {
    create_users: createUsers,
    create_teams: createTeams,
    add_members: addMembers,
    replace_roles: replaceRoles,
    mails,
    calls: { reads: calls.reads, writes: calls.writes, at_most: calls.atMost },
    findings,
    blocking_findings: blockingFindings,
  };
}

/** Why the actions are no plan: they have names of their own and stand after what they depend on. */
export function actionOrderProblem({ actions }: Pick<format.PlanFields, "actions">): string | undefined {
  const before = new Set<string>();
  for (const { id, depends_on } of actions) {
    if (before.has(id)) return `it has two actions with the id ${quoted(id)}`;
    const missing = depends_on.find((dependency) => !before.has(dependency));
    if (missing !== undefined) return `its action ${quoted(id)} depends on ${quoted(missing)}, which is not before it`;
    before.add(id);
  }
  return undefined;
}

export function encodeAction(action: Action): Written<ActionDocument> {
  const { id, rule, dependsOn: depends_on } = action;
  const because = action.because.map(reasonOf);
  const tail = { rests_on: action.restsOn.map(encodeBasis), ownership: ownershipOf(action.ownership) };
  switch (action.kind) {
    case "create-user": {
      const { kind, address, account, user, formerly, createsTeam, request } = action;
      const { email } = user;
      const sent = { email, ...encodeProfile(user), first_name: user.firstName, last_name: user.lastName };
      const creates_team = createsTeam === undefined ? null : encodeTeamCreation(createsTeam);
      const own = { email, address, account, user: sent, formerly, creates_team, request };
      return { id, kind, rule, because, depends_on, ...own, ...tail };
    }
    case "add-members": {
      const { kind, team, firstMember: first_member } = action;
      const members = action.members.map(memberOf);
      return { id, kind, rule, because, depends_on, team, first_member, members, ...tail };
    }
    case "replace-roles": {
      const { kind, roles, ifInexact: if_inexact, request } = action;
      const own = { key: keyOf(action.key), before: factOf(action.before), roles, if_inexact, request };
      return { id, kind, rule, because, depends_on, ...own, ...tail };
    }
  }
}

function decodeAction(action: ActionDocument): Action {
  const { id, rule, depends_on: dependsOn } = action;
  const because = action.because.map(reasonOf);
  const tail = { restsOn: action.rests_on.map(decodeBasis), ownership: ownershipOf(action.ownership) };
  switch (action.kind) {
    case "create-user": {
      const { kind, address, account, formerly, creates_team, request, user } = action;
      const { email, first_name: firstName, last_name: lastName } = user;
      const sent = { email, ...decodeProfile(user), firstName, lastName };
      const createsTeam = creates_team === null ? undefined : decodeTeamCreation(creates_team);
      const own = { address, account, user: sent, formerly, createsTeam, request };
      return definedFields({ id, kind, rule, because, dependsOn, ...own, ...tail });
    }
    case "add-members": {
      const { kind, team, first_member: firstMember } = action;
      const members = action.members.map(memberOf);
      return definedFields({ id, kind, rule, because, dependsOn, team, firstMember, members, ...tail });
    }
    case "replace-roles": {
      const { kind, if_inexact: ifInexact, request } = action;
      const before = factOf(action.before);
      const sorted = before.known === "unknown" ? before : { ...before, value: roleSet(before.value) };
      const own = { key: keyOf(action.key), before: sorted, roles: roleSet(action.roles), ifInexact, request };
      return definedFields({ id, kind, rule, because, dependsOn, ...own, ...tail });
    }
  }
}

type TeamCreation = NonNullable<Extract<Action, { readonly kind: "create-user" }>["createsTeam"]>;
type TeamCreationDocument = NonNullable<CreationDocument["creates_team"]>;

function encodeTeamCreation({ team, name, admin, accessKeyRoles, temporaryRoles }: TeamCreation): TeamCreationDocument {
  return { team, name, admin: admin ?? null, access_key_roles: accessKeyRoles, temporary_roles: temporaryRoles };
}

function decodeTeamCreation({ team, name, admin, ...roles }: TeamCreationDocument): TeamCreation {
  const [accessKeyRoles, temporaryRoles] = [roleSet(roles.access_key_roles), roleSet(roles.temporary_roles)];
  return definedFields({ team, name, admin: admin ?? undefined, accessKeyRoles, temporaryRoles });
}

export function encodeFinding(finding: Finding): Written<FindingDocument> {
  const { code, fingerprint, roles, message, suggestedYaml, allow, accept, accepted } = finding;
  return {
    class: findingClass(finding),
    blocking: finding.kind === "task",
    code,
    fingerprint,
    subject: formatSubject(finding.subject),
    roles,
    message,
    because: finding.because.map(reasonOf),
    rests_on: finding.restsOn.map(encodeBasis),
    ownership: ownershipOf(finding.ownership),
    suggested_yaml: suggestedYaml,
    allow,
    accept: accept && { code: accept.code, until: accept.until },
    accepted: accepted && encodeAccepted(accepted),
  };
}

function decodeFinding(finding: FindingDocument): Finding {
  const { blocking, code, fingerprint, roles, message, suggested_yaml, allow, accept, accepted } = finding;
  return definedFields({
    kind: blocking ? "task" : "notice",
    code,
    fingerprint,
    subject: decodeSubject(finding.subject),
    roles: roles && roleSet(roles),
    message,
    because: finding.because.map(reasonOf),
    restsOn: finding.rests_on.map(decodeBasis),
    ownership: ownershipOf(finding.ownership),
    suggestedYaml: suggested_yaml,
    allow,
    accept: accept && { code: accept.code, until: accept.until },
    accepted: accepted && { ...acceptEntryOf(accepted), isOver: accepted.is_over },
  });
}

type AcceptEntry = Static<typeof format.acceptEntry>;

/** Without what else a document or a model has. */
export function acceptEntryOf({ code, reason, until, place }: AcceptEntry): AcceptEntry {
  return { code, reason, until, place: placeOf(place) };
}

export function encodeAccepted(accepted: NonNullable<Finding["accepted"]>): Static<typeof format.accepted> {
  return { ...acceptEntryOf(accepted), is_over: accepted.isOver };
}

export function placeOf({ file, line, column }: Place): Place {
  return { file, line, column };
}

export function reasonOf({ file, line, column, as, name, person }: Written<Reason>): Reason {
  return definedFields({ file, line, column, as, name, person });
}

export function ownershipOf(ownership: Written<Ownership> | undefined): Ownership | undefined {
  return ownership && definedFields({ owner: ownership.owner, note: ownership.note });
}

function factOf<T>(fact: Fact<T>): Fact<T> {
  const { known } = fact;
  switch (known) {
    case "observed":
      return { known, value: fact.value, by: fact.by };
    case "recorded":
      return { known, value: fact.value, at: fact.at };
    case "declared":
      return { known, value: fact.value, place: placeOf(fact.place) };
    case "unknown":
      return { known, why: fact.why };
  }
}

export function encodeBasis({ about, fact }: Basis): BasisDocument {
  return { about: formatSubject(about), ...factOf(fact) };
}

function decodeBasis({ about, ...fact }: BasisDocument): Basis {
  return { about: decodeSubject(about), fact: factOf(fact) };
}

function keyOf(key: ReplaceRoles["key"]): ReplaceRoles["key"] {
  switch (key.of) {
    case "prefix": {
      const { of, address, team, own } = key;
      return definedFields({ of, prefix: factOf(key.prefix), address, team, own });
    }
    case "own-key":
      return { of: key.of, address: key.address };
    case "team-key":
      return { of: key.of, address: key.address, team: key.team };
  }
}

type Member = Extract<Action, { readonly kind: "add-members" }>["members"][number];

function memberOf({ address, request, ownership }: Member): Member {
  return definedFields({ address, request, ownership: ownershipOf(ownership) });
}

function forbidsOf({ keys, people }: NonNullable<Plan["forbids"]>): NonNullable<Plan["forbids"]> {
  return { keys, people };
}

export function encodeProfile(profile: Profile): Written<ProfileDocument> {
  const { firstName, lastName, title, externalIdentifier, source } = profile;
  return { first_name: firstName, last_name: lastName, title, external_identifier: externalIdentifier, source };
}

function decodeProfile({ title, external_identifier, source }: Omit<ProfileDocument, "first_name" | "last_name">) {
  return definedFields({ title, externalIdentifier: external_identifier, source });
}
