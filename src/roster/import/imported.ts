import type { NewUser } from "../../model/action.ts";
import type { FoldedAddress } from "../../model/address.ts";
import type { RoleSet } from "../../model/role-set.ts";
import type { Roster } from "../../model/roster.ts";
import type { ObservedUser, Snapshot } from "../../model/snapshot.ts";

/** What is to be adopted of a service that was read completely. */
export interface ImportInput {
  readonly snapshot: Snapshot;
  /** Identifiers of the accounts whose people and teams are adopted. */
  readonly accounts: readonly string[];
  /** True where there are no others, so that everybody belongs to one of them. */
  readonly areAll: boolean;
  /** `omit`: people and memberships alone, so that the roster manages the roles of no key. */
  readonly roles: "keep" | "omit";
  /** A roster that is there already: only what it lacks is adopted. */
  readonly existing?: Roster;
  /** The prefix of the key that roster uses, where its owner is to be left out. */
  readonly keyInUse?: string | undefined;
  /** People that the list of users shows and no search finds: a plan would take them for absent. */
  readonly listedOnly?: readonly ObservedUser[];
}

/** What a roster has to say so that a plan made from it is empty, account by account. */
export interface ImportedRoster {
  readonly accounts: readonly ImportedAccount[];
  /** What is not adopted and belongs to no account, one sentence each. */
  readonly remarks: readonly string[];
}

export interface ImportedAccount {
  readonly account: string;
  readonly users: ImportedSection<ImportedUser>;
  readonly teams: ImportedSection<ImportedTeam>;
  readonly keys: ImportedSection<ImportedKey>;
}

/** What is adopted, in the order in which it is written, and one sentence for each thing that is not. */
export interface ImportedSection<T> {
  readonly found: readonly T[];
  readonly remarks: readonly string[];
}

export interface ImportedUser extends NewUser {
  readonly address: FoldedAddress;
  readonly ownKeyRoles?: RoleSet;
}

export interface ImportedTeam {
  readonly name: string;
  readonly identifier: string;
  /** True where the team has members who cannot be named. */
  readonly open: boolean;
  readonly roles?: RoleSet;
  readonly members: readonly ImportedMember[];
  readonly remarks: readonly string[];
}

export interface ImportedMember {
  readonly email: string;
  /** Only where they are not the team's. */
  readonly roles?: RoleSet;
}

export interface ImportedKey {
  readonly prefix: string;
  readonly owner: string;
  readonly roles: RoleSet;
}

export function countImported({ accounts }: ImportedRoster): { users: number; teams: number; keys: number } {
  const counts = { users: 0, teams: 0, keys: 0 };
  for (const { users, teams, keys } of accounts) {
    counts.users += users.found.length;
    counts.teams += teams.found.length;
    counts.keys += keys.found.length;
  }
  return counts;
}
