import type { Action, ReplaceRoles } from "../../model/action.ts";
import { factValue } from "../../model/fact.ts";
import { type RoleSet, rolesWithout } from "../../model/role-set.ts";
import type { State } from "../../model/state.ts";
import { membershipKeyOf } from "../../model/team.ts";
import type { ActionPart } from "./parts.ts";
import { rolesTampered } from "./roles-moved.ts";

export interface ActionClassInput {
  readonly state: State;
}

type ActionClass = "tampered" | "to-apply";

/** Whether an action undoes what somebody else did to what our runs had made, or brings what they have not made yet. */
export function classifyAction({ action, person }: ActionPart, { state }: ActionClassInput): ActionClass {
  switch (action.kind) {
    case "create-user": {
      const record = state.users.get(action.address);
      return record?.createdAt === undefined && record?.seenAt === undefined ? "to-apply" : "tampered";
    }
    case "add-members": {
      const place = person === undefined ? undefined : membershipKeyOf(action.team.team, person);
      return place !== undefined && state.memberships.has(place) ? "tampered" : "to-apply";
    }
    case "replace-roles":
      return classifyRoles(action, { state });
  }
}

/** Only what was observed can have been moved by others. */
function classifyRoles({ key, before, roles }: ReplaceRoles, { state }: ActionClassInput): ActionClass {
  const prefix = key.of === "prefix" ? factValue(key.prefix) : undefined;
  const record = prefix === undefined ? undefined : state.keys.get(prefix);
  if (record === undefined || before.known !== "observed") return "to-apply";
  if (!rolesTampered(record, before.value, roles)) return "to-apply";
  return "tampered";
}

/** A privileged role that the key has too many or too few, or that a creation gives. */
export function changesPrivilege(action: Action, privileged: RoleSet): boolean {
  switch (action.kind) {
    case "create-user":
      return (action.founds?.accessKeyRoles ?? []).some((role) => privileged.includes(role));
    case "add-members":
      return false;
    case "replace-roles": {
      const carried = factValue(action.before) ?? [];
      const moved = [...rolesWithout(carried, action.roles), ...rolesWithout(action.roles, carried)];
      return moved.some((role) => privileged.includes(role));
    }
  }
}
