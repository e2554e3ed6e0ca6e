import { type Reason, reasonAt } from "../model/reason.ts";
import { type RoleSet, roleSet } from "../model/role-set.ts";
import type { Complaints } from "./complaints.ts";
import type { DraftRoleSet, Written, WrittenRoles } from "./draft.ts";
import type { References, ResolvedRoles } from "./resolution.ts";
import { mostRoles } from "./written-roles.ts";

/** The roles of a list, those of its role sets included. */
export function resolveRoles(written: WrittenRoles, references: References, log: Complaints): ResolvedRoles {
  const sets = written.sets.flatMap((name) => roleSetOf(name, references, log));
  const through = sets.map(({ name }): Reason => reasonAt(name.at.place, "role-set", { name: name.value }));
  return { at: written.at, roles: together(written, sets, log), through };
}

function together(written: WrittenRoles, sets: readonly DraftRoleSet[], log: Complaints): RoleSet {
  const [only, second] = sets;
  if (only !== undefined && second === undefined && written.roles.length === 0) return only.roles;
  const all = new Set(written.roles);
  for (const set of sets) for (const role of set.roles) all.add(role);
  if (all.size <= mostRoles) return roleSet(all);
  const message = `This list comes to ${all.size} roles; no key can have more than ${mostRoles}.`;
  log.error(written.at, "too-many-roles", message);
  return [];
}

function roleSetOf(name: Written<string>, { roleSets }: References, log: Complaints): readonly DraftRoleSet[] {
  const set = roleSets.get(name.value);
  if (set !== undefined) return [set];
  const hint = log.didYouMean(name.value, roleSets.keys()) ?? "Define it under `roleSets`.";
  log.error(name.at, "unknown-role-set", `There is no role set \`${name.value}\`.`, hint);
  return [];
}
