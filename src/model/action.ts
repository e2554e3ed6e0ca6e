import type { EmailKey } from "./address.ts";
import {
  anyOf,
  boolean,
  described,
  inPlace,
  list,
  literal,
  nullable,
  object,
  optional,
  type Schema,
  type Static,
  string,
  typed,
} from "./declare.ts";
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

const text = string();
export const foldedTeam = typed<TeamKey>(string("The team's sameness in a roster: its account and its folded name."));
export const declaredOwnership = inPlace(
  described(
    ownership,
    "Whose it is, as the roster says: the membership or the key, else the team, else the user. Absent where the roster says nothing. The plan ID does not depend on it.",
  ),
);
export const textFact = described(
  factOf(text),
  "A text and how it is known. Only what was observed in this run can drift.",
);
export const knownText = described(knownOf(text), "A text that is known, and how.");
export const rolesFact = described(
  factOf(roleList),
  "A set of roles and how it is known. Only what was observed in this run can drift.",
);
const request = string(
  "Identifies a refusal: a digest of the request and of what was seen of its users, team or key. Absent if the plan itself creates one of them.",
);
const restsOn = list(basis, "The facts it rests on.");

/** Readable, unique in a plan and the same for the same change: `create-user:ada@acme.example`. */
export type ActionId = string;

const actionHead = {
  id: string("Readable, unique in the plan and the same for the same change, such as `create-user:ada@acme.example`."),
  rule: openEnum(ruleNames, "By which rule it was planned:"),
  because,
  dependsOn: list(text, "The actions that must have ended before this one starts. Each stands earlier in the list."),
};
export type CreateUser = Static<typeof createUser>;
export const createUser = object("Creates a user, and with the user a team where `creates_team` is not null.", {
  kind: literal("create-user"),
  ...actionHead,
  address: foldedAddress,
  account: string("The account in which the user is created."),
  user: object("The fields as they are sent.", {
    email: text,
    firstName: text,
    lastName: text,
    title: optional(text),
    externalIdentifier: optional(text),
    source: optional(text),
  }),
  formerly: optional(
    list(foldedAddress, "Former addresses of this user, proven to be unused. Absent without former addresses."),
  ),
  createsTeam: nullable(
    object("The team that is created with the user, or null.", {
      team: foldedTeam,
      name: text,
      admin: nullable(described(foldedAddress, "The administrator, or null where the new user administers the team.")),
      // Without roles the service grants ACCOUNT_ADMIN.
      accessKeyRoles: described(roleList, "Roles requested for the first member's team key. Never empty."),
      temporaryRoles: described(
        roleList,
        "Privileged roles that the first member's key carries until its roles are made exact.",
      ),
    }),
  ),
  request: optional(request),
  restsOn,
  ownership: optional(declaredOwnership),
});

export type AddMembers = Static<typeof addMembers>;
export const addMembers = object("Adds people to a team. Each of them gets a mail.", {
  kind: literal("add-members"),
  ...actionHead,
  team: foldedTeam,
  firstMember: optional(
    described(foldedAddress, "Its first member, if this plan creates the team. Absent if the team exists."),
  ),
  members: list(object({ address: foldedAddress, request: optional(request), ownership: optional(declaredOwnership) })),
  restsOn,
  ownership: optional(declaredOwnership),
});

export type ReplaceRoles = Static<typeof replaceRoles>;
export const replaceRoles = object("Replaces the roles of a key.", {
  kind: literal("replace-roles"),
  ...actionHead,
  key: described(
    anyOf(
      object("A key that exists.", {
        of: literal("prefix"),
        prefix: knownText,
        address: optional(described(foldedAddress, "The user who has the key. Absent if that is not known.")),
        team: optional(described(foldedTeam, "Absent of a key without a team.")),
        own: optional(
          described(
            literal(true),
            "Known to be the owner's own key, where the roster does not ask for it as that: a leaver's. Otherwise absent.",
          ),
        ),
      }),
      object("The user's own key that a creation gives.", { of: literal("own-key"), address: foldedAddress }),
      object("The team key that a creation or an addition gives.", {
        of: literal("team-key"),
        address: foldedAddress,
        team: foldedTeam,
      }),
    ),
    "By its prefix, or as what the action in `depends_on` gives.",
  ),
  before: described(rolesFact, "The roles that the key had when the plan was made."),
  roles: described(roleList, "The roles that the key gets, exactly."),
  ifInexact: boolean("True where the call is not sent if the key turns out to have exactly these roles."),
  request: optional(request),
  restsOn,
  ownership: optional(declaredOwnership),
});

export type Action = CreateUser | AddMembers | ReplaceRoles;
export const action: Schema<Action> = anyOf(createUser, addMembers, replaceRoles);

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
