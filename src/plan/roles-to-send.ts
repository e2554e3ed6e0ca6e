import { byCodeUnit, type RoleSet, roleSet, rolesWithout } from "../model/role-set.ts";

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

/** Without any role the service would grant ACCOUNT_ADMIN, so something harmless is always asked for. */
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
