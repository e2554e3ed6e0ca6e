import type { FoldedAddress } from "../model/address.ts";
import type { Reason } from "../model/reason.ts";
import type { RoleSet } from "../model/role-set.ts";
import type { SourceRange } from "../yaml/node.ts";
import type {
  KeyEntry,
  LeaverEntry,
  RoleSetEntry,
  RosterDocument,
  SourceAddress,
  SourceValue,
  TeamEntry,
  UserEntry,
} from "./draft.ts";

/** A roster whose references have been looked up; what the rules judge. */
export interface ResolvedRoster {
  /** The day of this run, as in `2026-11-20`. */
  readonly today: string;
  readonly newUsers: NewUserRules | undefined;
  readonly draft: RosterDocument;
  readonly references: RosterReferences;
  readonly users: readonly ResolvedUser[];
  readonly teams: readonly ResolvedTeam[];
  readonly keys: readonly ResolvedKey[];
}

/** Where no service is asked who is there, every user counts as one who is to be created. */
export interface NewUserRules {
  readonly singleLabelDomains: "allowed" | "refused";
}

/** What names refer to. Of two with one name the first counts. */
export interface RosterReferences {
  readonly users: ReadonlyMap<FoldedAddress, UserEntry>;
  readonly leavers: ReadonlyMap<FoldedAddress, LeaverEntry>;
  readonly roleSets: ReadonlyMap<string, RoleSetEntry>;
  readonly groups: ReadonlyMap<string, ResolvedGroup>;
}

export interface ResolvedGroup {
  readonly name: SourceValue<string>;
  /** Users of the roster, each once. */
  readonly people: readonly SourceAddress[];
}

export interface ResolvedRoles {
  readonly at: SourceRange;
  readonly roles: RoleSet;
  /** The definitions of the role sets that they came from, or the `until` for which there are none. */
  readonly through: readonly Reason[];
}

export interface ResolvedUser {
  readonly draft: UserEntry;
  readonly ownKeyRoles: ResolvedRoles | undefined;
}

export interface ResolvedTeam {
  readonly draft: TeamEntry;
  readonly members: ReadonlyMap<FoldedAddress, ResolvedMember>;
  /** False where a member or a group could not be read or found, so that nobody can be said to be missing. */
  readonly isComplete: boolean;
}

export interface ResolvedMember {
  readonly address: FoldedAddress;
  readonly at: SourceRange;
  readonly roles: RoleSet | undefined;
  readonly key: SourceValue<string> | undefined;
  /** The entry, the person's line in the group, the roles, the role sets, the team. */
  readonly because: readonly Reason[];
  /** The groups that make them a member as well. */
  readonly alsoBy: readonly Reason[];
}

export interface ResolvedKey {
  readonly draft: KeyEntry;
  readonly roles: ResolvedRoles;
}
