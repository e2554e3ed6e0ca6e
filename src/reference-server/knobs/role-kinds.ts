import type { Key, Role } from "../entities.ts";
import { quoted, type Refusal, refuse } from "../reply.ts";
import { choice, type ValueOf } from "./knob.ts";

export const roleKinds = choice("Whether a key must be of the kind that its roles are for.", "free", {
  free: "every key may have every role",
  strict: "PROJECT is for projects' keys alone, and they have no other; a team's key has no role of the type system",
});

/** A 400 where a role is not for a key of that kind. */
export function obstacleOfKind(
  how: ValueOf<typeof roleKinds>,
  kind: Key["kind"],
  roles: readonly Role[],
): Refusal | undefined {
  if (how === "free") return undefined;
  const misfit = roles.find((role) => !fits(kind, role));
  if (misfit === undefined) return undefined;
  return refuse(400, `The role ${quoted(misfit.identifier)} is not for a key of the kind ${kind}`);
}

function fits(kind: Key["kind"], role: Role): boolean {
  const isProject = role.identifier === "PROJECT";
  return kind === "project" ? isProject : !isProject && !(kind === "team" && role.type === "system");
}
