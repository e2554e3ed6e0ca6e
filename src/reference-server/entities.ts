/** A container of users. */
export interface Account {
  readonly identifier: string;
  name: string;
  status: string;
  /** In the order of their creation. */
  readonly users: User[];
}

export interface User {
  readonly identifier: string;
  readonly account: Account;
  /** Milliseconds since the epoch; 0 for what was there from the start. */
  readonly createdAt: number;
  /** As it was sent. */
  email: string;
  firstName: string;
  lastName: string;
  title: string | null;
  externalIdentifier: string | null;
  source: string | null;
  status: string;
  /** In the order of their creation. */
  readonly keys: Set<Key>;
}

/** Whoever holds one of its keys is its member. */
export interface Team {
  readonly identifier: string;
  readonly account: Account;
  /** Milliseconds since the epoch; 0 for what was there from the start. */
  readonly createdAt: number;
  name: string;
  admin: User;
  /** The one team key of each member. */
  readonly members: Map<User, Key>;
}

export interface Key {
  readonly prefix: string;
  readonly secret: string;
  readonly kind: "user" | "team" | "project";
  readonly owner: User;
  /** For a team key, and for no other. */
  readonly team: Team | undefined;
  /** True for the key that a user has without any team. */
  readonly isDefault: boolean;
  /** Milliseconds since the epoch; 0 for what was there from the start. */
  readonly createdAt: number;
  status: string;
  roles: readonly string[];
  /** What the roles were before, oldest first, as far back as a read may still show it. */
  formerRoles: readonly FormerRoles[];
}

interface FormerRoles {
  readonly roles: readonly string[];
  /** When others took their place, in milliseconds since the epoch. */
  readonly until: number;
}

export interface Role {
  readonly identifier: string;
  readonly name: string;
  readonly description: string;
  readonly type: "user" | "system";
}

/** The one status with which a key, a user or an account works. */
export const active = "Active";

/** A status that is final. */
export function isDeleted(holder: { readonly status: string }): boolean {
  return holder.status.toLowerCase() === "deleted";
}

export function isActive(holder: { readonly status: string }): boolean {
  return holder.status.toLowerCase() === active.toLowerCase();
}

/** The account that a key acts in: its team's, else its owner's. */
export function accountOfKey(key: Key): Account {
  return key.team?.account ?? key.owner.account;
}

/** One form for all letter cases of an address. */
export function foldEmail(email: string): string {
  return email.toLowerCase();
}

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
