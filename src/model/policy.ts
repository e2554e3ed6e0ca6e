import type { FoldedAddress } from "./address.ts";
import type { Place } from "./fact.ts";
import { defaultPrivilegedRoles, type RoleSet } from "./role-set.ts";

/** What a person says for this run alone: selection, assumptions, guards. */
export interface Policy {
  readonly include: readonly Selector[];
  readonly exclude: readonly Selector[];
  /** Folded names of teams that a person says are not there; `all` for every team that needs the word. */
  readonly assumeAbsentTeams: readonly string[] | "all";
  /** Foundings of unknown outcome that a person says were not done; their teams are among those above. */
  readonly absentFoundings?: readonly AbsentFounding[] | undefined;
  /** Memberships that a person says are not there; `all` for every membership that needs the word. */
  readonly assumeAbsentMembers: readonly AbsentMember[] | "all";
  /** People whom the state knows as gone and whom a person wants created again. */
  readonly recreate: readonly FoldedAddress[];
  /** Send once more what the service has refused, although nothing of it has changed. */
  readonly retryRefused: boolean;
  /** Report the people whom the roster does not name. */
  readonly reportUnmanaged: boolean;
  /** Roles that let their holder administer others. */
  readonly privilegedRoles: RoleSet;
  readonly guards: GuardSettings;
  /** Plans that a person lets pass a guard. */
  readonly allowed: readonly Allowance[];
  /** People who left the roster and are nobody's matter from now on. */
  readonly released: readonly FoldedAddress[];
  /** The day in UTC, as in `2026-11-20`. */
  readonly today: string;
  /** How many days an invitation may wait before that is more than a notice. */
  readonly invitationDays: number;
  /** Milliseconds within which reads of this service may not show a write, where a person has set it. */
  readonly consistency?: number | undefined;
  /** Whether users are created whose domain has no dot. */
  readonly singleLabelDomains: boolean;
}

export const defaultInvitationDays = 14;

/** A call that was to found a team, named by its short id. */
export interface AbsentFounding {
  /** Folded. */
  readonly team: string;
  readonly call: string;
}

/** One person who is not in one team, named by its folded name. */
export interface AbsentMember {
  readonly team: string;
  readonly address: FoldedAddress;
}

export type Selector =
  | { readonly kind: "user"; readonly address: FoldedAddress; readonly written: string }
  | { readonly kind: "team"; readonly name: string; readonly written: string };

/** Guards that withhold single actions and what depends on them. */
export const holdNames = [
  "allowed-email-domains",
  "near-duplicate",
  "privileged-roles",
  "own-key",
  "protected",
  "renamed-team",
  "unproven-team",
] as const;

/** Guards that refuse the whole plan. */
export const stopNames = [
  "max-new-users",
  "max-invitations",
  "max-role-removals",
  "min-admins",
  "required-admins",
  "empty-roster",
  "incomplete-snapshot",
] as const;

export type HoldName = (typeof holdNames)[number];
export type StopName = (typeof stopNames)[number];
export type GuardName = HoldName | StopName;

/** A person's word that one guard lets one plan pass: the plan of this id, as it was before any guard. */
export interface Allowance {
  readonly guard: GuardName;
  readonly plan: string;
}

/** How an allowance is written: `max-new-users@3f2a90c1d4e5b678`. */
export function formatAllowance({ guard, plan }: Allowance): string {
  return `${guard}@${plan}`;
}

/** What the guards are set to. Those that are not named here can be allowed, but not set. */
export interface GuardSettings {
  /** Domains in their ASCII form and in lower case; absent where every domain is allowed. */
  readonly allowedEmailDomains?: readonly string[];
  readonly nearDuplicate: "on" | "off";
  readonly privilegedRoles: PrivilegedRoles | "off";
  /** Whom and what no action touches. */
  readonly protected: ProtectedResources;
  readonly renamedTeam: "on" | "off";
  /** The most that one plan may create. */
  readonly maxNewUsers: number | "off";
  /** The most people-in-team additions of one plan. */
  readonly maxInvitations: number | "off";
  readonly maxRoleRemovals: RoleRemovals | "off";
  readonly minAdmins: MinAdmins | "off";
  /** People who must keep a privileged role that they have. */
  readonly requiredAdmins: readonly FoldedAddress[];
  /** The share of the roster's people of whom a plan need not know whether they are there. */
  readonly incompleteSnapshot: number | "off";
  /** Where settings stand by which single actions are held; those that are missing have their defaults. */
  readonly setAt?: SettingPlaces;
}

/** Settings whose findings name their line. */
export const locatedSettings = ["guards.allowed-email-domains", "guards.privileged-roles", "protect"] as const;

export type LocatedSetting = (typeof locatedSettings)[number];

export type SettingPlaces = Readonly<Partial<Record<LocatedSetting, Place>>>;

export interface PrivilegedRoles {
  readonly roles: RoleSet;
  /** Who may be given them. */
  readonly people: readonly FoldedAddress[];
}

export interface ProtectedResources {
  readonly users: readonly FoldedAddress[];
  /** Prefixes. */
  readonly keys: readonly string[];
}

/** A plan may take roles from so large a share of the keys whose roles are known, and from `floor` keys in any case. */
export interface RoleRemovals {
  readonly ratio: number;
  readonly floor: number;
}

/** So many people must hold the role after a plan that takes it from somebody. */
export interface MinAdmins {
  readonly role: string;
  readonly count: number;
}

export const defaultGuards: GuardSettings = {
  nearDuplicate: "on",
  privilegedRoles: { roles: defaultPrivilegedRoles, people: [] },
  protected: { users: [], keys: [] },
  renamedTeam: "on",
  maxNewUsers: 100,
  maxInvitations: 100,
  maxRoleRemovals: { ratio: 0.25, floor: 10 },
  minAdmins: "off",
  requiredAdmins: [],
  incompleteSnapshot: 0.5,
};
