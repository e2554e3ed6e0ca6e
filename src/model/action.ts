import type { EmailKey } from "./address.ts";
import { type Fact, factValue, type Reason } from "./fact.ts";
import type { Ownership, Profile, TeamKey } from "./recorded.ts";
import { type RoleSet, rolesWithout } from "./role-set.ts";
import type { Basis } from "./subject.ts";
import type { DesiredUser } from "./user.ts";

/** Readable, unique in a plan and the same for the same change: `create-user:ada@acme.example`. */
export type ActionId = string;

export type Action = CreateUser | AddMembers | ReplaceRoles;

interface ActionCommon {
  readonly id: ActionId;
  readonly rule: RuleName;
  /** The chain by which the YAML asks for it; the first link is the one that speaks for it most. */
  readonly because: readonly Reason[];
  readonly dependsOn: readonly ActionId[];
  readonly restsOn: readonly Basis[];
  readonly ownership?: Ownership | undefined;
}

export interface CreateUser extends ActionCommon {
  readonly kind: "create-user";
  readonly address: EmailKey;
  readonly account: string;
  readonly user: Pick<DesiredUser, "email" | keyof Profile>;
  /** Former addresses of this person, which are proven to be nobody's as well. */
  readonly formerly?: readonly EmailKey[] | undefined;
  readonly createsTeam?: TeamCreation | undefined;
  /** The digest by which a refusal is remembered. Absent where this plan creates one of those whom it is about. */
  readonly request?: string | undefined;
}

export interface TeamCreation {
  readonly team: TeamKey;
  readonly name: string;
  /** Who must exist before; absent where the first member is the administrator. */
  readonly admin?: EmailKey | undefined;
  /** Never empty: without roles the service grants ACCOUNT_ADMIN. */
  readonly accessKeyRoles: RoleSet;
  /** Privileged roles that the first member's key carries until its roles are made exact. */
  readonly temporaryRoles: RoleSet;
}

export interface AddMembers extends ActionCommon {
  readonly kind: "add-members";
  readonly team: TeamKey;
  /** With whom this plan creates the team. If that fails, everything about the team is skipped. */
  readonly firstMember?: EmailKey | undefined;
  readonly members: readonly {
    readonly address: EmailKey;
    readonly request?: string | undefined;
    readonly ownership?: Ownership | undefined;
  }[];
}

export interface ReplaceRoles extends ActionCommon {
  readonly kind: "replace-roles";
  /** By its prefix, or as what the action that it waits for will give. */
  readonly key:
    | {
        readonly of: "prefix";
        readonly prefix: Fact<string>;
        readonly address?: EmailKey | undefined;
        readonly team?: TeamKey | undefined;
        /** Known to be the holder's own key, and no team's, where nothing else of the plan says so. */
        readonly own?: true | undefined;
      }
    | { readonly of: "own-key"; readonly address: EmailKey }
    | { readonly of: "team-key"; readonly address: EmailKey; readonly team: TeamKey };
  /** The roles that the key had when the plan was made. */
  readonly before: Fact<RoleSet>;
  readonly roles: RoleSet;
  /** Not sent if an answer or a read of the same run has shown that the key has exactly these roles. */
  readonly ifInexact: boolean;
  readonly request?: string | undefined;
}

export function creationId(address: EmailKey): ActionId {
  return `create-user:${address}`;
}

export function additionId(team: TeamKey): ActionId {
  return `add-members:${team}`;
}

/** Undefined of a key that an action of the plan gives. */
export function prefixOf({ key }: ReplaceRoles): string | undefined {
  return key.of === "prefix" ? factValue(key.prefix) : undefined;
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

export type RuleName =
  | "absent-user"
  | "recreated-user"
  | "creates-team"
  | "missing-member"
  | "joins-new-team"
  | "roles-differ"
  | "roles-unknown"
  | "roles-of-new-key"
  | "roles-of-first-member"
  | "leaver-roles-removed"
  | "extra-member-roles-removed";

export function ownershipOfPart(action: Action, person: EmailKey | undefined): Ownership | undefined {
  if (action.kind !== "add-members") return action.ownership;
  return action.members.find(({ address }) => address === person)?.ownership;
}
