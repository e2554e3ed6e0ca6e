import type { RoleSet } from "../../model/role-set.ts";
import type { AccessChange, RoleChange } from "./access-change.ts";

/** What of a change of roles is about privileged ones. */
export interface PrivilegeChange {
  readonly gains: RoleSet;
  readonly loses: RoleSet;
  readonly forAMoment: RoleSet;
}

export function privilegeChange(change: RoleChange, privileged: RoleSet): PrivilegeChange {
  const of = (roles: RoleSet) => roles.filter((role) => privileged.includes(role));
  // What a key has for a moment was called a privilege by whoever made the plan.
  return { gains: of(change.gains), loses: of(change.loses), forAMoment: change.forAMoment };
}

/** What changes for somebody, the first for what a reviewer has to look at most. */
export const accessRanks = ["gains-privilege", "privilege-for-a-moment", "loses-privilege", "loses", "other"] as const;

export type AccessRank = (typeof accessRanks)[number];

/** The rank of the change that a reviewer has to look at most. */
export function highestRank(changes: readonly AccessChange[], privileged: RoleSet): AccessRank {
  const ranks = new Set(changes.map((change) => rankOfChange(change, privileged)));
  return accessRanks.find((rank) => ranks.has(rank)) ?? "other";
}

/** Whether a change gives or takes a privileged role, be it for a moment. */
export function isPrivilegedChange(change: AccessChange, privileged: RoleSet): boolean {
  const rank = rankOfChange(change, privileged);
  return rank !== "loses" && rank !== "other";
}

function rankOfChange(change: AccessChange, privileged: RoleSet): AccessRank {
  if (change.is !== "roles") return "other";
  const { gains, loses, forAMoment } = privilegeChange(change, privileged);
  if (gains.length > 0) return "gains-privilege";
  if (forAMoment.length > 0) return "privilege-for-a-moment";
  if (loses.length > 0) return "loses-privilege";
  return losesRoles(change) ? "loses" : "other";
}

/** A key of which nobody knows what it had loses whatever is not asked for. */
function losesRoles({ loses, before, after }: RoleChange): boolean {
  return loses.length > 0 || (before.known === "not-known" && after === "exactly");
}
