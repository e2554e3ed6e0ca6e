import type { RosterTeam } from "../../model/roster.ts";
import { teamSubject } from "../subjects.ts";
import { findRenameCandidates, formatRenameCandidates, type RenameCandidate, renameYaml } from "./alike-teams.ts";
import type { GuardInput, Hold, HoldGuard } from "./guard.ts";
import { findOrphanedTeams } from "./teams-left.ts";

/**
 * Protects from founding a team again under a new name: no team is founded whose members are mostly those of a team that our
 * records know, or the service shows, and that the roster has no more. On unless set to `off`; settled by `previously` or
 * `identifier`, allowed with `--allow renamed-team@PLANID`.
 */
export const renamedTeam: HoldGuard = { name: "renamed-team", check };

function check({ context, actions, teams }: GuardInput): readonly Hold[] {
  if (context.policy.guards.renamedTeam === "off") return [];
  const founded = actions.flatMap((action) => {
    const key = action.kind === "create-user" ? action.founds?.team : undefined;
    const team = key === undefined ? undefined : teams.get(key)?.team;
    return team === undefined ? [] : [team];
  });
  const left = founded.length === 0 ? [] : findOrphanedTeams(context, teams);
  return founded.flatMap((team) => {
    const alike = findRenameCandidates(team, left, context.roster);
    return alike.length === 0 ? [] : [renamedTeamHold(team, alike)];
  });
}

function renamedTeamHold(team: RosterTeam, alike: readonly RenameCandidate[]): Hold {
  return {
    subject: teamSubject(team.key),
    message: `${team.name} is not founded: ${formatRenameCandidates(team, alike)}`,
    because: team.because.slice(0, 1),
    restsOn: alike.map(({ basis }) => basis),
    suggestedYaml: renameYaml(team, alike),
    withholds: [{ of: "team", team: team.key }],
  };
}
