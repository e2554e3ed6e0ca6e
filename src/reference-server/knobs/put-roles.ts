import { teamRole } from "../known-roles.ts";
import { type Refusal, refuse } from "../reply.ts";
import { choice, type ValueOf } from "./knob.ts";

export const putRoles = choice("What the replacement of a key's roles leaves on it.", "replace", {
  replace: "the roles that were sent",
  "keep-TEAM_ROLE": "those, and TEAM_ROLE",
  merge: "those, and all that it had before",
  "reject-without-TEAM_ROLE": "those; a list without TEAM_ROLE is refused with 400",
});

export function rolesAfterPut(
  how: ValueOf<typeof putRoles>,
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
