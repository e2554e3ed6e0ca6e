import { ownTeamKeys, type Roster, type RosterTeam, teamAliases } from "../model/roster.ts";
import { accountStatus, type ObservedAccount, type ObservedUser } from "../model/snapshot.ts";
import type { State } from "../model/state.ts";
import { foldName } from "../model/team.ts";

/**
 * Teams that nothing declares, records or shows, and that no person says are absent: only the complete list of users
 * can tell whether they have to be founded.
 */
export function teamsToProve(
  roster: Roster,
  known: {
    readonly state: State;
    readonly users: readonly ObservedUser[];
    readonly accounts: ReadonlyMap<string, ObservedAccount>;
    readonly assumeAbsent: readonly string[] | "all";
  },
): readonly RosterTeam[] {
  const { state, users, accounts, assumeAbsent } = known;
  if (assumeAbsent === "all") return [];
  const assumed = new Set(assumeAbsent.map(foldName));
  const shown = shownNames(users);
  const own = ownTeamKeys(roster.teams);
  return roster.teams.filter((team) => {
    if (team.identifier !== undefined || !accounts.has(team.account)) return false;
    if (assumed.has(foldName(team.name))) return false;
    const { names, recordKeys } = teamAliases(team, own);
    if (recordKeys.some((key) => state.teams.has(key))) return false;
    return ![...names].some((name) => shown.has(nameIn(team.account, name)) || shown.has(nameIn(undefined, name)));
  });
}

/** The names of teams that keys show, together with the account of the key's holder where that is shown. */
function shownNames(users: readonly ObservedUser[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { keys, account } of users) {
    for (const { team, status } of keys ?? []) {
      if (team === undefined || team === "none" || team.name === undefined) continue;
      if (accountStatus(status) !== "deleted") names.add(nameIn(account, team.name));
    }
  }
  return names;
}

function nameIn(account: string | undefined, name: string): string {
  return JSON.stringify([account ?? null, foldName(name)]);
}
