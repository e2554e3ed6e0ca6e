import { say } from "../../codes/message.ts";
import { lostRoles, prefixOf } from "../../model/action.ts";
import { formatRoles, roleSet } from "../../model/role-set.ts";
import { keySubject } from "../../model/subject.ts";
import type { GuardInput, Hold } from "./guard-types.ts";
import { holdOn, withheldFrom } from "./hold-on.ts";

/**
 * Protects the key in use: without the roles by which it may do anything, no call after that could succeed, and no run
 * could give them back. Always on; nobody can allow it.
 */
export function ownKey({ context, actions }: GuardInput): readonly Hold[] {
  const { keyInUse, policy } = context;
  if (keyInUse === undefined) return [];
  return actions.flatMap((action): readonly Hold[] => {
    if (action.kind !== "replace-roles" || prefixOf(action) !== keyInUse) return [];
    const lost = lostRoles(action, policy.privilegedRoles);
    if (lost.length === 0) return [];
    const texts = say("own-key", { prefix: keyInUse, roles: formatRoles(action.roles), lost });
    const hold = holdOn(keySubject(keyInUse), [withheldFrom(undefined, action, [])], [], texts);
    return [{ ...hold, roles: roleSet([...action.roles, ...lost]), because: action.because }];
  });
}
