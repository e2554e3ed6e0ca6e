import type { EmailKey } from "./address.ts";
import { described, object, oneOf, optional, type Static } from "./declare.ts";
import type { Located, Reason } from "./fact.ts";
import { address, name, type Ownership, type TeamKey, team, time } from "./recorded.ts";
import type { RoleEnding, RoleSet } from "./role-set.ts";

export interface DesiredMember {
  readonly ownership?: Ownership | undefined;
  readonly address: EmailKey;
  /** The exact roles of this member's team key; absent where the roster does not manage them. */
  readonly roles?: RoleSet | undefined;
  readonly endings?: readonly RoleEnding[] | undefined;
  /** The first day on which they are no member any more; it has not come yet. */
  readonly until?: Located<string> | undefined;
  /** The prefix of their team key. */
  readonly key?: Located<string> | undefined;
  /** The chain that makes this person a member with these roles: entry, group, roles, role set, team. */
  readonly because: readonly Reason[];
  /** Groups that make them a member as well, and have no say in the roles. */
  readonly alsoBy?: readonly Reason[] | undefined;
}

export type RecordedMembership = Static<typeof membership>;
export const membership = object("One person's place in one team.", {
  team,
  address,
  how: oneOf("created", "added", "seen"),
  at: time,
  prefix: optional(name),
  seenAt: optional(described(time, "When a read first showed a membership that a run made.")),
});

declare const membershipKey: unique symbol;

export type MembershipKey = string & { readonly [membershipKey]: true };

export function membershipKeyOf(team: TeamKey, address: EmailKey): MembershipKey {
  return `${team} ${address}` as MembershipKey;
}

/** The links that lead to somebody's place in a team, every one of them, without those that say which roles they get there. */
export function membershipReasons({ because, alsoBy = [] }: DesiredMember): readonly Reason[] {
  return [...because.filter(({ as }) => as === "member" || as === "group" || as === "group-member"), ...alsoBy];
}
