import type { FoldedAddress } from "../../model/address.ts";
import type { RosterTeam } from "../../model/roster.ts";
import type { TeamKey } from "../../model/team.ts";
import type { UserIdentities } from "../person.ts";
import type { FounderCandidates } from "./matching.ts";
import { mayAskToFound, type RefusedFoundings } from "./refused-foundings.ts";

/** Who is not asked to found, or only where nobody else can. */
export interface FounderLimits {
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
