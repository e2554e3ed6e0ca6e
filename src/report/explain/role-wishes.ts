import type { FoldedAddress } from "../../model/address.ts";
import type { Reason } from "../../model/fact.ts";
import type { Roster } from "../../model/roster.ts";
import type { TeamKey } from "../../model/team.ts";

/** One key to which the roster gives a role, and the chain that does it. */
export interface RoleGrant {
  /** Whose key it is, in words. */
  readonly whose: string;
  readonly key:
    | { readonly of: "own-key"; readonly address: FoldedAddress }
    | { readonly of: "team-key"; readonly address: FoldedAddress; readonly team: TeamKey }
    | { readonly of: "listed"; readonly prefix: string; readonly owner?: FoldedAddress };
  readonly because: readonly Reason[];
}

/** Every key to which the roster gives a role: own keys, then those in teams, then listed ones, each in roster order. */
export function roleGrants(role: string, roster: Roster): readonly RoleGrant[] {
  const chain = (because: readonly Reason[]) => because.filter((link) => !isOfOtherRoles(link, role, roster));
  const own = [...roster.users.values()].flatMap(({ address, email, ownKeyRoles }): readonly RoleGrant[] => {
    if (ownKeyRoles?.value.includes(role) !== true) return [];
    return [{ whose: `the own key of ${email}`, key: { of: "own-key", address }, because: chain(ownKeyRoles.because) }];
  });
  const inTeams = roster.teams.flatMap(({ key: team, name, members }) =>
    members.flatMap(({ address, roles, because }): readonly RoleGrant[] => {
      if (roles?.includes(role) !== true) return [];
      const email = roster.users.get(address)?.email ?? address;
      return [
        { whose: `the key of ${email} in ${name}`, key: { of: "team-key", address, team }, because: chain(because) },
      ];
    }),
  );
  const listed = roster.keys.flatMap(({ prefix, owner, note, roles, because }): readonly RoleGrant[] => {
    if (!roles.includes(role)) return [];
    const of = owner === undefined ? "" : ` of ${roster.users.get(owner.value)?.email ?? owner.value}`;
    const key = { of: "listed", prefix, ...(owner === undefined ? {} : { owner: owner.value }) } as const;
    return [
      { whose: `the listed key ${prefix}${of}${note === undefined ? "" : ` (${note})`}`, key, because: chain(because) },
    ];
  });
  return [...own, ...inTeams, ...listed];
}

/** A role set that stands in the same list and gives other roles. */
function isOfOtherRoles({ as, name = "" }: Reason, role: string, { roleSets }: Roster): boolean {
  return as === "role-set" && roleSets.get(name)?.value.includes(role) === false;
}
