import type { HoldName, StopName } from "../../codes/guards.ts";
import { allowedEmailDomains } from "./allowed-email-domains.ts";
import { emptyRoster } from "./empty-roster.ts";
import type { GuardInput, Hold, Stop } from "./guard-types.ts";
import { incompleteSnapshot } from "./incomplete-snapshot.ts";
import { maxInvitations } from "./max-invitations.ts";
import { maxNewUsers } from "./max-new-users.ts";
import { maxRoleRemovals } from "./max-role-removals.ts";
import { minAdmins } from "./min-admins.ts";
import { nearDuplicate } from "./near-duplicate.ts";
import { ownKey } from "./own-key.ts";
import { privilegedRoles } from "./privileged-roles.ts";
import { protectedResources } from "./protected.ts";
import { renamedTeam } from "./renamed-team.ts";
import { requiredAdmins } from "./required-admins.ts";

/** Guards that withhold actions. Each of their holds is a finding of its own. */
export const holds: Readonly<Record<HoldName, (input: GuardInput) => readonly Hold[]>> = {
  "allowed-email-domains": allowedEmailDomains,
  "near-duplicate": nearDuplicate,
  "privileged-roles": privilegedRoles,
  "own-key": ownKey,
  protected: protectedResources,
  "renamed-team": renamedTeam,
};

/** Guards that refuse the plan as a whole. */
export const stops: Readonly<Record<StopName, (input: GuardInput) => Stop | undefined>> = {
  "max-new-users": maxNewUsers,
  "max-invitations": maxInvitations,
  "max-role-removals": maxRoleRemovals,
  "min-admins": minAdmins,
  "required-admins": requiredAdmins,
  "empty-roster": emptyRoster,
  "incomplete-snapshot": incompleteSnapshot,
};
