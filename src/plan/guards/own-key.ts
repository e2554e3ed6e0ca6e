import { lostRoles, prefixOf } from "../../model/action.ts";
import { formatRoles, roleSet } from "../../model/role-set.ts";
import { keySubject } from "../../model/subject.ts";
import { joinList } from "../finding-draft.ts";
import type { GuardInput, Hold, HoldGuard } from "./guard-types.ts";
import { holdOn } from "./hold-on.ts";

/**
 * Protects the key in use: without the roles by which it may do anything, no call after that could succeed, and no run
 * could give them back. Always on; nobody can allow it.
 */
export const ownKey: HoldGuard = { name: "own-key", check };

function check({ context, actions, keyInUse }: GuardInput): readonly Hold[] {
  if (keyInUse === undefined) return [];
  return actions.flatMap((action): readonly Hold[] => {
    if (action.kind !== "replace-roles" || prefixOf(action) !== keyInUse) return [];
    const lost = lostRoles(action, context.policy.privilegedRoles);
    if (lost.length === 0) return [];
    const message =
      `roster uses the key ${keyInUse}. The roster gives it ${formatRoles(action.roles)} and so removes ${joinList(lost)}. Later calls would be refused. ` +
      "roster does not change this key. Keep the role in the roster, or remove the key from it. Or run roster with the key of another administrator.";
    const withheld = { action, target: { of: "part", action: action.id }, facts: [] } as const;
    const hold = holdOn(keySubject(keyInUse), [withheld], [], message);
    return [{ ...hold, roles: roleSet([...action.roles, ...lost]), because: action.because }];
  });
}
