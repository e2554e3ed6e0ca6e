import type { FoldedAddress } from "../../model/address.ts";
import { showPlace } from "../../model/place.ts";
import { type RoleSet, sameRoles } from "../../model/role-set.ts";
import type { Complaints } from "../complaints.ts";
import type { DraftTeam, Written } from "../draft.ts";
import type { Resolution } from "../resolution.ts";

/** One declaration of a prefix: under `keys`, as a user's own key, or as a member's team key. */
interface Claim {
  readonly as: "listed" | "own" | "team";
  readonly prefix: Written<string>;
  readonly owner: FoldedAddress | undefined;
  readonly team: DraftTeam | undefined;
  /** Absent where this declaration does not manage the key's roles. */
  readonly roles: RoleSet | undefined;
}

/** A prefix is one key: of one person, of one team at the most, and with one list of roles. */
export function keyDeclarations(resolution: Resolution, log: Complaints): void {
  const first = new Map<string, Map<Claim["as"], Claim>>();
  for (const claim of claimsOf(resolution)) {
    const others = first.get(claim.prefix.value) ?? new Map<Claim["as"], Claim>();
    first.set(claim.prefix.value, others);
    for (const other of others.values()) if (tellClash(claim, other, log)) break;
    if (!others.has(claim.as)) others.set(claim.as, claim);
  }
}

function* claimsOf({ users, teams, keys }: Resolution): Iterable<Claim> {
  for (const { draft, ownKeyRoles } of users) {
    const { key: prefix, email } = draft;
    if (prefix) yield { as: "own", prefix, owner: email.address, team: undefined, roles: ownKeyRoles?.roles };
  }
  for (const { draft: team, members } of teams) {
    for (const { key: prefix, address: owner, roles } of members.values())
      if (prefix) yield { as: "team", prefix, owner, team, roles };
  }
  for (const { draft, roles } of keys) {
    const { prefix, owner } = draft;
    yield { as: "listed", prefix, owner: owner?.address, team: undefined, roles: roles.roles };
  }
}

function tellClash(claim: Claim, other: Claim, log: Complaints): boolean {
  const prefix = `The key \`${claim.prefix.value}\``;
  const where = showPlace(other.prefix.at.place);
  const hint = "Correct the prefix that is wrong, or remove one of the two.";
  const duplicate = (what: string) => {
    log.error(claim.prefix.at, "duplicate-prefix", `${prefix} ${what}; the first at ${where}.`, hint);
    return true;
  };
  if (claim.owner && other.owner && claim.owner !== other.owner)
    return duplicate("is declared as the key of two people");
  if (claim.team && other.team && claim.team !== other.team) return duplicate("is declared as the key of two teams");
  if (claim.roles && other.roles && !sameRoles(claim.roles, other.roles)) {
    const message = `${prefix} is given other roles here than at ${where}, and neither outranks the other.`;
    log.error(claim.prefix.at, "conflicting-roles", message, "Give its roles in one place.");
    return true;
  }
  return claim.as === "listed" && other.as === "listed" ? duplicate("is listed twice") : false;
}
