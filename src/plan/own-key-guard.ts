import type { ReplaceRoles } from "../model/action.ts";
import { factValue } from "../model/fact.ts";
import { type RoleSet, rolesWithout } from "../model/role-set.ts";
import type { Draft } from "./draft.ts";
import { keySubject, listed, showRoles } from "./subjects.ts";

export interface Guarded {
  readonly actions: readonly ReplaceRoles[];
  readonly findings: readonly Draft[];
}

/** Withholds what would take from the key in use the roles by which it may do anything: no call after it could succeed. */
export function guardOwnKey(
  actions: readonly ReplaceRoles[],
  keyInUse: string | undefined,
  privileged: RoleSet,
): Guarded {
  if (keyInUse === undefined) return { actions, findings: [] };
  const findings: Draft[] = [];
  const kept = actions.filter((action) => {
    const isOwn = action.key.of === "prefix" && factValue(action.key.prefix) === keyInUse;
    const lost = isOwn ? lostRoles(action, privileged) : [];
    if (lost.length > 0) findings.push(tell(action, keyInUse, lost));
    return lost.length === 0;
  });
  return { actions: kept, findings };
}

/** Where it is not read what the key carries, it may be anything privileged, unless it keeps something of the kind. */
function lostRoles({ before, roles }: ReplaceRoles, privileged: RoleSet): RoleSet {
  if (before.known === "observed") return rolesWithout(before.value, roles).filter((role) => privileged.includes(role));
  return roles.some((role) => privileged.includes(role)) ? [] : privileged;
}

function tell({ roles, because, restsOn, owner }: ReplaceRoles, prefix: string, lost: RoleSet): Draft {
  const message =
    `The roster asks for ${showRoles(roles)} on the key ${prefix}, which is the key in use, and so takes ${listed(lost)} from it: no call ` +
    "after that would be allowed. Its roles are left alone: keep the privileged role in the roster, take the key out of it, or run with the key of another administrator.";
  return {
    code: "locks-itself-out",
    subject: keySubject(prefix),
    message,
    because,
    restsOn,
    concerns: owner === undefined ? [] : [{ address: owner.address }],
  };
}
