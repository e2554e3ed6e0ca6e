import { checkNamed } from "../authorization.ts";
import type { Knobs } from "../knobs/registry.ts";
import { answer, answerNothing, quoted, Refusal, type ServedAnswer, withStatus } from "../responses/reply.ts";
import { renderKey } from "../responses/user.ts";
import type { RequestContext } from "../service-context.ts";
import { accountOfKey, type Key, type Role, systemOwner, teamRole } from "../world.ts";
import type { RequestBody } from "./bodies.ts";
import { listResponse } from "./paging.ts";
import { columnsOf } from "./sorting.ts";
import { isOlderThan } from "./users.ts";

export function listRoles(call: RequestContext): ServedAnswer {
  const { knobs, world } = call;
  const show = (role: Role) => (knobs.roleList === "R2" ? role.identifier : renderRole(knobs, role));
  const isNamed = knobs.roleList === "R3";
  return listResponse(isNamed ? { ...call, knobs: { ...knobs, envelope: "named", laterEnvelope: "same" } } : call, {
    name: "roles",
    items: [...world.roles.values()],
    columns: columnsOf("identifier", "name", "description", "type"),
    show,
  });
}

function renderRole({ fields }: Knobs, { identifier, name, description, type }: Role): object {
  const role = { identifier, name, description, type };
  if (fields === "none") return role;
  const entitlement = { identifier: `CAN_${identifier}`, description, longDescription: description, weight: 0 };
  return { ...role, longDescription: description, weight: identifier.length, entitlements: [entitlement] };
}

export function replaceKeyRoles(call: RequestContext, wished: RequestBody<"replaceKeyRoles">): ServedAnswer {
  const { knobs, now, pathParameter, world } = call;
  const found = world.keys.get(pathParameter);
  if (found !== undefined && !isOlderThan(call, found, knobs.keyLagMs))
    throw new Refusal(Number(knobs.keyLagStatus), `The access key ${quoted(pathParameter)} was not found`);
  const key = checkNamed(call, "access key", found, accountOfKey);
  const sent = wished.map((role) => role.identifier);
  checkGrantable(call, sent, key);
  const roles = rolesAfterReplacement(knobs.putRoles, key.roles, sent);
  world.setRoles(key, roles, { at: now, lag: knobs.shownKeyLagMs });
  const shaped = keyRolesAnswer(knobs, key);
  const keepsStatus = knobs.putRolesStatus === "own" || knobs.putRolesAnswer === "accepted";
  return keepsStatus ? shaped : withStatus(shaped, Number(knobs.putRolesStatus));
}

/** 400 for a role that is not there or not for such a key; 403 where an Account Administrator would give or take SYSTEM_OWNER. */
export function checkGrantable(
  { caller, knobs, world }: RequestContext,
  roles: readonly string[],
  key: Pick<Key, "kind" | "roles">,
): void {
  const stranger = roles.find((role) => !world.roles.has(role));
  if (stranger !== undefined) throw new Refusal(400, `The role ${quoted(stranger)} is not known`);
  const unfit = roles.find((role) => knobs.roleKinds === "strict" && !fitsKeyKind(key.kind, world.roles.get(role)));
  if (unfit !== undefined) throw new Refusal(400, `The role ${quoted(unfit)} is not for a key of the kind ${key.kind}`);
  const touchesOwnership = roles.includes(systemOwner) !== key.roles.includes(systemOwner);
  if (caller.is !== "platform-administrator" && touchesOwnership)
    throw new Refusal(403, `Only a Platform Administrator may give or take the role ${systemOwner}`);
}

function fitsKeyKind(kind: Key["kind"], role: Role | undefined): boolean {
  const isProject = role?.identifier === "PROJECT";
  return kind === "project" ? isProject : !isProject && !(kind === "team" && role?.type === "system");
}

function rolesAfterReplacement(
  how: Knobs["putRoles"],
  before: readonly string[],
  sent: readonly string[],
): readonly string[] {
  switch (how) {
    case "replace":
      return sent;
    case "keep-TEAM_ROLE":
      return sent.includes(teamRole) ? sent : [teamRole, ...sent];
    case "merge":
      return [...before, ...sent];
    case "reject-without-TEAM_ROLE":
      if (!sent.includes(teamRole)) throw new Refusal(400, `A key cannot be without the role ${teamRole}`);
      return sent;
  }
}

function keyRolesAnswer(knobs: Knobs, key: Key) {
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
