import type { FoldedAddress } from "../../model/address.ts";
import type { RecordedRefusal } from "../../model/refusal.ts";
import type { RosterTeam } from "../../model/roster.ts";
import type { TeamKey } from "../../model/team.ts";
import type { PlanContext } from "../context.ts";
import type { UserIdentities } from "../identities.ts";
import { refusedFounding } from "../refusals.ts";
import type { FounderCandidates } from "./matching.ts";

/** Who is not asked to found, or only where nobody else can. */
interface FounderLimits {
  readonly refused: RefusedFoundings;
  /** People whom a guard holds: what they would found has to wait for them. */
  readonly held: ReadonlySet<FoldedAddress>;
}

/** Whether a creation can carry this team: a new user of its account, whose own key the roster does not ask for. */
export function mayFound(team: RosterTeam, address: FoldedAddress, people: UserIdentities): boolean {
  const person = people.get(address);
  if (person?.is !== "new") return false;
  return person.user.account === team.account && person.user.ownKeyRoles === undefined;
}

/** The members of each team who may found it and were not refused as its founders. A person whom any wanted team names as its founder is nobody else's. */
export function founderCandidates(
  teams: readonly RosterTeam[],
  wanted: readonly RosterTeam[],
  people: UserIdentities,
  { refused, held }: FounderLimits,
): FounderCandidates {
  const named = namedFounders(wanted, people);
  return {
    candidates: new Map(
      teams.map((team) => [team.key, candidatesOf(team).filter((one) => mayAskToFound(team, one, refused))]),
    ),
    last: held,
  };

  function candidatesOf(team: RosterTeam): readonly FoldedAddress[] {
    if (team.founder !== undefined) return canBeFoundedBy(team, team.founder.value, people) ? [team.founder.value] : [];
    return team.members.map(({ address }) => address).filter((one) => mayFound(team, one, people) && !named.has(one));
  }
}

export function withoutCandidate(contest: FounderCandidates, team: TeamKey, person: FoldedAddress): FounderCandidates {
  const rest = (contest.candidates.get(team) ?? []).filter((candidate) => candidate !== person);
  return { ...contest, candidates: new Map(contest.candidates).set(team, rest) };
}

function namedFounders(teams: readonly RosterTeam[], people: UserIdentities): ReadonlySet<FoldedAddress> {
  return new Set(
    teams.flatMap((team) =>
      team.founder !== undefined && canBeFoundedBy(team, team.founder.value, people) ? [team.founder.value] : [],
    ),
  );
}

function canBeFoundedBy(team: RosterTeam, address: FoldedAddress, people: UserIdentities): boolean {
  return mayFound(team, address, people) && team.members.some((member) => member.address === address);
}

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
function mayAskToFound(team: RosterTeam, person: FoldedAddress, foundings: RefusedFoundings): boolean {
  const refused = foundings.get(team.key) ?? [];
  return !refused.some(({ founder }) => founder === person) && !hasRepeatedRefusal(refused);
}

function hasRepeatedRefusal(refused: readonly RefusedFounder[]): boolean {
  return new Set(refused.map(refusalText)).size < refused.length;
}

function refusalText({ refusal: { failure } }: RefusedFounder): string {
  return JSON.stringify([failure.code, failure.status, failure.serviceSays ?? failure.message]);
}
