import type { FindingCode } from "../codes/findings.ts";
import type { EmailKey } from "./address.ts";
import * as t from "./declare.ts";
import { basis, because, factOf, foldedAddress, knownOf, type OwnedThing, openEnum, subject } from "./fact.ts";
import {
  type AcceptEntry,
  acceptable,
  type Finding,
  type FindingClass,
  finding,
  findingClasses,
  isAccepted,
  isOpenProblem,
  outsideChange,
} from "./finding.ts";
import type { AccountStatus } from "./key.ts";
import { allowance, allowanceReason } from "./state.ts";
import {
  address,
  declaredOwnership,
  type Ownership,
  profileFields,
  type RoleSet,
  roleList,
  roleSet,
  rolesWithout,
  type TeamKey,
  text,
} from "./values.ts";

export type RuleName = (typeof ruleNames)[number];
const ruleNames = [
  "absent-user",
  "recreated-user",
  "creates-team",
  "missing-member",
  "joins-new-team",
  "roles-differ",
  "roles-unknown",
  "roles-of-new-key",
  "roles-of-first-member",
  "leaver-roles-removed",
  "extra-member-roles-removed",
] as const;

const known = "Only what was observed in this run can drift.";
export const foldedTeam = t.typed<TeamKey>(
  t.string("The team's sameness in a roster: its account and its folded name."),
);
export const textFact = t.described(factOf(text), `A text and how it is known. ${known}`);
export const knownText = t.described(knownOf(text), "A text that is known, and how.");
export const rolesFact = t.described(factOf(roleList), `A set of roles and how it is known. ${known}`);
const request = t.string(
  "Identifies a refusal: a digest of the request and of what was seen of its users, team or key. Absent if the plan itself creates one of them.",
);
const restsOn = t.list(basis, "The facts it rests on.");
const actionTail = { restsOn, ownership: t.optional(declaredOwnership) };

export type ActionId = string;

const actionHead = {
  id: t.string(
    "Readable, unique in the plan and the same for the same change, such as `create-user:ada@acme.example`.",
  ),
  rule: openEnum(ruleNames, "By which rule it was planned:"),
  because,
  dependsOn: t.list(text, "The actions that must have ended before this one starts. Each stands earlier in the list."),
};
export type CreateUser = t.Static<typeof createUser>;
export const createUser = t.object("Creates a user, and with the user a team where `creates_team` is not null.", {
  kind: t.literal("create-user"),
  ...actionHead,
  address: foldedAddress,
  account: t.string("The account in which the user is created."),
  user: t.object("The fields as they are sent.", { email: text, ...profileFields, firstName: text, lastName: text }),
  formerly: t.optional(
    t.list(foldedAddress, "Former addresses of this user, proven to be unused. Absent without former addresses."),
  ),
  createsTeam: t.nullable(
    t.object("The team that is created with the user, or null.", {
      team: foldedTeam,
      name: text,
      admin: t.nullable(
        t.described(foldedAddress, "The administrator, or null where the new user administers the team."),
      ),
      // Without roles the service grants ACCOUNT_ADMIN.
      accessKeyRoles: t.described(roleList, "Roles requested for the first member's team key. Never empty."),
      temporaryRoles: t.described(
        roleList,
        "Privileged roles that the first member's key carries until its roles are made exact.",
      ),
    }),
  ),
  request: t.optional(request),
  ...actionTail,
});

export type AddMembers = t.Static<typeof addMembers>;
export const addMembers = t.object("Adds people to a team. Each of them gets a mail.", {
  kind: t.literal("add-members"),
  ...actionHead,
  team: foldedTeam,
  firstMember: t.optional(foldedAddress, "Its first member, if this plan creates the team. Absent if the team exists."),
  members: t.list(
    t.object({ address: foldedAddress, request: t.optional(request), ownership: t.optional(declaredOwnership) }),
  ),
  ...actionTail,
});

export type ReplaceRoles = t.Static<typeof replaceRoles>;
export const replaceRoles = t.object("Replaces the roles of a key.", {
  kind: t.literal("replace-roles"),
  ...actionHead,
  key: t.described(
    t.anyOf(
      t.object("A key that exists.", {
        of: t.literal("prefix"),
        prefix: knownText,
        address: t.optional(foldedAddress, "The user who has the key. Absent if that is not known."),
        team: t.optional(foldedTeam, "Absent of a key without a team."),
        own: t.optional(
          t.literal(true),
          "Known to be the owner's own key, where the roster does not ask for it as that: a leaver's. Otherwise absent.",
        ),
      }),
      t.object("The user's own key that a creation gives.", { of: t.literal("own-key"), address: foldedAddress }),
      t.object("The team key that a creation or an addition gives.", {
        of: t.literal("team-key"),
        address: foldedAddress,
        team: foldedTeam,
      }),
    ),
    "By its prefix, or as what the action in `depends_on` gives.",
  ),
  before: t.described(rolesFact, "The roles that the key had when the plan was made."),
  roles: t.described(roleList, "The roles that the key gets, exactly."),
  ifInexact: t.boolean("True where the call is not sent if the key turns out to have exactly these roles."),
  request: t.optional(request),
  ...actionTail,
});

export type Action = CreateUser | AddMembers | ReplaceRoles;
export const action: t.Schema<Action> = t.anyOf(createUser, addMembers, replaceRoles);

export function creationId(address: EmailKey): ActionId {
  return `create-user:${address}`;
}

export function prefixOf({ key }: ReplaceRoles): string | undefined {
  return key.of === "prefix" ? key.prefix.value : undefined;
}

/** The action that gives the key; undefined where it is there already. */
export function giverOf({ key, dependsOn }: ReplaceRoles): ActionId | undefined {
  return key.of === "prefix" ? undefined : dependsOn[0];
}

export function peopleOf(action: Action): readonly EmailKey[] {
  switch (action.kind) {
    case "create-user":
      return [action.address, ...[action.createsTeam?.admin ?? []].flat()];
    case "add-members":
      return action.members.map(({ address }) => address);
    case "replace-roles":
      return [action.key.address ?? []].flat();
  }
}

export function teamOf(action: Action): TeamKey | undefined {
  switch (action.kind) {
    case "create-user":
      return action.createsTeam?.team;
    case "add-members":
      return action.team;
    case "replace-roles":
      return action.key.of === "own-key" ? undefined : action.key.team;
  }
}

/** Where it is not read what a key carries, it loses every privileged role, unless it keeps one. */
export function lostRoles({ before, roles }: ReplaceRoles, privileged: RoleSet): RoleSet {
  if (before.known === "observed") return rolesWithout(before.value, roles).filter((role) => privileged.includes(role));
  return roles.some((role) => privileged.includes(role)) ? [] : privileged;
}

/** Another action, or the part of it that is one person's, without which an action cannot be done. */
export interface Dependency {
  readonly action: ActionId;
  /** Only of a replacement: whose key the other action gives. */
  readonly person?: EmailKey | undefined;
}

/** What an action needs as a whole. What one person of an addition needs is not among it: only that person falls away. */
export function dependenciesOf(action: Action): readonly Dependency[] {
  switch (action.kind) {
    case "create-user":
      return action.dependsOn.map((id) => ({ action: id }));
    case "add-members":
      return action.firstMember === undefined ? [] : [{ action: creationId(action.firstMember) }];
    case "replace-roles": {
      const [giver, person] = [giverOf(action), action.key.address];
      return giver === undefined || person === undefined ? [] : [{ action: giver, person }];
    }
  }
}

export function ownershipOfPart(action: Action, person: EmailKey | undefined): Ownership | undefined {
  if (action.kind !== "add-members") return action.ownership;
  return action.members.find(({ address }) => address === person)?.ownership;
}

const userInCalls = t.object("How calls name a user.", {
  email: t.string("The address as it is sent."),
  identifier: t.described(
    textFact,
    "The service's identifier of the person. Where it is not known, the address is sent.",
  ),
});
const teamInCalls = t.object("How calls name a team.", {
  name: text,
  account: text,
  identifier: t.described(textFact, "The service's identifier of the team."),
});

export type PlanCounts = t.Static<typeof summary>;
export const summary = t.object("The plan in numbers.", {
  createUsers: t.count(),
  createTeams: t.count("Creations that create a team too."),
  addMembers: t.count("Teams that gain members."),
  replaceRoles: t.count("Keys that get other roles."),
  mails: t.count("People times teams that they are added to: the only mails that the interface shows."),
  calls: t.object("Requests.", {
    reads: t.count("Requests that reading for this plan took."),
    writes: t.count("Writes that will be sent if every answer is as asked."),
    atMost: t.count("The maximum number of writes."),
  }),
  findings: t.count(),
  blockingFindings: t.count(),
});

export type RosterCounts = t.Static<typeof rosterCounts>;
export const rosterCounts = t.object({
  files: t.count(),
  users: t.count(),
  leavers: t.count("One for each address of a user whose `until` has come."),
  teams: t.count(),
  keys: t.count("Keys managed by prefix."),
});

export const planFields = {
  planId: t.string(
    "Digest of the planned changes. The same changes have the same id, at any time and in any order of reads.",
  ),
  service: t.string("The base address of the service that the plan is for."),
  summary,
  actions: t.list(action, "What an apply would do, in an order that respects every dependency."),
  users: t.named(
    "address",
    foldedAddress,
    userInCalls,
    "The users of the actions. Actions name them by their addresses.",
  ),
  teams: t.named("team", foldedTeam, teamInCalls, "The teams of the actions."),
  findings: t.list(finding, "Tasks and notices."),
  forbids: t.optional(
    t.object(
      "Keys and people that guards forbid: calls about keys that only a run learns are judged by it. Absent where nothing is forbidden.",
      {
        keys: t.list(t.string({ minLength: 1 }), "Prefixes."),
        people: t.list(t.inPlace(address), "Folded addresses."),
      },
    ),
  ),
  allowed: t.optional(
    t.list(t.inPlace(allowance), "What a person has allowed of this plan. Absent where nothing was allowed."),
  ),
  reason: t.optional(t.inPlace(allowanceReason)),
};

export type PlanFields = t.ObjectOf<typeof planFields>;

/** What `apply` would do, in an order that respects every dependency, and what nobody can do by a call. */
export interface Plan extends Omit<PlanFields, "planId" | "summary"> {
  readonly id: string;
  readonly calls: PlanCounts["calls"];
}

export type NamesInCalls = Pick<Plan, "users" | "teams">;

export function planFieldsOf(plan: Plan): PlanFields {
  return { ...plan, planId: plan.id, summary: countPlan(plan) };
}

export function countPlan({ actions, calls, findings }: Plan): PlanCounts {
  const creations = actions.filter((action) => action.kind === "create-user");
  const additions = actions.filter((action) => action.kind === "add-members");
  return {
    createUsers: creations.length,
    createTeams: creations.filter(({ createsTeam }) => createsTeam !== undefined).length,
    addMembers: additions.length,
    replaceRoles: actions.length - creations.length - additions.length,
    mails: additions.reduce((sum, { members }) => sum + members.length, 0),
    calls,
    findings: findings.length,
    blockingFindings: findings.filter(isOpenProblem).length,
  };
}

export type InSync = t.Static<typeof inSync> & OwnedThing;
export const inSync = t.object({ says: text, because, restsOn: t.list(basis, "How it is known.") });

export interface KeyRoles {
  /** Undefined where nobody is known to hold the key. */
  readonly address?: EmailKey | undefined;
  /** Undefined of a key that comes with a call. */
  readonly prefix?: string | undefined;
  readonly team?: string | undefined;
  /** Undefined of a key that was read. */
  readonly teamKey?: TeamKey | undefined;
  readonly status?: AccountStatus | undefined;
  /** The roster alone says whose key it is. */
  readonly declared?: true | undefined;
  /** `no-key`: the key comes with a call of the plan. */
  readonly before: RoleSet | "unknown" | "no-key";
  readonly after: RoleSet | "unknown";
}

/** `tampered`: changed by others since roster last wrote or saw it. `unapplied`: in the roster, and never applied. */
export type DriftClass = "tampered" | "unapplied" | FindingClass;

export const driftClasses: readonly DriftClass[] = ["tampered", "unapplied", ...findingClasses];

export function byDriftClass<T>(of: (name: DriftClass) => T): Readonly<Record<DriftClass, T>> {
  return Object.fromEntries(driftClasses.map((name) => [name, of(name)])) as Record<DriftClass, T>;
}

export interface Drift {
  /** One for each finding, each action, and each person of an addition of members. Privileged gains first, then actions and findings in the order of the plan. */
  readonly items: readonly DriftItem[];
  readonly coverage: Coverage;
  /** Entries under `accept:` that fit nothing: the finding is closed, or it never was. */
  readonly unusedAccepts: readonly AcceptEntry[];
}

const since = t.string("ISO 8601, when a recorded run first saw it. Absent if it is new.");
const owner = t.string("Who is to see to it: the owner, else the admin of the team or the holder of the key.");

const taskFields = {
  fingerprint: t.string("The same for the same matter in every run; that of the finding, where it is one."),
  code: t.typed<FindingCode | Action["kind"]>(t.string("The code of the finding, or the kind of the action.")),
  subject,
  since: t.optional(since),
  owner: t.optional(owner),
};

export const openTask = t.object(taskFields);

export type DriftItem = t.Static<typeof driftItem>;
export const driftItem = t.object({
  ...taskFields,
  class: t.typed<DriftClass>(
    t.string(
      "`tampered`: changed by others since roster last wrote or saw it; `outside` says how. `unapplied`: in the roster, but not applied yet. Otherwise the class of the finding, or `pending` if another run works on it.",
    ),
  ),
  counts: t.described(t.oneOf("change", "blocking", "nothing"), "How the exit code counts it if it is not accepted."),
  of: t.anyOf(
    t.typed<{ readonly is: "finding"; readonly finding: Finding }>(
      t.object("The finding of the plan with its fingerprint.", { is: t.literal("finding") }),
    ),
    t.object("An action of the plan, or the part of it that is one person's.", {
      is: t.literal("action"),
      action: t.typed<ActionId>(t.string()),
      person: t.optional(foldedAddress),
    }),
  ),
  outside: t.optional(
    t.list(
      outsideChange,
      "What was changed in the service and not by roster, and privileged roles that the roster does not give. Items of other classes than `tampered` have it only for privileged roles.",
    ),
  ),
  ownership: t.optional(declaredOwnership),
  ...acceptable,
});

export function privilegesGained({ outside = [] }: DriftItem): RoleSet {
  return roleSet(outside.flatMap(({ privileged }) => privileged));
}

export const covered = t.object({
  shown: t.count("How many the service shows."),
  named: t.count("How many of them the roster names."),
});

export type Coverage = t.Static<typeof coverage>;
export const coverage = t.object(
  "How many of what the service shows the roster names. `teams` and `keys` are absent where the service does not show them.",
  {
    users: t.described(covered, "Of people who are not deleted."),
    teams: t.optional(covered, "Of teams that keys show."),
    keys: t.optional(covered, "Of keys that are not deleted: those that the roster lists or leads to."),
    without: t.optional(
      t.literal("owner-of-key-in-use"),
      "The roster does not name the owner of the API key in use. That user and key are not counted.",
    ),
  },
);

export type CountingItem = DriftItem & { readonly counts: "change" | "blocking" };

export function countsInExitCode(item: DriftItem): item is CountingItem {
  return item.counts !== "nothing" && !isAccepted(item);
}

export interface Tasks {
  /** Findings, oldest first. Without what is accepted. */
  readonly open: readonly DriftItem[];
  /** What recorded runs saw, and what this read proves to be gone. */
  readonly closed: readonly ClosedTask[];
}

export type ClosedTask = t.Static<typeof closedTask>;
export const closedTask = t.object({ ...taskFields, code: text, since });

/** Whether the drift is recorded in the state. `known`: there was nothing new to record. */
export type DriftRecording =
  | { readonly is: "recorded" | "known" | "not-wanted" }
  | { readonly is: "not-recorded"; readonly why: string };
