import type { FoldedAddress } from "./address.ts";
import type { Place } from "./place.ts";
import { defaultPrivilegedRoles, type RoleSet } from "./role-set.ts";

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
