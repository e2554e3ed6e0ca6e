import type { EmailKey } from "../model/address.ts";
import { membershipKeyOf } from "../model/membership.ts";
import { type RoleSet, roleSet, rolesWithout, teamRole } from "../model/role-set.ts";
import type { DesiredTeam } from "../model/team.ts";
import type { PlanContext } from "./context.ts";

export function firstMemberRoles(team: DesiredTeam, firstMember: EmailKey, context: PlanContext): SentRoles {
  const { facts, policy, held } = context;
  const { privilegedRoles: privileged } = policy;
  const wanted = team.members.find(({ address }) => address === firstMember)?.roles;
  const known = facts.rolesFor?.("team");
  const sent = rolesToSend(wanted, known, privileged);
  if (wanted === undefined || !held.privileges.has(membershipKeyOf(team.key, firstMember))) return sent;
  // The key stays without them until the guard lets its roles be made exact.
  return { ...rolesToSend(rolesWithout(wanted, privileged), known, privileged), exact: sent.exact };
}

/** Roles of this first member that the service does not know: the team cannot be created with them. */
export function unknownFirstMemberRoles(team: DesiredTeam, firstMember: EmailKey, { facts }: PlanContext): RoleSet {
  const known = facts.rolesFor?.("unclear");
  const wanted = team.members.find(({ address }) => address === firstMember)?.roles ?? [];
  return known === undefined ? [] : wanted.filter((role) => !known.has(role));
}

/** What the first member's key is asked to carry, and what of it nobody wanted. */
export interface SentRoles {
  /** Never empty: without any role the service grants ACCOUNT_ADMIN. */
  readonly accessKeyRoles: RoleSet;
  readonly temporaryRoles: RoleSet;
  /** The roles that the key is to end with. */
  readonly exact: RoleSet;
}

/**
 * The default role is asked for where nothing harmless is wanted. No other role takes the place of one that the roster gives.
 * `wanted`: undefined where the roster does not manage the key. `known`: undefined where the service does not say what it knows.
 */
function rolesToSend(
  wanted: RoleSet | undefined,
  known: ReadonlySet<string> | undefined,
  privileged: RoleSet,
): SentRoles {
  const askable = (wanted ?? []).filter((role) => known?.has(role) ?? true);
  const isHarmless = (role: string) => !privileged.includes(role);
  const needsDefault = askable.length === 0 || (!askable.some(isHarmless) && isHarmless(teamRole));
  const accessKeyRoles = roleSet([...askable, ...(needsDefault ? [teamRole] : [])]);
  const unwanted = rolesWithout(accessKeyRoles, wanted ?? []);
  const temporaryRoles = unwanted.filter((role) => !isHarmless(role));
  const isWhole = wanted !== undefined && askable.length === wanted.length;
  return { accessKeyRoles, temporaryRoles, exact: isWhole ? wanted : rolesWithout(accessKeyRoles, temporaryRoles) };
}
