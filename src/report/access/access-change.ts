import type { ActionId, RuleName } from "../../model/action.ts";
import type { FoldedAddress } from "../../model/address.ts";
import type { Place, Reason } from "../../model/fact.ts";
import type { RoleSet } from "../../model/role-set.ts";
import type { TeamKey } from "../../model/team.ts";

/** What one person, or whoever holds one key, gains and loses by a plan. */
export interface PersonAccess {
  readonly who: AccessHolder;
  /** Never empty; in the order of the plan. */
  readonly changes: readonly AccessChange[];
}

export type AccessHolder =
  | {
      readonly is: "person";
      readonly address: FoldedAddress;
      /** As written. */
      readonly email: string;
      /** First and last name, where the plan creates the person. */
      readonly name?: string;
    }
  /** A key whose owner the plan does not name. */
  | { readonly is: "key"; readonly prefix: string };

export type AccessChange = AccountChange | MembershipChange | RoleChange;

/** Where a change comes from. */
export interface ChangeOrigin {
  /** The call by which it happens. */
  readonly action: ActionId;
  readonly rule: RuleName;
  /** The lines that ask for it, the first for the most. */
  readonly because: readonly Reason[];
}

/** The person is created. */
export interface AccountChange extends ChangeOrigin {
  readonly is: "account";
  readonly account: string;
}

/** The person comes into a team, or is mailed once more about a place there. */
export interface MembershipChange extends ChangeOrigin {
  readonly is: "membership";
  readonly team: TeamLabel;
  /** `founder`: the team comes into being with the person, and no mail tells of it. */
  readonly how: "founder" | "added" | "invited-again";
}

/** The roles of one key change, or a key comes with roles. */
export interface RoleChange extends ChangeOrigin {
  readonly is: "roles";
  readonly key: ChangedKey;
  /** What it has afterwards and had not, or may not have had, before. */
  readonly gains: RoleSet;
  /** What it is known to have had, and has no more. */
  readonly loses: RoleSet;
  readonly keeps: RoleSet;
  readonly before: RolesBefore;
  /** `at-least`: the service may add to it. `whatever-comes`: nobody asks for any, and the service gives what it gives. */
  readonly after: "exactly" | "at-least" | "whatever-comes";
  /** Privileged roles that it carries until it is made exact. */
  readonly forAMoment: RoleSet;
}

export type RolesBefore =
  | { readonly known: "shown" }
  | { readonly known: "recorded"; readonly at: string }
  | { readonly known: "declared"; readonly place: Place }
  /** The key comes with this plan. */
  | { readonly known: "new-key" }
  | { readonly known: "not-known"; readonly why: string };

export type ChangedKey =
  | { readonly of: "team-key"; readonly team: TeamLabel; readonly prefix?: string }
  | { readonly of: "own-key"; readonly prefix?: string }
  | { readonly of: "key"; readonly prefix: string };

export interface TeamLabel {
  readonly team: TeamKey;
  readonly name: string;
  /** Where the plan is about more than one account. */
  readonly account?: string;
  /** Where the plan is about another team of this name in this account. */
  readonly identifier?: string;
}
