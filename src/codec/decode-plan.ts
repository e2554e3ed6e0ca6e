import type {
  Action,
  CreateUser,
  Founding,
  KeyRef,
  MemberRef,
  NewUser,
  PersonRef,
  RuleName,
  TeamRef,
} from "../model/action.ts";
import type { FoldedAddress } from "../model/address.ts";
import type { Fact, Place, Reason, ReasonKind } from "../model/fact.ts";
import type { Finding, FindingCode } from "../model/finding.ts";
import type { ForbiddenTargets, Plan } from "../model/plan.ts";
import type { RequestDigest } from "../model/refusal.ts";
import { roleSet } from "../model/role-set.ts";
import { type Basis, decodeSubject } from "../model/subject.ts";
import type { TeamKey } from "../model/team.ts";
import { quoted } from "./document.ts";
import type {
  ActionCommonShape,
  ActionShape,
  BasisShape,
  CreateUserShape,
  FactShape,
  FindingShape,
  FoundingShape,
  KeyShape,
  MemberShape,
  PersonShape,
  PlanFields,
  ReasonShape,
  TeamShape,
} from "./plan-schema.ts";

/** The plan that a valid document holds. */
export function decodePlan(document: PlanFields): Plan {
  const { reads, writes, at_most: atMost } = document.summary.calls;
  return {
    id: document.plan_id,
    service: document.service,
    actions: document.actions.map(decodeAction),
    findings: document.findings.map(decodeFinding),
    calls: { reads, writes, atMost },
    ...(document.forbids === undefined ? {} : { forbids: decodeForbids(document.forbids) }),
  };
}

function decodeForbids({ keys, people }: NonNullable<PlanFields["forbids"]>): ForbiddenTargets {
  return { keys, people: people.map((address) => address as FoldedAddress) };
}

function decodeAction(shape: ActionShape): Action {
  switch (shape.kind) {
    case "create-user":
      return { kind: shape.kind, ...decodeCommon(shape), ...decodeCreateUser(shape) };
    case "add-members":
      return {
        kind: shape.kind,
        ...decodeCommon(shape),
        team: decodeTeam(shape.team),
        members: shape.members.map(decodeMember),
        ...(shape.again === undefined ? {} : { again: shape.again }),
      };
    case "replace-roles":
      return {
        kind: shape.kind,
        ...decodeCommon(shape),
        key: decodeKey(shape.key),
        ...(shape.owner === null ? {} : { owner: decodePerson(shape.owner) }),
        before: decodeFact(shape.before, roleSet),
        roles: roleSet(shape.roles),
        unlessExact: shape.unless_exact,
        ...decodeRequest(shape),
      };
  }
}

function decodeCommon(shape: ActionCommonShape): Pick<Action, "id" | "rule" | "because" | "dependsOn" | "restsOn"> {
  return {
    id: shape.id,
    // A newer minor version may know more rules; this one shows them as they are.
    rule: (shape.rule ?? "unnamed") as RuleName,
    because: shape.because.map(decodeReason),
    dependsOn: shape.depends_on,
    restsOn: shape.rests_on.map(decodeBasis),
  };
}

function decodeCreateUser(
  shape: CreateUserShape,
): Pick<CreateUser, "address" | "account" | "user" | "formerly" | "founds" | "request"> {
  return {
    address: shape.address as FoldedAddress,
    account: shape.account,
    user: decodeUser(shape.user),
    ...(shape.formerly === undefined ? {} : { formerly: shape.formerly.map((address) => address as FoldedAddress) }),
    ...(shape.founds === null ? {} : { founds: decodeFounding(shape.founds) }),
    ...decodeRequest(shape),
  };
}

function decodeUser(user: CreateUserShape["user"]): NewUser {
  return {
    email: user.email,
    firstName: user.first_name,
    lastName: user.last_name,
    ...(user.title === undefined ? {} : { title: user.title }),
    ...(user.external_identifier === undefined ? {} : { externalIdentifier: user.external_identifier }),
    ...(user.source === undefined ? {} : { source: user.source }),
  };
}

function decodeFounding(founds: FoundingShape): Founding {
  return {
    team: founds.team as TeamKey,
    name: founds.name,
    ...(founds.admin === null ? {} : { admin: decodePerson(founds.admin) }),
    accessKeyRoles: roleSet(founds.access_key_roles),
    grantsForAMoment: roleSet(founds.grants_for_a_moment),
  };
}

function decodeKey(key: KeyShape): KeyRef {
  switch (key.of) {
    case "prefix":
      return {
        of: key.of,
        prefix: decodeFact(key.prefix, identity),
        ...(key.team === null ? {} : { team: decodeTeam(key.team) }),
        ...(key.own === undefined ? {} : { own: key.own }),
      };
    case "own-key":
      return { of: key.of, address: key.address as FoldedAddress, givenBy: key.given_by };
    case "team-key":
      return {
        of: key.of,
        address: key.address as FoldedAddress,
        team: decodeTeam(key.team),
        givenBy: key.given_by,
      };
  }
}

function decodeMember(member: MemberShape): MemberRef {
  return { ...decodePerson(member), ...decodeRequest(member) };
}

function decodeRequest({ request }: { readonly request?: RequestDigest }): { readonly request?: RequestDigest } {
  if (request === undefined) return {};
  const { asks, facts } = request;
  return { request: { asks, ...(facts === undefined ? {} : { facts }) } };
}

function decodePerson(person: PersonShape): PersonRef {
  return {
    address: person.address as FoldedAddress,
    email: person.email,
    identifier: decodeFact(person.identifier, identity),
    ...(person.created_by === undefined ? {} : { createdBy: person.created_by }),
  };
}

function decodeTeam(team: TeamShape): TeamRef {
  return {
    team: team.team as TeamKey,
    name: team.name,
    account: team.account,
    identifier: decodeFact(team.identifier, identity),
    ...(team.founded_by === undefined ? {} : { foundedBy: team.founded_by }),
  };
}

function decodeFinding(finding: FindingShape): Finding {
  return {
    class: finding.class,
    blocking: finding.blocking,
    // A newer minor version may know more codes; this one shows them as they are.
    code: finding.code as FindingCode,
    fingerprint: finding.fingerprint,
    subject: decodeSubject(finding.subject),
    message: finding.message,
    because: finding.because.map(decodeReason),
    restsOn: finding.rests_on.map(decodeBasis),
    ...(finding.suggested_yaml === undefined ? {} : { suggestedYaml: finding.suggested_yaml }),
    ...(finding.allow === undefined ? {} : { allow: finding.allow }),
  };
}

function decodeBasis(basis: BasisShape): Basis {
  return { about: decodeSubject(basis.about), fact: decodeFact(basis, identity) };
}

function decodeFact<S, T>(fact: FactShape<S>, decodeValue: (value: S) => T): Fact<T> {
  switch (fact.known) {
    case "observed":
      return { known: fact.known, value: decodeValue(fact.value), by: fact.by };
    case "recorded":
      return { known: fact.known, value: decodeValue(fact.value), at: fact.at };
    case "declared":
      return { known: fact.known, value: decodeValue(fact.value), place: decodePlace(fact.place) };
    case "unknown":
      return { known: fact.known, why: fact.why };
  }
}

function decodePlace({ file, line, column }: Place): Place {
  return { file, line, column };
}

function decodeReason({ as = "unnamed", name, person, ...place }: ReasonShape): Reason {
  return {
    ...decodePlace(place),
    as: as as ReasonKind,
    ...(name === undefined ? {} : { name }),
    ...(person === undefined ? {} : { person: person as FoldedAddress }),
  };
}

function identity(text: string): string {
  return text;
}

/** Why the actions are no plan: they have names of their own and stand after what they depend on. */
export function actionOrderProblem(document: Pick<PlanFields, "actions">): string | undefined {
  const before = new Set<string>();
  for (const { id, depends_on } of document.actions) {
    if (before.has(id)) return `it has two actions with the id ${quoted(id)}`;
    const missing = depends_on.find((dependency) => !before.has(dependency));
    if (missing !== undefined) return `its action ${quoted(id)} depends on ${quoted(missing)}, which is not before it`;
    before.add(id);
  }
  return undefined;
}
