import type { Complaints } from "./complaints.ts";
import type { Resolution } from "./resolution.ts";
import { addresses } from "./rules/addresses.ts";
import { administrators } from "./rules/administrators.ts";
import { distinctPeople } from "./rules/distinct-people.ts";
import { duplicateIdentifiers } from "./rules/duplicate-identifiers.ts";
import { duplicateLeavers } from "./rules/duplicate-leavers.ts";
import { duplicateNames } from "./rules/duplicate-names.ts";
import { duplicateTeams } from "./rules/duplicate-teams.ts";
import { duplicateUsers } from "./rules/duplicate-users.ts";
import { formerAddresses } from "./rules/former-addresses.ts";
import { founders } from "./rules/founders.ts";
import { keyDeclarations } from "./rules/key-declarations.ts";
import { leaverKeys } from "./rules/leaver-keys.ts";
import { leavingDates } from "./rules/leaving-dates.ts";
import { removals } from "./rules/removals.ts";
import { usersAndLeavers } from "./rules/users-and-leavers.ts";

/** Tells what in a roster cannot be meant as it is written. */
export type Rule = (resolution: Resolution, log: Complaints) => void;

/** Every rule of the format that needs more than one place to judge. */
export const rules: readonly Rule[] = [
  addresses,
  duplicateUsers,
  duplicateLeavers,
  usersAndLeavers,
  leavingDates,
  formerAddresses,
  distinctPeople,
  duplicateTeams,
  duplicateIdentifiers,
  duplicateNames,
  administrators,
  founders,
  removals,
  keyDeclarations,
  leaverKeys,
];
