import type { FoldedAddress } from "../../model/address.ts";
import { byCodeUnit, type RoleSet, roleSet, rolesWithout } from "../../model/role-set.ts";
import type { RosterTeam } from "../../model/roster.ts";
import { membershipKeyOf } from "../../model/team.ts";
import type { PlanContext } from "../context.ts";

/** What the founder's key of a team is asked to carry. */
export function founderRoles(team: RosterTeam, founder: FoldedAddress, context: PlanContext): SentRoles {
  const { facts, policy, held } = context;
  const { privilegedRoles: privileged } = policy;
  const wanted = team.members.find(({ address }) => address === founder)?.roles;
  const known = facts.rolesFor?.("team");
  const sent = rolesToSend({ wanted, known, privileged });
  if (wanted === undefined || !held.privileges.has(membershipKeyOf(team.key, founder))) return sent;
  // The key stays without them until the guard lets its roles be made exact.
  const heldBack = [...privileged, ...policy.guards.exclusiveRoles.flat()];
  return { ...rolesToSend({ wanted: rolesWithout(wanted, heldBack), known, privileged }), exact: sent.exact };
}

const defaultRole = "TEAM_ROLE";

/** What the founder's key is asked to carry, and what of it nobody wanted. */
export interface SentRoles {
  /** Never empty, and with an unprivileged role wherever the service has one. */
  readonly accessKeyRoles: RoleSet;
  readonly grantsForAMoment: RoleSet;
  /** The roles that the key is to end with. */
  readonly exact: RoleSet;
}

interface FounderRolesInput {
  /** Absent where the roster does not manage the founder's team key. */
  readonly wanted: RoleSet | undefined;
  /** Roles that the service knows; absent where it did not say. */
  readonly known: ReadonlySet<string> | undefined;
  readonly privileged: RoleSet;
}

/** Without any role the service would grant ACCOUNT_ADMIN, so something harmless is always asked for. @internal */
export function rolesToSend({ wanted, known, privileged }: FounderRolesInput): SentRoles {
  const askable = (wanted ?? []).filter((role) => known?.has(role) ?? true);
  const isHarmless = (role: string) => !privileged.includes(role);
  const accessKeyRoles = roleSet([
    ...askable,
    ...(askable.some(isHarmless) ? [] : harmlessRole(askable, known, isHarmless)),
  ]);
  const unwanted = rolesWithout(accessKeyRoles, wanted ?? []);
  const grantsForAMoment = unwanted.filter((role) => !isHarmless(role));
  const isWhole = wanted !== undefined && askable.length === wanted.length;
  return { accessKeyRoles, grantsForAMoment, exact: isWhole ? wanted : rolesWithout(accessKeyRoles, grantsForAMoment) };
}

/** A harmless role to ask for; where the service has none, something rather than nothing. */
function harmlessRole(
  askable: RoleSet,
  known: ReadonlySet<string> | undefined,
  isHarmless: (role: string) => boolean,
): RoleSet {
  const offered = known === undefined ? [defaultRole] : [...known].sort(byCodeUnit);
  const usual = offered.filter((role) => role === defaultRole && isHarmless(role));
  const harmless = usual[0] ?? offered.find(isHarmless);
  if (harmless !== undefined) return [harmless];
  return askable.length > 0 ? [] : [offered[0] ?? defaultRole];
}
