import type { AcceptEntry } from "../model/accept.ts";
import type { EmailKey } from "../model/address.ts";
import type { Located, Reason } from "../model/fact.ts";
import type { Ownership } from "../model/recorded.ts";
import type { RoleSet } from "../model/role-set.ts";
import type { DesiredTeam } from "../model/team.ts";
import type { SourceValue } from "../yaml/decode.ts";
import type { SourceRange } from "../yaml/source-text.ts";

export interface SourceAddress extends SourceValue<string> {
  readonly address: EmailKey;
}

/** A list of roles before its role sets are looked up. */
export interface RoleReferences {
  readonly at: SourceRange;
  readonly roles: readonly string[];
  readonly sets: readonly SourceValue<string>[];
  /** Those that count only for a time. */
  readonly timed: readonly TimedRole[];
}

/** A role, or the roles of a role set, from one day until another. */
export interface TimedRole extends Period {
  readonly at: SourceRange;
  readonly is: "role" | "set";
  readonly name: SourceValue<string>;
}

/** What an entry says of whose it is. */
interface OwnedEntry {
  readonly ownership?: Ownership | undefined;
}

export interface UserEntry extends Period, OwnedEntry {
  readonly at: SourceRange;
  readonly email: SourceAddress;
  readonly firstName: string;
  readonly lastName: string;
  readonly title?: string | undefined;
  readonly externalIdentifier?: string | undefined;
  readonly source?: string | undefined;
  readonly account: string;
  /** Where the account is named, and the defaults that this user takes. */
  readonly defaults: readonly Reason[];
  readonly previously: readonly SourceAddress[];
  readonly ownKeyRoles?: RoleReferences | undefined;
  readonly key?: SourceValue<string> | undefined;
  readonly distinctFrom: readonly SourceAddress[];
}

export interface LeaverEntry extends OwnedEntry {
  readonly at: SourceRange;
  readonly email: SourceAddress;
  /** Where the file, or else the settings, name one. */
  readonly account?: string | undefined;
  readonly since?: SourceValue<string> | undefined;
}

export type OnRemoval = DesiredTeam["onRemoval"];

export interface TeamEntry extends OwnedEntry {
  readonly at: SourceRange;
  readonly name: SourceValue<string>;
  readonly account: string;
  /** Where the account is named. */
  readonly defaults: readonly Reason[];
  readonly identifier?: SourceValue<string> | undefined;
  readonly previously: readonly SourceValue<string>[];
  readonly admin?: SourceAddress | undefined;
  readonly firstMember?: SourceAddress | undefined;
  readonly roles?: RoleReferences | undefined;
  readonly open: boolean;
  readonly onRemoval?: SourceValue<OnRemoval> | undefined;
  readonly members: readonly MemberEntry[];
  /** False where an entry among the members could not be read. */
  readonly allReadable: boolean;
}

export type MemberEntry = UserMemberEntry | GroupMemberEntry;

/** From which day until which an entry counts. */
export interface Period {
  /** The first day on which it counts. */
  readonly from?: SourceValue<string> | undefined;
  /** The first day on which it does not count any more. */
  readonly until?: SourceValue<string> | undefined;
}

export interface UserMemberEntry extends Period, OwnedEntry {
  readonly is: "user";
  readonly at: SourceRange;
  readonly user: SourceAddress;
  readonly roles?: RoleReferences | undefined;
  readonly key?: SourceValue<string> | undefined;
}

export interface GroupMemberEntry extends Period, OwnedEntry {
  readonly is: "group";
  readonly at: SourceRange;
  readonly group: SourceValue<string>;
  readonly roles?: RoleReferences | undefined;
}

export interface KeyEntry extends OwnedEntry {
  readonly at: SourceRange;
  readonly prefix: SourceValue<string>;
  /** The user who holds it, where `owner` is an address. */
  readonly owner?: SourceAddress | undefined;
  readonly roles: RoleReferences;
}

export interface RoleSetEntry {
  readonly name: SourceValue<string>;
  readonly roles: RoleSet;
}

export interface GroupEntry {
  readonly name: SourceValue<string>;
  readonly members: readonly SourceAddress[];
}

/** A code, a reason that says something, and the last day on which both count. */
export interface AcceptDraft extends Omit<AcceptEntry, "until" | "place"> {
  readonly at: SourceRange;
  readonly until: SourceValue<string>;
}

/** Everything that the files of a roster say, decoded, its references not yet looked up. */
export interface RosterDocument {
  readonly accounts: readonly Located<string>[];
  readonly users: readonly UserEntry[];
  readonly leavers: readonly LeaverEntry[];
  readonly teams: readonly TeamEntry[];
  readonly keys: readonly KeyEntry[];
  readonly roleSets: readonly RoleSetEntry[];
  readonly groups: readonly GroupEntry[];
  readonly accept: readonly AcceptDraft[];
}
