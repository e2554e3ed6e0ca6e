import type { Action, TeamRef } from "../../model/action.ts";
import { factValue } from "../../model/fact.ts";
import { type TeamKey, teamKeyOf } from "../../model/team.ts";
import type { AccessChange, TeamLabel } from "./access-change.ts";
import { mapTeamLabel } from "./team-named.ts";

/** The identifier of each team that shares its name with another one of its account that actions are about. */
export function identifiersToShow(actions: readonly Action[]): ReadonlyMap<TeamKey, string> {
  const teams = new Map(actions.flatMap(teamsOf).map((team) => [team.team, team]));
  const named = new Map<TeamKey, number>();
  for (const team of teams.values()) named.set(plainKey(team), (named.get(plainKey(team)) ?? 0) + 1);
  return new Map(
    [...teams.values()].flatMap((team) => {
      const identifier = factValue(team.identifier);
      const isTwin = (named.get(plainKey(team)) ?? 0) > 1;
      return isTwin && identifier !== undefined ? [[team.team, identifier] as const] : [];
    }),
  );
}

/** A change with the identifier of its team, where that is to be told. */
export function withTeamIdentifier(change: AccessChange, identifiers: ReadonlyMap<TeamKey, string>): AccessChange {
  return identifiers.size === 0 ? change : mapTeamLabel(change, (team) => addIdentifier(team, identifiers));
}

function addIdentifier(team: TeamLabel, identifiers: ReadonlyMap<TeamKey, string>): TeamLabel {
  const identifier = identifiers.get(team.team);
  return identifier === undefined ? team : { ...team, identifier };
}

function plainKey({ account, name }: TeamRef): TeamKey {
  return teamKeyOf(account, name);
}

/** Of a team that the plan founds nobody knows an identifier, and no other has its name. */
function teamsOf(action: Action): readonly TeamRef[] {
  switch (action.kind) {
    case "create-user":
      return [];
    case "add-members":
      return [action.team];
    case "replace-roles":
      return action.key.of === "own-key" || action.key.team === undefined ? [] : [action.key.team];
  }
}
