import { allowedEmailDomains } from "./allowed-email-domains.ts";
import { emptyRoster } from "./empty-roster.ts";
import type { HoldGuard, StopGuard } from "./guard-types.ts";
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

/** Guards that withhold, in the order of their findings. */
export const holds: readonly HoldGuard[] = [
  allowedEmailDomains,
  nearDuplicate,
  privilegedRoles,
  ownKey,
  protectedResources,
  renamedTeam,
];

export const stops: readonly StopGuard[] = [
  maxNewUsers,
  maxInvitations,
  maxRoleRemovals,
  minAdmins,
  requiredAdmins,
  emptyRoster,
  incompleteSnapshot,
];
