import { foldName, type TeamKey, teamKeyOf } from "./names.ts";
import type { RosterTeam } from "./roster.ts";

/** The names under which a team may be known, folded, and the keys under which a record may have it: its own first. */
export interface TeamAliases {
  readonly names: ReadonlySet<string>;
  readonly recordKeys: readonly TeamKey[];
}

/** Another team's own name is nobody's former name. */
export function teamAliases(team: RosterTeam, own: ReadonlySet<TeamKey>): TeamAliases {
  const former = team.previously.map(({ value }) => ({ name: foldName(value), key: teamKeyOf(team.account, value) }));
  const free = former.filter(({ key }) => !own.has(key));
  return {
    names: new Set([foldName(team.name), ...free.map(({ name }) => name)]),
    recordKeys: [team.key, ...free.map(({ key }) => key)],
  };
}

/** The keys of the teams' own names. */
export function ownTeamKeys(teams: readonly RosterTeam[]): ReadonlySet<TeamKey> {
  return new Set(teams.map(({ account, name }) => teamKeyOf(account, name)));
}
