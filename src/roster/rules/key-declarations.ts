import type { FoldedAddress } from "../../model/address.ts";
import { formatPlace } from "../../model/place.ts";
import { type RoleSet, sameRoles } from "../../model/role-set.ts";
import type { DiagnosticsCollector } from "../complaints.ts";
import type { SourceValue, TeamEntry } from "../draft.ts";
import type { ResolvedRoster } from "../resolution.ts";

/** One declaration of a prefix: under `keys`, as a user's own key, or as a member's team key. */
interface KeyDeclaration {
  readonly as: "listed" | "own" | "team";
  readonly prefix: SourceValue<string>;
  readonly owner: FoldedAddress | undefined;
  readonly team: TeamEntry | undefined;
  /** Absent where this declaration does not manage the key's roles. */
  readonly roles: RoleSet | undefined;
}

/** A prefix is one key: of one person, of one team at the most, and with one list of roles. */
export function checkKeyDeclarations(resolution: ResolvedRoster, log: DiagnosticsCollector): void {
  const first = new Map<string, Map<KeyDeclaration["as"], KeyDeclaration>>();
  for (const claim of declarationsOf(resolution)) {
    const others = first.get(claim.prefix.value) ?? new Map<KeyDeclaration["as"], KeyDeclaration>();
    first.set(claim.prefix.value, others);
    for (const other of others.values()) if (reportConflict(claim, other, log)) break;
    if (!others.has(claim.as)) others.set(claim.as, claim);
  }
}

function* declarationsOf({ users, teams, keys }: ResolvedRoster): Iterable<KeyDeclaration> {
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

function reportConflict(claim: KeyDeclaration, other: KeyDeclaration, log: DiagnosticsCollector): boolean {
  const prefix = `The key \`${claim.prefix.value}\``;
  const where = formatPlace(other.prefix.at.place);
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
