import type { RequestContext } from "./call.ts";
import { mayActIn } from "./caller.ts";
import { replaceRolesResponse } from "./dialect/tell-key-roles.ts";
import { rolesResponse } from "./dialect/tell-roles.ts";
import { accountOfKey, type Key, type Role } from "./entities.ts";
import { rolesAfterReplacement } from "./knobs/put-roles.ts";
import { checkRoleKinds } from "./knobs/role-kinds.ts";
import { systemOwner } from "./known-roles.ts";
import { isRefusal, quoted, type Refusal, type Reply, refuse } from "./reply.ts";
import { isOlderThan } from "./rules/people.ts";
import type { SortColumns } from "./sorting.ts";

const columns: SortColumns<Role> = new Map([
  ["identifier", (role: Role) => role.identifier],
  ["name", (role: Role) => role.name],
  ["description", (role: Role) => role.description],
  ["type", (role: Role) => role.type],
]);

export function listRoles(call: RequestContext): Reply {
  return rolesResponse(call, { name: "roles", items: [...call.world.roles.values()], columns, show: renderRole });
}

export type ReplaceRolesRequest = readonly { readonly identifier: string }[];

export function replaceKeyRoles(call: RequestContext, wished: ReplaceRolesRequest): Reply {
  const { world, knobs } = call;
  const key = keyOfRequest(call);
  if (isRefusal(key)) return key;
  const sent = wished.map((role) => role.identifier);
  const obstacle = checkGrantable(call, sent, { kind: key.kind, before: key.roles });
  if (obstacle !== undefined) return obstacle;
  const roles = rolesAfterReplacement(knobs.putRoles, key.roles, sent);
  if (isRefusal(roles)) return roles;
  world.setRoles(key, roles, { at: call.now, lag: knobs.shownKeyLagMs });
  return replaceRolesResponse(call, key);
}

function keyOfRequest(call: RequestContext): Key | Refusal {
  const { knobs, pathParameter: subject, world } = call;
  const key = world.keys.get(subject);
  if (key === undefined) return refuse(404, `The access key ${quoted(subject)} was not found`);
  if (!isOlderThan(call, key, knobs.keyLagMs)) {
    return refuse(Number(knobs.keyLagStatus), `The access key ${quoted(subject)} was not found`);
  }
  if (mayActIn(call.caller, accountOfKey(key))) return key;
  return refuse(403, `The access key ${quoted(subject)} belongs to another account`);
}

/** 400 for a role that is not there or not for such a key; 403 where an Account Administrator would give or take SYSTEM_OWNER. */
export function checkGrantable(
  { caller, knobs, world }: RequestContext,
  roles: readonly string[],
  key: { readonly kind: Key["kind"]; readonly before: readonly string[] },
): Refusal | undefined {
  const stranger = roles.find((role) => !world.roles.has(role));
  if (stranger !== undefined) return refuse(400, `The role ${quoted(stranger)} is not known`);
  const known = roles.map((role) => world.roles.get(role)).filter((role) => role !== undefined);
  const misfit = checkRoleKinds(knobs.roleKinds, key.kind, known);
  if (misfit !== undefined) return misfit;
  const touchesOwnership = roles.includes(systemOwner) !== key.before.includes(systemOwner);
  if (caller.is === "platform-administrator" || !touchesOwnership) return undefined;
  return refuse(403, `Only a Platform Administrator may give or take the role ${systemOwner}`);
}

function renderRole({ identifier, name, description, type }: Role): object {
  return { identifier, name, description, type };
}
