import type { Role } from "./entities.ts";

/** Carried by a Platform Administrator's key. */
export const systemOwner = "SYSTEM_OWNER";
/** Carried by an Account Administrator's key. */
export const accountAdmin = "ACCOUNT_ADMIN";
/** Carried by every key from its creation on. */
export const teamRole = "TEAM_ROLE";

/** The roles that the service itself speaks of; they are there whatever a seed says. */
export const essentialRoles: readonly Role[] = [
  role(systemOwner, "System Owner", "Platform Administrator: manages every account.", "system"),
  role(accountAdmin, "Account Administrator", "Manages the users, teams and keys of one account.", "user"),
  role(teamRole, "Team Role", "Takes part in the work of a team.", "user"),
];

/** The roles of a service whose seed names none. */
export const builtInRoles: readonly Role[] = [
  ...essentialRoles,
  role("DATA_SCIENTIST", "Data Scientist", "Trains and publishes models.", "user"),
  role("DEVELOPER", "Developer", "Runs jobs and reads their results.", "user"),
  role("AUDITOR", "Auditor", "Reads everything and changes nothing.", "user"),
  role("PROJECT", "Project", "Runs the jobs of one project.", "user"),
];

function role(identifier: string, name: string, description: string, type: Role["type"]): Role {
  return { identifier, name, description, type };
}
