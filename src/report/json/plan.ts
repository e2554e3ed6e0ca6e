import type { Action, CreateUser, KeyRef, MemberRef, PersonRef, ReplaceRoles, TeamRef } from "../../model/action.ts";
import type { Fact, Place, Reason } from "../../model/fact.ts";
import type { Finding } from "../../model/finding.ts";
import { countPlan, type Plan } from "../../model/plan.ts";
import type { RequestDigest } from "../../model/refusal.ts";
import { type Basis, formatSubject } from "../../model/subject.ts";

/** A part of the JSON document. Fields that are `undefined` are left out when it is written. */
export type JsonPart = Readonly<Record<string, unknown>>;

/** Every field of a plan, under the published names. Nothing is lost: the document decodes to the same plan. */
export function planPart(plan: Plan): JsonPart {
  return {
    plan_id: plan.id,
    service: plan.service,
    actions: plan.actions.map(actionPart),
    findings: plan.findings.map(findingPart),
    summary: summaryPart(plan),
    forbids: plan.forbids && { keys: plan.forbids.keys, people: plan.forbids.people },
  };
}

export function findingPart(finding: Finding): JsonPart {
  return {
    class: finding.class,
    blocking: finding.blocking,
    code: finding.code,
    fingerprint: finding.fingerprint,
    subject: formatSubject(finding.subject),
    message: finding.message,
    because: finding.because.map(reasonPart),
    rests_on: finding.restsOn.map(basisPart),
    suggested_yaml: finding.suggestedYaml,
    allow: finding.allow,
  };
}

export function placePart({ file, line, column }: Place): JsonPart {
  return { file, line, column };
}

/** What an earlier version did not say stays unsaid, so that its plans stay the same text. */
export function reasonPart(reason: Reason): JsonPart {
  return { ...placePart(reason), as: unlessUnnamed(reason.as), name: reason.name, person: reason.person };
}

function unlessUnnamed(name: string): string | undefined {
  return name === "unnamed" ? undefined : name;
}

/** A plan in numbers, under the published names. */
export function summaryPart(plan: Plan): JsonPart {
  const counts = countPlan(plan);
  return {
    create_users: counts.createUsers,
    found_teams: counts.foundTeams,
    add_members: counts.addMembers,
    replace_roles: counts.replaceRoles,
    mails: counts.mails,
    calls: { reads: counts.calls.reads, writes: counts.calls.writes, at_most: counts.calls.atMost },
    findings: counts.findings,
    blocking_findings: counts.blockingFindings,
  };
}

export function actionPart(action: Action): JsonPart {
  return {
    id: action.id,
    kind: action.kind,
    rule: unlessUnnamed(action.rule),
    because: action.because.map(reasonPart),
    depends_on: action.dependsOn,
    ...kindPart(action),
    rests_on: action.restsOn.map(basisPart),
  };
}

function kindPart(action: Action): JsonPart {
  switch (action.kind) {
    case "create-user":
      return createUserPart(action);
    case "add-members":
      return { team: teamPart(action.team), members: action.members.map(memberPart), again: action.again };
    case "replace-roles":
      return replaceRolesPart(action);
  }
}

/** Written field by field, so that no order of fields can change the text. */
function requestPart(request: RequestDigest | undefined): JsonPart | undefined {
  return request === undefined ? undefined : { asks: request.asks, facts: request.facts };
}

function memberPart(member: MemberRef): JsonPart {
  return { ...personPart(member), request: requestPart(member.request) };
}

function createUserPart({ address, account, user, formerly, founds, request }: CreateUser): JsonPart {
  return {
    email: user.email,
    address,
    account,
    user: {
      email: user.email,
      first_name: user.firstName,
      last_name: user.lastName,
      title: user.title,
      external_identifier: user.externalIdentifier,
      source: user.source,
    },
    formerly,
    founds:
      founds === undefined
        ? null
        : {
            team: founds.team,
            name: founds.name,
            admin: founds.admin === undefined ? null : personPart(founds.admin),
            access_key_roles: founds.accessKeyRoles,
            grants_for_a_moment: founds.grantsForAMoment,
          },
    request: requestPart(request),
  };
}

function replaceRolesPart(action: ReplaceRoles): JsonPart {
  return {
    key: keyPart(action.key),
    owner: action.owner === undefined ? null : personPart(action.owner),
    before: factPart(action.before),
    roles: action.roles,
    unless_exact: action.unlessExact,
    request: requestPart(action.request),
  };
}

function keyPart(key: KeyRef): JsonPart {
  switch (key.of) {
    case "prefix":
      return {
        of: key.of,
        prefix: factPart(key.prefix),
        team: key.team === undefined ? null : teamPart(key.team),
        own: key.own,
      };
    case "own-key":
      return { of: key.of, address: key.address, given_by: key.givenBy };
    case "team-key":
      return { of: key.of, address: key.address, team: teamPart(key.team), given_by: key.givenBy };
  }
}

function personPart({ email, address, identifier, createdBy }: PersonRef): JsonPart {
  return { email, address, identifier: factPart(identifier), created_by: createdBy };
}

function teamPart({ team, name, account, identifier, foundedBy }: TeamRef): JsonPart {
  return { team, name, account, identifier: factPart(identifier), founded_by: foundedBy };
}

export function basisPart({ about, fact }: Basis): JsonPart {
  return { about: formatSubject(about), ...factPart(fact) };
}

function factPart<T>(fact: Fact<T>): JsonPart {
  switch (fact.known) {
    case "observed":
      return { known: fact.known, value: fact.value, by: fact.by };
    case "recorded":
      return { known: fact.known, value: fact.value, at: fact.at };
    case "declared":
      return { known: fact.known, value: fact.value, place: placePart(fact.place) };
    case "unknown":
      return { known: fact.known, why: fact.why };
  }
}
