import { lostRoles, type ReplaceRoles } from "../../model/action.ts";
import { factValue } from "../../model/fact.ts";
import { formatRoles, type RoleSet, roleSet } from "../../model/role-set.ts";
import { keySubject } from "../../model/subject.ts";
import { joinList } from "../finding-draft.ts";
import type { GuardInput, Hold, HoldGuard } from "./guard-types.ts";

/**
 * Protects the key in use: without the roles by which it may do anything, no call after that could succeed, and no run
 * could give them back. Always on; nobody can allow it.
 */
export const ownKey: HoldGuard = { name: "own-key", check };

function check({ context, actions, keyInUse }: GuardInput): readonly Hold[] {
  if (keyInUse === undefined) return [];
  return actions.flatMap((action) => {
    if (action.kind !== "replace-roles" || action.key.of !== "prefix") return [];
    if (factValue(action.key.prefix) !== keyInUse) return [];
    const lost = lostRoles(action, context.policy.privilegedRoles);
    return lost.length === 0 ? [] : [ownKeyHold(action, keyInUse, lost)];
  });
}

function ownKeyHold({ id, roles, because, restsOn }: ReplaceRoles, prefix: string, lost: RoleSet): Hold {
  const message =
    `roster uses the key ${prefix}. The roster gives it ${formatRoles(roles)} and so removes ${joinList(lost)}. Later calls would be refused. ` +
    "roster does not change this key. Keep the role in the roster, or remove the key from it. Or run roster with the key of another administrator.";
  return {
    subject: keySubject(prefix),
    roles: roleSet([...roles, ...lost]),
    message,
    because,
    restsOn,
    withholds: [{ of: "part", action: id }],
    facts: [],
  };
}
