import type { Acceptable, AcceptEntry } from "../model/accept.ts";
import type { Action, AddMembers, CreateUser, ReplaceRoles, TeamCreation } from "../model/action.ts";
import type { EmailKey } from "../model/address.ts";
import type { Allowance, AllowanceReason } from "../model/allowance.ts";
import type { Fact, Place, Reason } from "../model/fact.ts";
import { type Finding, findingClass } from "../model/finding.ts";
import {
  type CallEstimate,
  countPlan,
  type ForbiddenTargets,
  type NamesInCalls,
  type Plan,
  type PlanCounts,
} from "../model/plan.ts";
import type { Ownership, Profile, TeamKey } from "../model/recorded.ts";
import { type Basis, decodeSubject, formatSubject, type Subject } from "../model/subject.ts";
import { quoted } from "./document.ts";
import {
  type Codec,
  derived,
  fields,
  inline,
  type JsonObject,
  list,
  named,
  orNull,
  plain,
  roles,
  variants,
} from "./mapping.ts";

/** Whose something is, in every document. */
export const ownershipFields: Codec<Ownership, JsonObject> = fields<Ownership>({
  owner: plain,
  note: plain,
});

/** A document in which a plan was found valid. Other fields are of no concern here. */
export interface PlanFields extends JsonObject {
  readonly plan_id: string;
  readonly service: string;
  readonly actions: readonly { readonly id: string; readonly depends_on: readonly string[] }[];
  readonly users: readonly JsonObject[];
  readonly teams: readonly JsonObject[];
  readonly findings: readonly JsonObject[];
  readonly summary: { readonly calls: JsonObject };
  readonly forbids?: JsonObject;
  readonly allowed?: readonly Allowance[];
  readonly reason?: AllowanceReason;
}

/** Every field of a plan, under the published names. Nothing is lost: the document decodes to the same plan. */
export function encodePlan(plan: Plan): JsonObject {
  return {
    plan_id: plan.id,
    service: plan.service,
    actions: plan.actions.map(actionFields.encode),
    ...encodeNames(plan),
    findings: plan.findings.map(findingFields.encode),
    summary: planSummary(plan),
    ...(plan.forbids === undefined ? {} : { forbids: forbids.encode(plan.forbids) }),
    ...(plan.allowed === undefined ? {} : { allowed: plan.allowed.map((one) => ({ ...one })) }),
    ...(plan.reason === undefined ? {} : { reason: { ...plan.reason } }),
  };
}

/** How calls name people and teams. */
export function encodeNames({ users, teams }: NamesInCalls): JsonObject {
  return {
    users: [...users].map(([address, named]) => userInCalls.encode({ address, ...named })),
    teams: [...teams].map(([team, named]) => teamInCalls.encode({ team, ...named })),
  };
}

/** The plan that a valid document holds. */
export function decodePlan(document: PlanFields): Plan {
  return {
    id: document.plan_id,
    service: document.service,
    actions: document.actions.map(actionFields.decode),
    users: new Map(document.users.map(userInCalls.decode).map(({ address, ...named }) => [address, named])),
    teams: new Map(document.teams.map(teamInCalls.decode).map(({ team, ...named }) => [team, named])),
    findings: document.findings.map(findingFields.decode),
    calls: calls.decode(document.summary.calls),
    ...(document.forbids === undefined ? {} : { forbids: forbids.decode(document.forbids) }),
    ...(document.allowed === undefined ? {} : { allowed: document.allowed }),
    ...(document.reason === undefined ? {} : { reason: document.reason }),
  };
}

/** A plan in numbers, under the published names. */
export function planSummary(plan: Plan): JsonObject {
  return counts.encode(countPlan(plan));
}

/** Why the actions are no plan: they have names of their own and stand after what they depend on. */
export function actionOrderProblem({ actions }: Pick<PlanFields, "actions">): string | undefined {
  const before = new Set<string>();
  for (const { id, depends_on } of actions) {
    if (before.has(id)) return `it has two actions with the id ${quoted(id)}`;
    const missing = depends_on.find((dependency) => !before.has(dependency));
    if (missing !== undefined) return `its action ${quoted(id)} depends on ${quoted(missing)}, which is not before it`;
    before.add(id);
  }
  return undefined;
}

export const placeFields: Codec<Place, JsonObject> = fields({ file: plain, line: plain, column: plain });

export const reasonFields: Codec<Reason, JsonObject> = fields({
  file: plain,
  line: plain,
  column: plain,
  as: plain,
  name: plain,
  person: plain,
});

function factOf<T extends object | string>(value: Codec<T>): Codec<Fact<T>, JsonObject> {
  return variants<Fact<T>, "known">("known", {
    observed: fields({ known: plain, value, by: plain }),
    recorded: fields({ known: plain, value, at: plain }),
    declared: fields({ known: plain, value, place: placeFields }),
    unknown: fields({ known: plain, why: plain }),
  });
}

const textFact = factOf<string>(plain);

/** Written as text, which every version reads. */
const subject: Codec<Subject> = { encode: formatSubject, decode: (written) => decodeSubject(String(written)) };

export const basisFields: Codec<Basis, JsonObject> = fields({ about: subject, fact: inline(textFact) });

const userInCalls = fields<{ readonly address: EmailKey } & MapValue<Plan["users"]>>({
  address: plain,
  email: plain,
  identifier: textFact,
});

const teamInCalls = fields<{ readonly team: TeamKey } & MapValue<Plan["teams"]>>({
  team: plain,
  name: plain,
  account: plain,
  identifier: textFact,
});

type MapValue<M> = M extends ReadonlyMap<unknown, infer V> ? V : never;

const key = variants<ReplaceRoles["key"], "of">("of", {
  prefix: fields({ of: plain, prefix: textFact, address: plain, team: plain, own: plain }),
  "own-key": fields({ of: plain, address: plain }),
  "team-key": fields({ of: plain, address: plain, team: plain }),
});

const profileMembers = { firstName: plain, lastName: plain, title: plain, externalIdentifier: plain, source: plain };

export const profileFields: Codec<Profile, JsonObject> = fields(profileMembers);

const newUser: Codec<CreateUser["user"]> = fields({ email: plain, ...profileMembers });

const teamCreation: Codec<TeamCreation> = fields({
  team: plain,
  name: plain,
  admin: orNull(plain),
  accessKeyRoles: roles,
  temporaryRoles: roles,
});

const actionHead = {
  id: plain,
  kind: plain,
  rule: plain,
  because: list(reasonFields),
  dependsOn: plain,
};
const partTail = { restsOn: list(basisFields), ownership: ownershipFields };

export const actionFields = variants<Action, "kind">("kind", {
  "create-user": fields<CreateUser, "email">({
    ...actionHead,
    email: derived(({ user }) => user.email),
    address: plain,
    account: plain,
    user: newUser,
    formerly: plain,
    createsTeam: orNull(teamCreation),
    request: plain,
    ...partTail,
  }),
  "add-members": fields<AddMembers>({
    ...actionHead,
    team: plain,
    firstMember: plain,
    members: list(
      fields<AddMembers["members"][number]>({ address: plain, request: plain, ownership: ownershipFields }),
    ),
    ...partTail,
  }),
  "replace-roles": fields<ReplaceRoles>({
    ...actionHead,
    key,
    before: factOf(roles),
    roles,
    ifInexact: plain,
    request: plain,
    ...partTail,
  }),
});

const acceptEntry = { code: plain, reason: plain, until: plain, place: placeFields };

export const acceptEntryFields: Codec<AcceptEntry, JsonObject> = fields(acceptEntry);

export const acceptedFields: Codec<NonNullable<Acceptable["accepted"]>, JsonObject> = fields({
  ...acceptEntry,
  isOver: plain,
});

export const findingFields: Codec<Finding, JsonObject> = fields<Finding, "class">({
  class: derived(findingClass),
  kind: named("blocking", { encode: (kind) => kind === "task", decode: (written) => (written ? "task" : "notice") }),
  code: plain,
  fingerprint: plain,
  subject,
  roles,
  message: plain,
  because: list(reasonFields),
  ...partTail,
  suggestedYaml: plain,
  allow: plain,
  accept: fields({ code: plain, until: plain }),
  accepted: acceptedFields,
});

const calls: Codec<CallEstimate> = fields({ reads: plain, writes: plain, atMost: plain });

const counts: Codec<PlanCounts, JsonObject> = fields({
  createUsers: plain,
  createTeams: plain,
  addMembers: plain,
  replaceRoles: plain,
  mails: plain,
  calls,
  findings: plain,
  blockingFindings: plain,
});

const forbids: Codec<ForbiddenTargets> = fields({ keys: plain, people: plain });
