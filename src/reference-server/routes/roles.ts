import { checkNamed } from "../authorization.ts";
import type { Knobs } from "../knobs/registry.ts";
import {
  answer,
  answerNothing,
  isRefusal,
  quoted,
  type Refusal,
  type Reply,
  refuse,
  type ServedAnswer,
  withStatus,
} from "../responses/reply.ts";
import { renderKey } from "../responses/user.ts";
import type { RequestContext } from "../service-context.ts";
import { accountOfKey, type Key, type Role, systemOwner, teamRole } from "../world.ts";
import { type Collection, listResponse } from "./paging.ts";
import type { SortColumns } from "./sorting.ts";
import { isOlderThan } from "./users.ts";

const columns: SortColumns<Role> = new Map([
  ["identifier", (role: Role) => role.identifier],
  ["name", (role: Role) => role.name],
  ["description", (role: Role) => role.description],
  ["type", (role: Role) => role.type],
]);

export function listRoles(call: RequestContext): Reply {
  const show = (role: Role): object => renderRole(call.knobs, role);
  return rolesResponse(call, { name: "roles", items: [...call.world.roles.values()], columns, show });
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
  const { knobs, pathParameter, world } = call;
  const key = world.keys.get(pathParameter);
  const isLate = key !== undefined && !isOlderThan(call, key, knobs.keyLagMs);
  const missing = isLate ? Number(knobs.keyLagStatus) : 404;
  const found = isLate ? undefined : key;
  return checkNamed(call, { what: "access key", found, account: found && accountOfKey(found), missing });
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

function renderRole({ fields }: Knobs, { identifier, name, description, type }: Role): object {
  const role = { identifier, name, description, type };
  if (fields === "none") return role;
  const entitlement = { identifier: `CAN_${identifier}`, description, longDescription: description, weight: 0 };
  return { ...role, longDescription: description, weight: identifier.length, entitlements: [entitlement] };
}

/** A page of the list of roles. */
function rolesResponse(call: RequestContext, roles: Collection<Role>): Reply {
  switch (call.knobs.roleList) {
    case "R1":
      return listResponse(call, roles);
    case "R2":
      return listResponse(call, { ...roles, show: (role) => role.identifier });
    case "R3": {
      const knobs = { ...call.knobs, envelope: "named", laterEnvelope: "same" } as const;
      return listResponse({ ...call, knobs }, roles);
    }
  }
}

/** What the replacement of a key's roles answers. */
function replaceRolesResponse({ knobs }: RequestContext, key: Key): ServedAnswer {
  const shaped = keyRolesAnswer(knobs, key);
  const keepsStatus = knobs.putRolesStatus === "own" || knobs.putRolesAnswer === "accepted";
  return keepsStatus ? shaped : withStatus(shaped, Number(knobs.putRolesStatus));
}

function keyRolesAnswer(knobs: Knobs, key: Key): ServedAnswer {
  switch (knobs.putRolesAnswer) {
    case "roles":
      return answer(
        200,
        key.roles.map((identifier) => ({ identifier })),
      );
    case "key":
      return answer(200, renderKey(knobs, key, "listed"));
    case "empty":
      return answerNothing(204);
    case "accepted":
      return answer(202, { status: "ACCEPTED" });
  }
}

function rolesAfterReplacement(
  how: Knobs["putRoles"],
  before: readonly string[],
  sent: readonly string[],
): readonly string[] | Refusal {
  switch (how) {
    case "replace":
      return sent;
    case "keep-TEAM_ROLE":
      return sent.includes(teamRole) ? sent : [teamRole, ...sent];
    case "merge":
      return [...before, ...sent];
    case "reject-without-TEAM_ROLE":
      return sent.includes(teamRole) ? sent : refuse(400, `A key cannot be without the role ${teamRole}`);
  }
}

/** A 400 where a role is not for a key of that kind. */
function checkRoleKinds(how: Knobs["roleKinds"], kind: Key["kind"], roles: readonly Role[]): Refusal | undefined {
  if (how === "free") return undefined;
  const misfit = roles.find((role) => !fitsKeyKind(kind, role));
  if (misfit === undefined) return undefined;
  return refuse(400, `The role ${quoted(misfit.identifier)} is not for a key of the kind ${kind}`);
}

function fitsKeyKind(kind: Key["kind"], role: Role): boolean {
  const isProject = role.identifier === "PROJECT";
  return kind === "project" ? isProject : !isProject && !(kind === "team" && role.type === "system");
}
