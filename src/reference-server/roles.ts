import { type Call, mayActIn } from "./call.ts";
import { answerPage } from "./collection.ts";
import { accountOfKey, type Role } from "./entities.ts";
import { systemOwner } from "./known-roles.ts";
import { answer, quoted, type Refusal, type Reply, refuse } from "./reply.ts";
import type { Columns } from "./sorting.ts";
import { showRole, showRoleReferences } from "./views.ts";

const columns: Columns<Role> = new Map([
  ["identifier", (role: Role) => role.identifier],
  ["name", (role: Role) => role.name],
  ["description", (role: Role) => role.description],
  ["type", (role: Role) => role.type],
]);

export function listRoles(call: Call): Reply {
  return answerPage(call, { items: [...call.world.roles.values()], columns, show: showRole });
}

export type NewRoles = readonly { readonly identifier: string }[];

export function replaceKeyRoles(call: Call, wished: NewRoles): Reply {
  const key = call.world.keys.get(call.subject);
  if (key === undefined) return refuse(404, `The access key ${quoted(call.subject)} was not found`);
  if (!mayActIn(call.caller, accountOfKey(key))) {
    return refuse(403, `The access key ${quoted(call.subject)} belongs to another account`);
  }
  const roles = wished.map((role) => role.identifier);
  const obstacle = obstacleToGranting(call, roles, key.roles);
  if (obstacle !== undefined) return obstacle;
  call.world.setRoles(key, roles);
  return answer(200, showRoleReferences(key.roles));
}

/** 400 for a role that is not there; 403 where an Account Administrator would give or take SYSTEM_OWNER. */
export function obstacleToGranting(
  call: Call,
  roles: readonly string[],
  before: readonly string[],
): Refusal | undefined {
  const stranger = roles.find((role) => !call.world.roles.has(role));
  if (stranger !== undefined) return refuse(400, `The role ${quoted(stranger)} is not known`);
  const touchesOwnership = roles.includes(systemOwner) !== before.includes(systemOwner);
  if (call.caller.is === "platform-administrator" || !touchesOwnership) return undefined;
  return refuse(403, `Only a Platform Administrator may give or take the role ${systemOwner}`);
}
