import type { Knobs } from "../knobs.ts";
import { accountAdmin, teamRole } from "../known-roles.ts";

export function founderKeyRoles(how: Knobs["founderRoles"], sent: readonly string[]): readonly string[] {
  const asWithout = sent.length === 0 || how === "ACCOUNT_ADMIN+TEAM_ROLE";
  return [...(asWithout ? [accountAdmin] : []), teamRole, ...sent];
}
