import type { Key, Role } from "../entities.ts";
import type { Knobs } from "../knobs.ts";
import { quoted, type Refusal, refuse } from "../reply.ts";

/** A 400 where a role is not for a key of that kind. */
export function checkRoleKinds(
  how: Knobs["roleKinds"],
  kind: Key["kind"],
  roles: readonly Role[],
): Refusal | undefined {
  if (how === "free") return undefined;
  const misfit = roles.find((role) => !fitsKeyKind(kind, role));
  if (misfit === undefined) return undefined;
  return refuse(400, `The role ${quoted(misfit.identifier)} is not for a key of the kind ${kind}`);
}

function fitsKeyKind(kind: Key["kind"], role: Role): boolean {
  const isProject = role.identifier === "PROJECT";
  return kind === "project" ? isProject : !isProject && !(kind === "team" && role.type === "system");
}
