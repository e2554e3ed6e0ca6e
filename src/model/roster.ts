import type { FoldedAddress } from "./address.ts";
import type { TeamKey } from "./names.ts";
import type { Located, Place } from "./place.ts";
import type { RoleSet } from "./role-set.ts";

/**
 * What is wanted: every roster file of a run taken together, its references resolved and its rules held.
 * Groups and role sets are gone from it; the places that led through them remain.
 */
export interface Roster {
  /** Account identifiers in the order of their first mention. */
  readonly accounts: readonly Located<string>[];
  /** In roster order: files by path, then place in the file. */
  readonly users: ReadonlyMap<FoldedAddress, RosterUser>;
  /** In roster order. */
  readonly teams: readonly RosterTeam[];
  readonly keys: readonly RosterKey[];
}

export interface RosterUser {
  readonly address: FoldedAddress;
  /** As written, and so as sent. */
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly title?: string;
  readonly externalIdentifier?: string;
  readonly source?: string;
  readonly account: string;
  /** Former addresses under which the service may know this person. */
  readonly previously: readonly Located<FoldedAddress>[];
  /** The exact roles of the key that is created with a user who founds no team. */
  readonly ownKeyRoles?: Located<RoleSet>;
  /** The prefix of the key created with the user, where a person knows it. */
  readonly key?: Located<string>;
  readonly place: Place;
}

export interface RosterTeam {
  readonly key: TeamKey;
  readonly name: string;
  readonly account: string;
  /** The service's own identifier, where a person knows it. */
  readonly identifier?: Located<string>;
  readonly previously: readonly Located<string>[];
  /** Used when the team is founded, never compared. */
  readonly admin?: Located<FoldedAddress>;
  /** The new user with whom the team must be created. */
  readonly founder?: Located<FoldedAddress>;
  /** True where members whom the roster does not name are welcome. */
  readonly open: boolean;
  readonly members: readonly RosterMember[];
  readonly place: Place;
}

export interface RosterMember {
  readonly address: FoldedAddress;
  /** The exact roles of this member's team key; absent where the roster does not manage them. */
  readonly roles?: RoleSet;
  /** The prefix of this member's team key, where a person knows it. */
  readonly key?: Located<string>;
  /** The chain that makes this person a member with these roles: entry, group, role set, team. */
  readonly because: readonly Place[];
}

/** A key managed by its prefix, such as a project key. */
export interface RosterKey {
  readonly prefix: string;
  readonly owner?: Located<FoldedAddress>;
  readonly roles: RoleSet;
  readonly note?: string;
  readonly place: Place;
}
