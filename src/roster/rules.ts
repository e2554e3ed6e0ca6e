import type { DiagnosticsCollector } from "./complaints.ts";
import type { ResolvedRoster } from "./resolution.ts";
import { checkAddresses } from "./rules/addresses.ts";
import { checkAdministrators } from "./rules/administrators.ts";
import { checkDistinctFrom } from "./rules/distinct-people.ts";
import { checkDuplicateIdentifiers } from "./rules/duplicate-identifiers.ts";
import { checkDuplicateLeavers } from "./rules/duplicate-leavers.ts";
import { checkDuplicateNames } from "./rules/duplicate-names.ts";
import { checkDuplicateTeams } from "./rules/duplicate-teams.ts";
import { checkDuplicateUsers } from "./rules/duplicate-users.ts";
import { checkFormerAddresses } from "./rules/former-addresses.ts";
import { checkFounders } from "./rules/founders.ts";
import { checkKeyDeclarations } from "./rules/key-declarations.ts";
import { checkLeaverKeys } from "./rules/leaver-keys.ts";
import { checkLeavingDates } from "./rules/leaving-dates.ts";
import { checkOnRemoval } from "./rules/removals.ts";
import { checkUsersAndLeavers } from "./rules/users-and-leavers.ts";

/** Tells what in a roster cannot be meant as it is written. */
export type RosterRule = (resolution: ResolvedRoster, log: DiagnosticsCollector) => void;

/** Every rule of the format that needs more than one place to judge. */
export const rosterRules: readonly RosterRule[] = [
  checkAddresses,
  checkDuplicateUsers,
  checkDuplicateLeavers,
  checkUsersAndLeavers,
  checkLeavingDates,
  checkFormerAddresses,
  checkDistinctFrom,
  checkDuplicateTeams,
  checkDuplicateIdentifiers,
  checkDuplicateNames,
  checkAdministrators,
  checkFounders,
  checkOnRemoval,
  checkKeyDeclarations,
  checkLeaverKeys,
];
