import type { Complaints } from "./complaints.ts";
import type { Resolution } from "./resolution.ts";
import { administrators } from "./rules/administrators.ts";
import { duplicateIdentifiers } from "./rules/duplicate-identifiers.ts";
import { duplicateNames } from "./rules/duplicate-names.ts";
import { duplicateTeams } from "./rules/duplicate-teams.ts";
import { duplicateUsers } from "./rules/duplicate-users.ts";
import { formerAddresses } from "./rules/former-addresses.ts";
import { founders } from "./rules/founders.ts";
import { keyDeclarations } from "./rules/key-declarations.ts";

/** Tells what in a roster cannot be meant as it is written. */
export type Rule = (resolution: Resolution, log: Complaints) => void;

/** Every rule of the format that needs more than one place to judge. */
export const rules: readonly Rule[] = [
  duplicateUsers,
  formerAddresses,
  duplicateTeams,
  duplicateIdentifiers,
  duplicateNames,
  administrators,
  founders,
  keyDeclarations,
];
