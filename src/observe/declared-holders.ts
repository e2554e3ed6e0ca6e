import type { FoldedAddress } from "../model/address.ts";
import type { RoleSet } from "../model/role-set.ts";
import type { Roster } from "../model/roster.ts";
import type { ObservedUser } from "../model/snapshot.ts";
import { type AddressQuery, declaredPrefixes } from "./asked-addresses.ts";

/** Whose keys no prefix of the roster may be by mistake, unless that is read. */
export interface SensitiveSubjects {
  readonly privilegedRoles?: RoleSet | undefined;
  readonly protectedUsers?: readonly FoldedAddress[] | undefined;
}

/**
 * Who else must be read because the roster names keys that no read has shown: everyone, where such a key is to get a
 * privileged role, else the protected people. Nobody, where the service does not show keys.
 */
export function holdersToRead(
  roster: Roster,
  { privilegedRoles = [], protectedUsers = [] }: SensitiveSubjects,
  users: readonly ObservedUser[],
): readonly AddressQuery[] | "everyone" {
  if (users.length > 0 && users.every(({ keys }) => keys === undefined)) return [];
  const shown = new Set(users.flatMap(({ keys = [] }) => keys.map(({ prefix }) => prefix)));
  const unshown = declaredPrefixes(roster).filter(({ prefix }) => !shown.has(prefix));
  if (unshown.length === 0) return [];
  if (unshown.some(({ roles }) => roles.some((role) => privilegedRoles.includes(role)))) return "everyone";
  const read = new Set(users.map(({ address }) => address));
  return protectedUsers.filter((address) => !read.has(address)).map((address) => ({ address, sent: address }));
}
