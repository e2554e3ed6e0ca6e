import { accountAdmin, teamRole } from "../known-roles.ts";
import { choice, type ValueOf } from "./knob.ts";

export const founderRoles = choice(
  "To what `accessKeyRoles` are appended on the key of whoever founds a team.",
  "TEAM_ROLE",
  {
    TEAM_ROLE: "TEAM_ROLE; without any the key has ACCOUNT_ADMIN too",
    "ACCOUNT_ADMIN+TEAM_ROLE": "ACCOUNT_ADMIN and TEAM_ROLE",
  },
);

export function rolesOfFounder(how: ValueOf<typeof founderRoles>, sent: readonly string[]): readonly string[] {
  const asWithout = sent.length === 0 || how === "ACCOUNT_ADMIN+TEAM_ROLE";
  return [...(asWithout ? [accountAdmin] : []), teamRole, ...sent];
}
