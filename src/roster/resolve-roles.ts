import { type Reason, reasonAt } from "../model/reason.ts";
import { type RoleSet, roleSet } from "../model/role-set.ts";
import type { DiagnosticsCollector } from "./complaints.ts";
import type { RoleReferences, RoleSetEntry, SourceValue } from "./draft.ts";
import type { ResolvedRoles, RosterReferences } from "./resolution.ts";
import { maxRoles } from "./written-roles.ts";

/** The roles of a list, those of its role sets included. */
export function resolveRoles(
  written: RoleReferences,
  references: RosterReferences,
  log: DiagnosticsCollector,
): ResolvedRoles {
  const sets = written.sets.flatMap((name) => findRoleSet(name, references, log));
  const through = sets.map(({ name }): Reason => reasonAt(name.at.place, "role-set", { name: name.value }));
  return { at: written.at, roles: combineRoles(written, sets, log), through };
}

function combineRoles(written: RoleReferences, sets: readonly RoleSetEntry[], log: DiagnosticsCollector): RoleSet {
  const [only, second] = sets;
  if (only !== undefined && second === undefined && written.roles.length === 0) return only.roles;
  const all = new Set(written.roles);
  for (const set of sets) for (const role of set.roles) all.add(role);
  if (all.size <= maxRoles) return roleSet(all);
  const message = `This list comes to ${all.size} roles; no key can have more than ${maxRoles}.`;
  log.error(written.at, "too-many-roles", message);
  return [];
}

function findRoleSet(
  name: SourceValue<string>,
  { roleSets }: RosterReferences,
  log: DiagnosticsCollector,
): readonly RoleSetEntry[] {
  const set = roleSets.get(name.value);
  if (set !== undefined) return [set];
  const hint = log.didYouMean(name.value, roleSets.keys()) ?? "Define it under `roleSets`.";
  log.error(name.at, "unknown-role-set", `There is no role set \`${name.value}\`.`, hint);
  return [];
}
