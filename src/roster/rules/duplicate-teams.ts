import { type TeamKey, teamKeyOf } from "../../model/names.ts";
import { showPlace } from "../../model/place.ts";
import type { Complaints } from "../complaints.ts";
import type { DraftTeam } from "../draft.ts";
import type { Resolution } from "../resolution.ts";

/** One name, compared folded, is one team of its account. */
export function duplicateTeams({ draft }: Resolution, log: Complaints): void {
  const byKey = new Map<TeamKey, DraftTeam>();
  for (const team of draft.teams) {
    const key = teamKeyOf(team.account, team.name.value);
    const first = byKey.get(key);
    if (first === undefined) {
      byKey.set(key, team);
      continue;
    }
    const where = showPlace(first.name.at.place);
    const message = `The team \`${team.name.value}\` is listed twice in the account \`${team.account}\`; the first time at ${where}.`;
    log.error(team.name.at, "duplicate-team", message, "Join the two, or give one of them another name.");
  }
}
