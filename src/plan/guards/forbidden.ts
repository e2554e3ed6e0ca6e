import type { ForbiddenTargets } from "../../model/plan.ts";
import { byCodeUnit } from "../../model/role-set.ts";
import type { PlanContext } from "../question.ts";

/**
 * The keys and people that guards forbid, for keys that only a run learns: the key in use, protected keys and people, and keys
 * that the service shows for protected people. Undefined where nothing is forbidden.
 */
export function forbiddenByGuards(
  { policy, facts }: PlanContext,
  keyInUse: string | undefined,
): ForbiddenTargets | undefined {
  const { users, keys } = policy.guards.protected;
  const held = users.flatMap((address) => (facts.people.get(address) ?? []).flatMap((user) => user.keys ?? []));
  const prefixes = new Set([
    ...(keyInUse === undefined ? [] : [keyInUse]),
    ...keys,
    ...held.map(({ prefix }) => prefix),
  ]);
  if (prefixes.size + users.length === 0) return undefined;
  return { keys: [...prefixes].sort(byCodeUnit), people: [...new Set(users)].sort(byCodeUnit) };
}
