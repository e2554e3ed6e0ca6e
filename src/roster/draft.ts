import type { FoldedAddress } from "../model/address.ts";
import type { Located } from "../model/place.ts";
import type { Reason } from "../model/reason.ts";
import type { RoleSet } from "../model/role-set.ts";
import type { RosterTeam } from "../model/roster.ts";
import type { Spot } from "../yaml/node.ts";

/** A value together with the spot where it is written, for an error that is found only later. */
export interface Written<T> {
  readonly value: T;
  readonly at: Spot;
}

export interface WrittenAddress extends Written<string> {
  readonly address: FoldedAddress;
}

/** A list of roles before its role sets are looked up. */
export interface WrittenRoles {
  readonly at: Spot;
  readonly roles: readonly string[];
  readonly sets: readonly Written<string>[];
}

export interface DraftUser {
  readonly at: Spot;
  readonly email: WrittenAddress;
  readonly firstName: string;
  readonly lastName: string;
  readonly title: string | undefined;
  readonly externalIdentifier: string | undefined;
  readonly source: string | undefined;
  readonly account: string;
  /** Where the account is named, and the defaults that this user takes. */
  readonly defaults: readonly Reason[];
  readonly previously: readonly WrittenAddress[];
  readonly ownKeyRoles: WrittenRoles | undefined;
  readonly key: Written<string> | undefined;
  readonly until: Written<string> | undefined;
  readonly distinctFrom: readonly WrittenAddress[];
}

export interface DraftLeaver {
  readonly at: Spot;
  readonly email: WrittenAddress;
  /** Where the file, or else the settings, name one. */
  readonly account: string | undefined;
  readonly since: Written<string> | undefined;
  readonly ref: string | undefined;
}

export type OnRemoval = RosterTeam["onRemoval"];

export interface DraftTeam {
  readonly at: Spot;
  readonly name: Written<string>;
  readonly account: string;
  /** Where the account is named. */
  readonly defaults: readonly Reason[];
  readonly identifier: Written<string> | undefined;
  readonly previously: readonly Written<string>[];
  readonly admin: WrittenAddress | undefined;
  readonly founder: WrittenAddress | undefined;
  readonly roles: WrittenRoles | undefined;
  readonly open: boolean;
  readonly onRemoval: Written<OnRemoval> | undefined;
  readonly members: readonly DraftMember[];
  /** False where an entry among the members could not be read. */
  readonly allReadable: boolean;
}

export type DraftMember = DirectMember | GroupMember;

export interface DirectMember {
  readonly is: "user";
  readonly at: Spot;
  readonly user: WrittenAddress;
  readonly roles: WrittenRoles | undefined;
  readonly key: Written<string> | undefined;
}

export interface GroupMember {
  readonly is: "group";
  readonly at: Spot;
  readonly group: Written<string>;
  readonly roles: WrittenRoles | undefined;
}

export interface DraftKey {
  readonly at: Spot;
  readonly prefix: Written<string>;
  readonly owner: WrittenAddress | undefined;
  readonly roles: WrittenRoles;
  readonly note: string | undefined;
}

export interface DraftRoleSet {
  readonly name: Written<string>;
  readonly roles: RoleSet;
}

export interface DraftGroup {
  readonly name: Written<string>;
  readonly members: readonly WrittenAddress[];
}

/** Everything that the files of a roster say, decoded, its references not yet looked up. */
export interface Draft {
  readonly accounts: readonly Located<string>[];
  readonly users: readonly DraftUser[];
  readonly leavers: readonly DraftLeaver[];
  readonly teams: readonly DraftTeam[];
  readonly keys: readonly DraftKey[];
  readonly roleSets: readonly DraftRoleSet[];
  readonly groups: readonly DraftGroup[];
}
