import type { Knobs } from "../knobs.ts";
import { teamRole } from "../known-roles.ts";
import { type Refusal, refuse } from "../reply.ts";

export function rolesAfterReplacement(
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
