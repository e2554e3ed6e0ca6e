import { byCodeUnit } from "./collections.ts";
import { list, readAs, string } from "./declare.ts";
import type { Located, Reason } from "./fact.ts";

/** What each team key has, as the interface names it. Public lists of roles leave it out. */
export const teamRole = "TEAM_ROLE";

/** Role identifiers, compared exactly; sorted and without repetition, so that equal sets are equal lists. */
export type RoleSet = readonly string[];

export function roleSet(roles: Iterable<string>): RoleSet {
  return [...new Set(roles)].sort(byCodeUnit);
}

export const roleList = readAs(list(string()), roleSet);

export function sameRoles(a: RoleSet, b: RoleSet): boolean {
  return a.length === b.length && a.every((role, index) => role === b[index]);
}

export function rolesWithout(roles: RoleSet, taken: RoleSet): RoleSet {
  return roles.filter((role) => !taken.includes(role));
}

export function formatRoles(roles: RoleSet): string {
  return roles.length === 0 ? "no roles" : roles.join(", ");
}

/** Roles that let their holder administer others: never granted in passing without being shown. */
export const defaultPrivilegedRoles: RoleSet = roleSet(["ACCOUNT_ADMIN", "PLATFORM_ADMIN", "SYSTEM_OWNER"]);

/** Roles and the chain that gives them: where they are asked for, and the role sets. */
export interface DesiredRoles extends Located<RoleSet> {
  readonly because: readonly Reason[];
  readonly endings?: readonly RoleEnding[] | undefined;
}

/** Roles that count until a day, which is the first without them; it has not come yet. */
export interface RoleEnding {
  readonly roles: RoleSet;
  readonly until: Located<string>;
}
