import type { RosterTeam } from "../../model/roster.ts";
import { teamSubject } from "../subjects.ts";
import { type AlikeTeam, alikeYaml, teamsAlike, tellAlike } from "./alike-teams.ts";
import type { GuardGround, Hold, HoldGuard } from "./guard.ts";
import { teamsLeft } from "./teams-left.ts";

/**
 * Protects from founding a team again under a new name: no team is founded whose members are mostly those of a team that our
 * records know, or the service shows, and that the roster has no more. On unless set to `off`; settled by `previously` or
 * `identifier`, allowed with `--allow renamed-team@PLANID`.
 */
export const renamedTeam: HoldGuard = { name: "renamed-team", judge };

function judge({ question, actions, teams }: GuardGround): readonly Hold[] {
  if (question.policy.guards.renamedTeam === "off") return [];
  const founded = actions.flatMap((action) => {
    const key = action.kind === "create-user" ? action.founds?.team : undefined;
    const team = key === undefined ? undefined : teams.get(key)?.team;
    return team === undefined ? [] : [team];
  });
  const left = founded.length === 0 ? [] : teamsLeft(question, teams);
  return founded.flatMap((team) => {
    const alike = teamsAlike(team, left, question.roster);
    return alike.length === 0 ? [] : [tell(team, alike)];
  });
}

function tell(team: RosterTeam, alike: readonly AlikeTeam[]): Hold {
  return {
    subject: teamSubject(team.key),
    message: `${team.name} is not founded: ${tellAlike(team, alike)}`,
    because: team.because.slice(0, 1),
    restsOn: alike.map(({ basis }) => basis),
    suggestedYaml: alikeYaml(team, alike),
    withholds: [{ of: "team", team: team.key }],
  };
}
