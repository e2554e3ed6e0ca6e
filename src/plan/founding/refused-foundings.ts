import type { FoldedAddress } from "../../model/address.ts";
import type { RecordedRefusal } from "../../model/refusal.ts";
import type { RosterTeam } from "../../model/roster.ts";
import type { TeamKey } from "../../model/team.ts";
import type { PlanContext } from "../question.ts";
import { refusedFounding } from "../remembered-refusals.ts";

/** A founder with whom the service would not found a team. */
export interface RefusedFounder {
  readonly founder: FoldedAddress;
  readonly email: string;
  readonly refusal: RecordedRefusal;
}

export type RefusedFoundings = ReadonlyMap<TeamKey, readonly RefusedFounder[]>;

/**
 * The foundings that the service refused and that would be the same again, by team. One request creates a person and a
 * team, and no answer tells reliably which of both was at fault. So what is remembered is the pair: the next plan tries
 * another new member, and does not create the refused one without the team meanwhile, who would then be spent for it.
 * Somebody who is at fault themselves is refused once more alone, when another has founded the team. A team that was
 * refused in the same words with two founders is at fault itself: nobody else is tried.
 */
export function refusedFoundings(context: PlanContext): RefusedFoundings {
  const { roster, state } = context;
  const teams = new Map(roster.teams.map((team) => [team.key, team]));
  const refused = new Map<TeamKey, RefusedFounder[]>();
  for (const { part } of state.refusals.values()) {
    if (part.of !== "founding") continue;
    const team = teams.get(part.team);
    const user = roster.users.get(part.address);
    const refusal = team === undefined || user === undefined ? undefined : refusedFounding(user, team, context);
    if (refusal === undefined) continue;
    const founder = { founder: part.address, email: part.email, refusal };
    refused.set(part.team, [...(refused.get(part.team) ?? []), founder]);
  }
  return refused;
}

/** Whether the plan may ask the service to found this team with this person. */
export function mayAskToFound(team: RosterTeam, person: FoldedAddress, foundings: RefusedFoundings): boolean {
  const refused = foundings.get(team.key) ?? [];
  return !refused.some(({ founder }) => founder === person) && !hasRepeatedRefusal(refused);
}

function hasRepeatedRefusal(refused: readonly RefusedFounder[]): boolean {
  return new Set(refused.map(refusalText)).size < refused.length;
}

function refusalText({ refusal: { failure } }: RefusedFounder): string {
  return JSON.stringify([failure.code, failure.status, failure.serviceSays ?? failure.message]);
}
