import type { StaleActions } from "../../apply/recheck.ts";
import { changedSubjects } from "../../journal/record-marks.ts";
import type { ActionId, ReplaceRoles } from "../../model/action.ts";
import { factValue } from "../../model/fact.ts";
import type { RoleSet } from "../../model/role-set.ts";
import type { PlanFile } from "../../model/saved-files.ts";
import type { State } from "../../model/state.ts";
import { type MembershipKey, membershipKeyOf } from "../../model/team.ts";
import { lostRoles } from "../../plan/guards/own-key.ts";
import { sha256 } from "../system.ts";

/**
 * What of a saved plan does not fit any more, as far as no read of the service can tell: what the state says by now of
 * whom and what it is about, and what would keep the key in use from going on.
 */
export function staleActions(
  { plan, basis, policy }: PlanFile,
  state: State,
  key: { readonly inUse: string | undefined; readonly privilegedRoles: RoleSet },
): StaleActions {
  const moved = changedSubjects(plan.actions, state, { marks: basis.records, digest: sha256 });
  const actions = new Map<ActionId, string>();
  const members = new Map<MembershipKey, string>();
  for (const { about, action, member } of moved) {
    const why = `what the state says of the ${about} has moved since the plan was made`;
    if (action.kind === "add-members" && member !== undefined)
      members.set(membershipKeyOf(action.team.team, member.address), why);
    else actions.set(action.id, why);
  }
  if (!policy.words.some((word) => word.startsWith("--allow own-key@"))) {
    for (const action of plan.actions) {
      if (action.kind === "replace-roles" && removesOwnAccess(action, key)) actions.set(action.id, wouldLockOut);
    }
  }
  return { actions, members };
}

const wouldLockOut = "the key is the one in use by now, and no call would be allowed after it";

function removesOwnAccess(
  action: ReplaceRoles,
  { inUse, privilegedRoles }: { readonly inUse: string | undefined; readonly privilegedRoles: RoleSet },
): boolean {
  if (inUse === undefined || action.key.of !== "prefix" || factValue(action.key.prefix) !== inUse) return false;
  return lostRoles(action, privilegedRoles).length > 0;
}
