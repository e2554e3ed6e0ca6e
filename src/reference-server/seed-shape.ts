import type { Role } from "./entities.ts";

/**
 * What a server starts with. A list that is absent is as the default: one account `acc-1`, the built-in roles, nobody.
 * People are named by their address or identifier, accounts by their identifier.
 */
export interface Seed {
  readonly accounts?: readonly SeedAccount[];
  /** In place of the built-in ones; the roles that the service itself grants are always there. */
  readonly roles?: readonly SeedRole[];
  readonly users?: readonly SeedUser[];
  readonly teams?: readonly SeedTeam[];
  readonly keys?: readonly SeedKey[];
}

export interface SeedAccount {
  readonly identifier: string;
  /** The identifier where it is absent. */
  readonly name?: string;
  readonly status?: string;
}

export interface SeedRole {
  readonly identifier: string;
  readonly name?: string;
  readonly description?: string;
  readonly type?: Role["type"];
}

/** Gets a key of their own, as if created without a team, unless `keys` has one of the kind `user` for them. */
export interface SeedUser {
  readonly identifier?: string;
  /** The first account where it is absent. */
  readonly account?: string;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly title?: string;
  readonly externalIdentifier?: string;
  readonly source?: string;
  readonly status?: string;
}

export interface SeedTeam {
  readonly identifier?: string;
  /** The first account where it is absent. */
  readonly account?: string;
  readonly name: string;
  readonly admin: string;
  readonly members?: readonly SeedMember[];
}

/** A member with their team key. */
export interface SeedMember {
  readonly user: string;
  readonly prefix?: string;
  readonly secret?: string;
  /** TEAM_ROLE where it is absent. */
  readonly roles?: readonly string[];
  readonly status?: string;
}

export interface SeedKey {
  readonly prefix: string;
  readonly secret?: string;
  readonly owner: string;
  /** `project` where it is absent. */
  readonly kind?: "project" | "user";
  readonly roles: readonly string[];
  readonly status?: string;
}
