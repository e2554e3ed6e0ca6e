import { type RoleSet, rolesWithout } from "../../model/role-set.ts";
import type { RecordedKey } from "../../model/state.ts";

/**
 * Whether others moved the roles of a key, role by role: one that came since our last look, and that we never asked for nor do
 * now, was given by others; one that went, although we asked for it and still do, was taken by others. Any other
 * difference comes from the roster.
 */
export function rolesTampered({ put, readAs = put }: RecordedKey, carried: RoleSet, wanted: RoleSet): boolean {
  const given = rolesWithout(carried, readAs).filter((role) => !put.includes(role) && !wanted.includes(role));
  const taken = rolesWithout(readAs, carried).filter((role) => put.includes(role) && wanted.includes(role));
  return given.length + taken.length > 0;
}
