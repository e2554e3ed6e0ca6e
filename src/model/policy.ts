import type { EmailKey } from "./address.ts";
import { type AllowanceCode, needsReason } from "./allowance.ts";
import type { Place } from "./fact.ts";
import { defaultPrivilegedRoles, type RoleSet } from "./role-set.ts";
import type { AllowanceReason } from "./state.ts";

export interface Policy {
  readonly include: readonly Selector[];
  readonly exclude: readonly Selector[];
  readonly reportUnmanaged: boolean;
  readonly privilegedRoles: RoleSet;
  readonly guards: GuardSettings;
  readonly allowed: readonly AllowanceCode[];
  /** Why they are allowed. Never absent where one of them needs it. */
  readonly reason?: AllowanceReason | undefined;
  /** The command line that plans the same again, as in `roster apply people`. Absent where a program plans. */
  readonly planAgain?: string | undefined;
  /** In UTC, as in `2026-11-20`. */
  readonly today: string;
  /** Milliseconds within which reads of this service may not show a write, where a person has set it. */
  readonly consistency?: number | undefined;
  /** A person has set that a throttled write of this service never takes effect. */
  readonly throttling?: "no-effect" | undefined;
}

/** What a person types so that all of it is allowed: a whole command, or in a program the codes alone. */
export function allowCommand(
  codes: readonly string[],
  { planAgain, reason }: Pick<Policy, "planAgain" | "reason">,
): string {
  const allow = [...new Set(codes)].map((code) => `--allow ${code}`);
  const why = reason === undefined && codes.some(needsReason) ? ["--reason TEXT"] : [];
  return [...(planAgain === undefined ? [] : [planAgain]), ...allow, ...why].join(" ");
}

export type Selector =
  | { readonly kind: "user"; readonly address: EmailKey; readonly written: string }
  | { readonly kind: "team"; readonly name: string; readonly written: string };

/** What guards can be set to, with people as somebody writes them or folded. Those that are not named here can be allowed, but not set. */
export interface Guards<Address extends string> {
  /** Domains in which users may be created; absent where every domain is allowed. */
  readonly allowedEmailDomains?: readonly string[] | undefined;
  readonly nearDuplicate: "on" | "off";
  /** Roles that let their holder administer others, and who may be given them. */
  readonly privilegedRoles: { readonly roles: RoleSet; readonly people: readonly Address[] } | "off";
  /** People and keys, by address and prefix, that no action touches. */
  readonly protect: { readonly users: readonly Address[]; readonly keys: readonly string[] };
  readonly maxNewUsers: number | "off";
  readonly maxInvitations: number | "off";
  /** Roles may be taken from such a share, from 0 to 1, of the keys whose roles are known, and from `floor` keys in any case. */
  readonly maxRoleRemovals: { readonly ratio: number; readonly floor: number } | "off";
  /** So many people must hold the role after a plan that takes it from somebody. */
  readonly minAdmins: { readonly role: string; readonly count: number } | "off";
  /** People who must keep a privileged role that they have. */
  readonly requiredAdmins: readonly Address[];
}

/** What is in force: domains are in their ASCII form and in lower case. */
export interface GuardSettings extends Guards<EmailKey> {
  /** Where settings stand by which single actions are held; those that are missing have their defaults. */
  readonly setAt?: Readonly<Partial<Record<LocatedSetting, Place>>> | undefined;
}

export const locatedSettings = ["guards.allowed-email-domains", "guards.privileged-roles", "protect"] as const;

export type LocatedSetting = (typeof locatedSettings)[number];

export const defaultGuards = {
  nearDuplicate: "on",
  privilegedRoles: { roles: defaultPrivilegedRoles, people: [] },
  protect: { users: [], keys: [] },
  maxNewUsers: 100,
  maxInvitations: 100,
  maxRoleRemovals: { ratio: 0.25, floor: 10 },
  minAdmins: "off",
  requiredAdmins: [],
} satisfies GuardSettings;
