import { lostRoles } from "../../model/action.ts";
import { formatRoles, roleSet } from "../../model/role-set.ts";
import { keySubject } from "../../model/subject.ts";
import { joinList } from "../finding-draft.ts";
import { type GuardInput, type Hold, type HoldGuard, prefixOf } from "./guard-types.ts";

/**
 * Protects the key in use: without the roles by which it may do anything, no call after that could succeed, and no run
 * could give them back. Always on; nobody can allow it.
 */
export const ownKey: HoldGuard = { name: "own-key", check };

function check({ context, actions, keyInUse }: GuardInput): readonly Hold[] {
  if (keyInUse === undefined) return [];
  return actions.flatMap((action): readonly Hold[] => {
    if (action.kind !== "replace-roles" || prefixOf(action.key) !== keyInUse) return [];
    const { id, roles, because, restsOn } = action;
    const lost = lostRoles(action, context.policy.privilegedRoles);
    if (lost.length === 0) return [];
    const message =
      `roster uses the key ${keyInUse}. The roster gives it ${formatRoles(roles)} and so removes ${joinList(lost)}. Later calls would be refused. ` +
      "roster does not change this key. Keep the role in the roster, or remove the key from it. Or run roster with the key of another administrator.";
    const withholds = [{ of: "part", action: id } as const];
    return [
      {
        subject: keySubject(keyInUse),
        roles: roleSet([...roles, ...lost]),
        message,
        because,
        restsOn,
        withholds,
        facts: [],
      },
    ];
  });
}
