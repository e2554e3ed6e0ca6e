import type { GuardName } from "../../model/policy.ts";
import type { FindingDraft } from "../finding-draft.ts";
import { allowedEmailDomains } from "./allowed-email-domains.ts";
import { emptyRoster } from "./empty-roster.ts";
import { exclusiveRoles, reportExclusiveRoles } from "./exclusive-roles.ts";
import type { GuardInput, HoldGuard, StopGuard } from "./guard-types.ts";
import { incompleteSnapshot } from "./incomplete-snapshot.ts";
import { maxHolders, reportMaxHolders } from "./max-holders.ts";
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

/**
 * Guards that withhold, in the order of their findings. `unproven-team` is a hold as well, and none of these: such
 * a team is no part of a plan to begin with, and is allowed as `absent:team:NAME`.
 */
export const holds: readonly HoldGuard[] = [
  allowedEmailDomains,
  nearDuplicate,
  privilegedRoles,
  exclusiveRoles,
  ownKey,
  protectedResources,
  renamedTeam,
];

/** Guards that refuse. */
export const stops: readonly StopGuard[] = [
  maxNewUsers,
  maxInvitations,
  maxRoleRemovals,
  minAdmins,
  requiredAdmins,
  maxHolders,
  emptyRoster,
  incompleteSnapshot,
];

/** Tells what guards have against access that there is after a plan that they do not refuse. */
type AccessReport = (input: GuardInput, refusing: ReadonlySet<GuardName>) => readonly FindingDraft[];

export const reports: readonly AccessReport[] = [reportExclusiveRoles, reportMaxHolders];
