import type { FoldedAddress } from "../../model/address.ts";
import type { Roster, RosterTeam } from "../../model/roster.ts";
import { listed, teamSubject, yamlScalar } from "../subjects.ts";
import type { GuardGround, Hold, HoldGuard } from "./guard.ts";
import { type LeftTeam, teamsLeft } from "./teams-left.ts";

interface ComparedTeam extends LeftTeam {
  /** How many members of the new team are in it, or were. */
  readonly both: number;
}

/**
 * Protects from founding a team again under a new name: no team is founded of whose members at least two, and at least half,
 * are those of a team that our records know and the roster has no more. Of a team that only the service shows, half
 * of those who are in it must be among them too, or else any company-wide team would look renamed. On unless set to
 * `off`; settled by `previously` or `identifier`, allowed with `--allow renamed-team@PLANID`.
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
    const alike = left
      .map((one) => ({ ...one, both: inBoth(team, one, question.roster) }))
      .filter((one) => isMostly(team, one));
    return alike.length === 0 ? [] : [tell(team, alike)];
  });
}

function isMostly(team: RosterTeam, { both, ...left }: ComparedTeam): boolean {
  if (left.account !== team.account) return false;
  if (both < 2 || both * 2 < team.members.length) return false;
  return left.known === "recorded" || both * 2 >= left.members.size;
}

/** Under their former addresses as well: a company may change its name, and with it those of its people and teams. */
function inBoth({ members }: RosterTeam, left: LeftTeam, { users }: Roster): number {
  const former = (address: FoldedAddress) => (users.get(address)?.previously ?? []).map(({ value }) => value);
  const isIn = (address: FoldedAddress) => [address, ...former(address)].some((one) => left.members.has(one));
  return members.filter(({ address }) => isIn(address)).length;
}

function tell(team: RosterTeam, alike: readonly ComparedTeam[]): Hold {
  const names = alike.map(({ name, both }) => `${name} (${both} of ${team.members.length})`);
  const message =
    `${team.name} is not founded: its members are mostly those of ${listed(names)}, which the roster does not name any more. ` +
    "If the team has only got another name, say so with `previously` or its `identifier`, and it is used as it is.";
  return {
    subject: teamSubject(team.key),
    message,
    because: team.because.slice(0, 1),
    restsOn: alike.map(({ basis }) => basis),
    suggestedYaml: suggestion(team, alike),
    withholds: [{ of: "team", team: team.key }],
  };
}

function suggestion({ name }: RosterTeam, alike: readonly LeftTeam[]): string {
  const ways = alike.flatMap((left) => [
    `previously: [${yamlScalar(left.name)}]`,
    ...(left.identifier === undefined ? [] : [`identifier: ${yamlScalar(left.identifier)}`]),
  ]);
  return `teams:\n  - name: ${yamlScalar(name)}\n    ${ways.join(" # or ")}\n`;
}
