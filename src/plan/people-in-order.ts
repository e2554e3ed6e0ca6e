import { byCodeUnit } from "../model/role-set.ts";
import type { Roster } from "../model/roster.ts";

/**
 * The same roster with its people and keys in the order of their addresses and prefixes, so that the order in which they stand in
 * the files changes nothing of a plan. Teams stay in theirs, which says who is founded first.
 */
export function sortRoster(roster: Roster): Roster {
  return {
    ...roster,
    users: sortByKey(roster.users),
    leavers: sortByKey(roster.leavers),
    teams: roster.teams.map((team) => ({
      ...team,
      members: team.members.toSorted((a, b) => byCodeUnit(a.address, b.address)),
    })),
    keys: roster.keys.toSorted((a, b) => byCodeUnit(a.prefix, b.prefix)),
  };
}

function sortByKey<K extends string, V>(named: ReadonlyMap<K, V>): ReadonlyMap<K, V> {
  return new Map([...named].sort(([a], [b]) => byCodeUnit(a, b)));
}
