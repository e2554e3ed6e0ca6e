import { type TeamKey, teamKeyOf } from "../../model/names.ts";
import { showPlace } from "../../model/place.ts";
import type { Complaints } from "../complaints.ts";
import type { DraftTeam } from "../draft.ts";
import type { Resolution } from "../resolution.ts";

/** One name, compared folded, is one team of its account, unless each team of that name gives its identifier. */
export function duplicateTeams({ draft }: Resolution, log: Complaints): void {
  const namesakes = new Map<TeamKey, DraftTeam[]>();
  for (const team of draft.teams) {
    const key = teamKeyOf(team.account, team.name.value);
    const known = namesakes.get(key);
    if (known === undefined) namesakes.set(key, [team]);
    else known.push(team);
  }
  for (const [first, ...others] of namesakes.values()) {
    if (first === undefined || [first, ...others].every(({ identifier }) => identifier !== undefined)) continue;
    for (const other of others) tell(other, first, log);
  }
}

function tell({ name, account }: DraftTeam, first: DraftTeam, log: Complaints): void {
  const where = showPlace(first.name.at.place);
  const message = `The team \`${name.value}\` is listed twice in the account \`${account}\`; the first time at ${where}.`;
  const hint = "Join the two, give one of them another name, or give both their `identifier` if the service has two.";
  log.error(name.at, "duplicate-team", message, hint);
}
