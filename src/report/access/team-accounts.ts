import type { Action, TeamRef } from "../../model/action.ts";
import type { TeamKey } from "../../model/team.ts";
import type { AccessChange, TeamLabel } from "./access-change.ts";
import { mapTeamLabel } from "./team-named.ts";

/** The account of each team that actions are about; of none where all of them are about one account. */
export function accountsToShow(actions: readonly Action[]): ReadonlyMap<TeamKey, string> {
  const byTeam = new Map(actions.flatMap(teamOf));
  const created = actions.flatMap((action) => (action.kind === "create-user" ? [action.account] : []));
  return new Set([...byTeam.values(), ...created]).size > 1 ? byTeam : new Map();
}

/** A change with the account of its team, where that is to be told. */
export function withTeamAccount(change: AccessChange, accounts: ReadonlyMap<TeamKey, string>): AccessChange {
  return accounts.size === 0 ? change : mapTeamLabel(change, (team) => addAccount(team, accounts));
}

/** The account of the most teams among those whose account is to be told. */
export function mostCommonAccount(accounts: ReadonlyMap<TeamKey, string>): string | undefined {
  const counts = new Map<string, number>();
  for (const account of accounts.values()) counts.set(account, (counts.get(account) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}

/** A change whose team is told without its account where that is the one that goes without saying. */
export function withoutCommonAccount(change: AccessChange, usual: string | undefined): AccessChange {
  return mapTeamLabel(change, (team) => dropCommonAccount(team, usual));
}

function dropCommonAccount({ account, ...team }: TeamLabel, usual: string | undefined): TeamLabel {
  return account === undefined || account === usual ? team : { ...team, account };
}

function addAccount(team: TeamLabel, accounts: ReadonlyMap<TeamKey, string>): TeamLabel {
  const account = accounts.get(team.team);
  return account === undefined ? team : { ...team, account };
}

function teamOf(action: Action): readonly (readonly [TeamKey, string])[] {
  switch (action.kind) {
    case "create-user":
      return action.founds === undefined ? [] : [[action.founds.team, action.account]];
    case "add-members":
      return [accountOf(action.team)];
    case "replace-roles":
      return action.key.of === "own-key" || action.key.team === undefined ? [] : [accountOf(action.key.team)];
  }
}

function accountOf({ team, account }: TeamRef): readonly [TeamKey, string] {
  return [team, account];
}
