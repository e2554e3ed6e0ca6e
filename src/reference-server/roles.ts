import type { Call } from "./call.ts";
import { mayActIn } from "./caller.ts";
import { tellKeyRoles } from "./dialect/tell-key-roles.ts";
import { tellRoles } from "./dialect/tell-roles.ts";
import { accountOfKey, type Key, type Role } from "./entities.ts";
import { rolesAfterPut } from "./knobs/put-roles.ts";
import { obstacleOfKind } from "./knobs/role-kinds.ts";
import { systemOwner } from "./known-roles.ts";
import { isRefusal, quoted, type Refusal, type Reply, refuse } from "./reply.ts";
import { isOld } from "./rules/people.ts";
import type { Columns } from "./sorting.ts";

const columns: Columns<Role> = new Map([
  ["identifier", (role: Role) => role.identifier],
  ["name", (role: Role) => role.name],
  ["description", (role: Role) => role.description],
  ["type", (role: Role) => role.type],
]);

export function listRoles(call: Call): Reply {
  return tellRoles(call, { name: "roles", items: [...call.world.roles.values()], columns, show: showRole });
}

export type NewRoles = readonly { readonly identifier: string }[];

export function replaceKeyRoles(call: Call, wished: NewRoles): Reply {
  const { world, knobs } = call;
  const key = keyOfPath(call);
  if (isRefusal(key)) return key;
  const sent = wished.map((role) => role.identifier);
  const obstacle = obstacleToGranting(call, sent, { kind: key.kind, before: key.roles });
  if (obstacle !== undefined) return obstacle;
  const roles = rolesAfterPut(knobs.putRoles, key.roles, sent);
  if (isRefusal(roles)) return roles;
  world.setRoles(key, roles, { at: call.now, lag: knobs.shownKeyLagMs });
  return tellKeyRoles(call, key);
}

function keyOfPath(call: Call): Key | Refusal {
  const { knobs, subject, world } = call;
  const key = world.keys.get(subject);
  if (key === undefined) return refuse(404, `The access key ${quoted(subject)} was not found`);
  if (!isOld(call, key, knobs.keyLagMs)) {
    return refuse(Number(knobs.keyLagStatus), `The access key ${quoted(subject)} was not found`);
  }
  if (mayActIn(call.caller, accountOfKey(key))) return key;
  return refuse(403, `The access key ${quoted(subject)} belongs to another account`);
}

/** 400 for a role that is not there or not for such a key; 403 where an Account Administrator would give or take SYSTEM_OWNER. */
export function obstacleToGranting(
  { caller, knobs, world }: Call,
  roles: readonly string[],
  key: { readonly kind: Key["kind"]; readonly before: readonly string[] },
): Refusal | undefined {
  const stranger = roles.find((role) => !world.roles.has(role));
  if (stranger !== undefined) return refuse(400, `The role ${quoted(stranger)} is not known`);
  const known = roles.map((role) => world.roles.get(role)).filter((role) => role !== undefined);
  const misfit = obstacleOfKind(knobs.roleKinds, key.kind, known);
  if (misfit !== undefined) return misfit;
  const touchesOwnership = roles.includes(systemOwner) !== key.before.includes(systemOwner);
  if (caller.is === "platform-administrator" || !touchesOwnership) return undefined;
  return refuse(403, `Only a Platform Administrator may give or take the role ${systemOwner}`);
}

function showRole({ identifier, name, description, type }: Role): object {
  return { identifier, name, description, type };
}
