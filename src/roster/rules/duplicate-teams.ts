import { type TeamKey, teamKeyOf } from "../../model/names.ts";
import { formatPlace } from "../../model/place.ts";
import type { DiagnosticsCollector } from "../complaints.ts";
import type { TeamEntry } from "../draft.ts";
import type { ResolvedRoster } from "../resolution.ts";

/** One name, compared folded, is one team of its account, unless each team of that name gives its identifier. */
export function checkDuplicateTeams({ draft }: ResolvedRoster, log: DiagnosticsCollector): void {
  const namesakes = new Map<TeamKey, TeamEntry[]>();
  for (const team of draft.teams) {
    const key = teamKeyOf(team.account, team.name.value);
    const known = namesakes.get(key);
    if (known === undefined) namesakes.set(key, [team]);
    else known.push(team);
  }
  for (const [first, ...others] of namesakes.values()) {
    if (first === undefined || [first, ...others].every(({ identifier }) => identifier !== undefined)) continue;
    for (const other of others) reportDuplicateTeam(other, first, log);
  }
}

function reportDuplicateTeam({ name, account }: TeamEntry, first: TeamEntry, log: DiagnosticsCollector): void {
  const where = formatPlace(first.name.at.place);
  const message = `The team \`${name.value}\` is listed twice in the account \`${account}\`; the first time at ${where}.`;
  const hint = "Join the two, give one of them another name, or give both their `identifier` if the service has two.";
  log.error(name.at, "duplicate-team", message, hint);
}
