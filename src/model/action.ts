import type { EmailKey } from "./address.ts";
import * as t from "./declare.ts";
import { because, factOf, foldedAddress, knownOf, openEnum } from "./fact.ts";
import { type Ownership, ownership, type TeamKey } from "./recorded.ts";
import { type RoleSet, roleList, rolesWithout } from "./role-set.ts";
import { basis } from "./subject.ts";

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

const text = t.string();
export const foldedTeam = t.typed<TeamKey>(
  t.string("The team's sameness in a roster: its account and its folded name."),
);
export const declaredOwnership = t.inPlace(
  t.described(
    ownership,
    "Whose it is, as the roster says: the membership or the key, else the team, else the user. Absent where the roster says nothing. The plan ID does not depend on it.",
  ),
);
export const textFact = t.described(
  factOf(text),
  "A text and how it is known. Only what was observed in this run can drift.",
);
export const knownText = t.described(knownOf(text), "A text that is known, and how.");
export const rolesFact = t.described(
  factOf(roleList),
  "A set of roles and how it is known. Only what was observed in this run can drift.",
);
const request = t.string(
  "Identifies a refusal: a digest of the request and of what was seen of its users, team or key. Absent if the plan itself creates one of them.",
);
const restsOn = t.list(basis, "The facts it rests on.");

/** Readable, unique in a plan and the same for the same change: `create-user:ada@acme.example`. */
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
  user: t.object("The fields as they are sent.", {
    email: text,
    firstName: text,
    lastName: text,
    title: t.optional(text),
    externalIdentifier: t.optional(text),
    source: t.optional(text),
  }),
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
  restsOn,
  ownership: t.optional(declaredOwnership),
});

export type AddMembers = t.Static<typeof addMembers>;
export const addMembers = t.object("Adds people to a team. Each of them gets a mail.", {
  kind: t.literal("add-members"),
  ...actionHead,
  team: foldedTeam,
  firstMember: t.optional(
    t.described(foldedAddress, "Its first member, if this plan creates the team. Absent if the team exists."),
  ),
  members: t.list(
    t.object({ address: foldedAddress, request: t.optional(request), ownership: t.optional(declaredOwnership) }),
  ),
  restsOn,
  ownership: t.optional(declaredOwnership),
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
        address: t.optional(t.described(foldedAddress, "The user who has the key. Absent if that is not known.")),
        team: t.optional(t.described(foldedTeam, "Absent of a key without a team.")),
        own: t.optional(
          t.described(
            t.literal(true),
            "Known to be the owner's own key, where the roster does not ask for it as that: a leaver's. Otherwise absent.",
          ),
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
  restsOn,
  ownership: t.optional(declaredOwnership),
});

export type Action = CreateUser | AddMembers | ReplaceRoles;
export const action: t.Schema<Action> = t.anyOf(createUser, addMembers, replaceRoles);

export function creationId(address: EmailKey): ActionId {
  return `create-user:${address}`;
}

export function additionId(team: TeamKey): ActionId {
  return `add-members:${team}`;
}

/** Undefined of a key that an action of the plan gives. */
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

/**
 * The privileged roles that a key loses. Where it is not read what the key carries, it may be anything privileged, unless it keeps
 * something of the kind.
 */
export function lostRoles({ before, roles }: ReplaceRoles, privileged: RoleSet): RoleSet {
  if (before.known === "observed") return rolesWithout(before.value, roles).filter((role) => privileged.includes(role));
  return roles.some((role) => privileged.includes(role)) ? [] : privileged;
}

/** Another action, or the part of it that is one person's, without which an action cannot be done. */
export interface Dependency {
  readonly action: ActionId;
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
