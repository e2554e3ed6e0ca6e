import type { EmailKey } from "./address.ts";
import type { AllowanceCode, AllowanceReason } from "./allowance.ts";
import type { Place } from "./fact.ts";
import { defaultPrivilegedRoles, type RoleSet } from "./role-set.ts";

/** What a person says for this run alone: selection, guards, exceptions. */
export interface Policy {
  readonly include: readonly Selector[];
  readonly exclude: readonly Selector[];
  /** Report the users who are not in the roster. */
  readonly reportUnmanaged: boolean;
  /** Roles that let their holder administer others. */
  readonly privilegedRoles: RoleSet;
  readonly guards: GuardSettings;
  /** The codes that a person passes. */
  readonly allowed: readonly AllowanceCode[];
  /** Why they are allowed. Never absent where one of them needs it. */
  readonly reason?: AllowanceReason | undefined;
  /** The day in UTC, as in `2026-11-20`. */
  readonly today: string;
  /** Milliseconds within which reads of this service may not show a write, where a person has set it. */
  readonly consistency?: number | undefined;
  /** A person has set that a throttled write of this service never takes effect. */
  readonly throttling?: "no-effect" | undefined;
}

export type Selector =
  | { readonly kind: "user"; readonly address: EmailKey; readonly written: string }
  | { readonly kind: "team"; readonly name: string; readonly written: string };

/** What the guards are set to. Those that are not named here can be allowed, but not set. */
export interface GuardSettings {
  /** Domains in their ASCII form and in lower case; absent where every domain is allowed. */
  readonly allowedEmailDomains?: readonly string[];
  readonly nearDuplicate: "on" | "off";
  readonly privilegedRoles: PrivilegedRoles | "off";
  /** Whom and what no action touches. */
  readonly protected: ProtectedResources;
  /** The most that one plan may create. */
  readonly maxNewUsers: number | "off";
  /** The most people-in-team additions of one plan. */
  readonly maxInvitations: number | "off";
  readonly maxRoleRemovals: RoleRemovals | "off";
  readonly minAdmins: MinAdmins | "off";
  /** People who must keep a privileged role that they have. */
  readonly requiredAdmins: readonly EmailKey[];
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
  readonly people: readonly EmailKey[];
}

export interface ProtectedResources {
  readonly users: readonly EmailKey[];
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
  maxNewUsers: 100,
  maxInvitations: 100,
  maxRoleRemovals: { ratio: 0.25, floor: 10 },
  minAdmins: "off",
  requiredAdmins: [],
};
