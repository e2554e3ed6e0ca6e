import type { Action, ReplaceRoles } from "../model/action.ts";
import { factValue } from "../model/fact.ts";
import type { PlanRefusal } from "../model/plan.ts";
import { type RoleSet, rolesWithout } from "../model/role-set.ts";
import { listed, showRoles } from "./subjects.ts";

/** Stops a plan that would take from the key in use the roles by which it may do anything: nothing after it could succeed. */
export function guardOwnKey(
  actions: readonly Action[],
  keyInUse: string | undefined,
  privileged: RoleSet,
): PlanRefusal | undefined {
  if (keyInUse === undefined) return undefined;
  for (const action of actions) {
    if (action.kind !== "replace-roles" || action.key.of !== "prefix") continue;
    if (factValue(action.key.prefix) !== keyInUse) continue;
    const lost = lostRoles(action, privileged);
    if (lost !== undefined) return refusal(action, keyInUse, lost);
  }
  return undefined;
}

/** Where it is not read what the key carries, it may be anything that it is not to carry any more. */
function lostRoles({ before, roles }: ReplaceRoles, privileged: RoleSet): RoleSet | undefined {
  const carried = before.known === "observed" ? before.value : privileged;
  const lost = rolesWithout(carried, roles).filter((role) => privileged.includes(role));
  const keepsSome = roles.some((role) => privileged.includes(role));
  return lost.length === 0 || (before.known !== "observed" && keepsSome) ? undefined : lost;
}

function refusal({ roles }: ReplaceRoles, prefix: string, lost: RoleSet): PlanRefusal {
  return {
    code: "locks-itself-out",
    message:
      `The plan would give the key ${prefix} ${showRoles(roles)} and take ${listed(lost)} from it, and ${prefix} is the key in use: ` +
      "no call after that would be allowed",
    hint: "Keep the privileged role of this key in the roster, take the key out of it, or run with the key of another administrator.",
  };
}
