import type { Basis } from "./fact.ts";
import type { HoldName } from "./guard.ts";
import type { Reason } from "./reason.ts";

/** What a person has to know or do, because no call of the interface can. */
export interface Finding {
  readonly class: FindingClass;
  /** Blocking: the roster does not get what it asks for, or somebody holds access that it denies. */
  readonly blocking: boolean;
  readonly code: FindingCode;
  /** Stable across runs for the same matter: a digest of the code and of what it is about. */
  readonly fingerprint: string;
  /** What it is about, such as `user ada@acme.example`, `team acc-1/data science`, `key 12pref1x121`. */
  readonly subject: string;
  /** What, why and what a person can do. */
  readonly message: string;
  readonly because: readonly Reason[];
  readonly restsOn: readonly Basis[];
  /** YAML to paste, where that is a way out. */
  readonly suggestedYaml?: string;
  /** Where a guard holds something: what to say after `--allow` to let this very plan pass, as in `near-duplicate@3f2a90c1d4e5b678`. */
  readonly allow?: readonly string[];
}

/** In the order in which a report tells them. */
export const findingClasses = ["blocked", "uncorrectable", "unknown", "pending", "unmanaged", "information"] as const;

export type FindingClass = (typeof findingClasses)[number];

export type FindingCode =
  // accounts
  | "unknown-account"
  | "inactive-account"
  // people
  | "unproven-user"
  | "ambiguous-user"
  | "unsafe-address"
  | "non-ascii-address"
  | "deleted-user"
  | "barred-user"
  | "pending-user"
  | "invitation-expired"
  | "invited-before"
  | "former-address"
  | "vanished"
  | "other-account"
  | "user-adopted"
  | "profile-differs"
  | "profile-adapted"
  | "unmanaged-user"
  | "unmanaged-privilege"
  | "everyone-unread"
  // leavers, and those whom nobody names any more
  | "leaver-remains"
  | "leaver-barred"
  | "leaver-unproven"
  | "until-soon"
  | "dropped"
  // teams
  | "unproven-team"
  | "incomplete-list"
  | "ambiguous-team"
  | "former-team-name"
  | "team-renamed"
  | "team-without-founder"
  | "team-without-admin"
  | "team-identifier-unknown"
  // memberships
  | "extra-member"
  | "disarmed-member"
  | "member-removed"
  | "unknown-membership"
  // keys and roles
  | "unknown-role"
  | "role-of-another-kind"
  | "key-ambiguous"
  | "unknown-key"
  | "key-prefix-unknown"
  | "own-key-unknown"
  | "key-owner-differs"
  | "conflicting-roles"
  | "roles-implied"
  | "emptied-key"
  | "privilege-for-a-moment"
  | "unlisted-key"
  | "unlisted-key-privilege"
  | "privileges-unread"
  // guards that hold
  | Exclude<HoldName, "unproven-team">
  | "idle-allowance"
  | "idle-recreation"
  // the run itself
  | "settling"
  | "unknown-outcome"
  | "refused"
  | "not-selected"
  | "rests-on-records"
  | "unread-fields"
  // a plan that was made of a kept snapshot
  | "from-snapshot"
  | "not-checked";
