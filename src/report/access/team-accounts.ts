import type { Action, TeamRef } from "../../model/action.ts";
import type { TeamKey } from "../../model/names.ts";
import type { AccessChange, NamedTeam } from "./access-change.ts";
import { withTeamNamed } from "./team-named.ts";

/** The account of each team that actions are about; of none where all of them are about one account. */
export function accountsToTell(actions: readonly Action[]): ReadonlyMap<TeamKey, string> {
  const byTeam = new Map(actions.flatMap(teamOf));
  const created = actions.flatMap((action) => (action.kind === "create-user" ? [action.account] : []));
  return new Set([...byTeam.values(), ...created]).size > 1 ? byTeam : new Map();
}

/** A change with the account of its team, where that is to be told. */
export function withAccount(change: AccessChange, accounts: ReadonlyMap<TeamKey, string>): AccessChange {
  return accounts.size === 0 ? change : withTeamNamed(change, (team) => located(team, accounts));
}

/** The account of the most teams among those whose account is to be told. */
export function usualAccount(accounts: ReadonlyMap<TeamKey, string>): string | undefined {
  const counts = new Map<string, number>();
  for (const account of accounts.values()) counts.set(account, (counts.get(account) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}

/** A change whose team is told without its account where that is the one that goes without saying. */
export function withoutUsual(change: AccessChange, usual: string | undefined): AccessChange {
  return withTeamNamed(change, (team) => unlocated(team, usual));
}

function unlocated({ account, ...team }: NamedTeam, usual: string | undefined): NamedTeam {
  return account === undefined || account === usual ? team : { ...team, account };
}

function located(team: NamedTeam, accounts: ReadonlyMap<TeamKey, string>): NamedTeam {
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
