import type { EmailKey } from "../../src/model/address.ts";
import type { Roster } from "../../src/model/roster.ts";
import type { DesiredTeam } from "../../src/model/team.ts";
import type { TeamKey } from "../../src/model/values.ts";
import type { FirstMemberCandidates } from "../../src/plan/first-members.ts";

export type Assignment = ReadonlyMap<TeamKey, EmailKey>;

/** Every way to give teams first members, each person at most one. For small cases. */
function* assignments(contest: FirstMemberCandidates, teams = [...contest.candidates.keys()]): Generator<Assignment> {
  const [team, ...rest] = teams;
  if (team === undefined) {
    yield new Map();
    return;
  }
  for (const others of assignments(contest, rest)) {
    yield others;
    const taken = new Set(others.values());
    for (const person of contest.candidates.get(team) ?? []) {
      if (!taken.has(person)) yield new Map([[team, person], ...others]);
    }
  }
}

/** The teams of the best allowed assignment: as many as possible, the first in the roster first. */
export function bestTeams(contest: FirstMemberCandidates, isAllowed: (assignment: Assignment) => boolean = () => true) {
  const teams = [...contest.candidates.keys()];
  let best: readonly TeamKey[] = [];
  for (const assignment of assignments(contest)) {
    const served = teams.filter((team) => assignment.has(team));
    if (isBetter(served, best, teams) && isAllowed(assignment)) best = served;
  }
  return best;
}

function isBetter(one: readonly TeamKey[], other: readonly TeamKey[], order: readonly TeamKey[]): boolean {
  if (one.length !== other.length) return one.length > other.length;
  const first = order.find((team) => one.includes(team) !== other.includes(team));
  return first !== undefined && one.includes(first);
}

/** Whether the first members can be created one after the other, administrators first. */
export function canBeOrdered(assignment: Assignment, adminOf: (team: TeamKey) => EmailKey | undefined): boolean {
  const teamOf = new Map([...assignment].map(([team, person]) => [person, team]));
  return [...assignment.keys()].every((start) => {
    let team: TeamKey | undefined = start;
    for (let steps = 0; team !== undefined; steps += 1) {
      if (steps > assignment.size) return false;
      const admin = adminOf(team);
      team = admin === undefined || admin === assignment.get(team) ? undefined : teamOf.get(admin);
    }
    return true;
  });
}

/** Who may found which team of a roster by the rules of the design, where `isNew` tells who is to be created. */
export function contestOf(roster: Roster, isNew: (address: EmailKey) => boolean): FirstMemberCandidates {
  const mayFound = (team: DesiredTeam, address: EmailKey) => {
    const user = roster.users.get(address);
    return user?.account === team.account && user.ownKeyRoles === undefined && isNew(address);
  };
  const reserved = (team: DesiredTeam, address: EmailKey) =>
    roster.teams.some(
      (other) => other.firstMember?.value === address && other.key !== team.key && mayFound(other, address),
    );
  return {
    candidates: new Map(
      roster.teams.map((team) => {
        const members = team.members.map(({ address }) => address).filter((address) => mayFound(team, address));
        const candidates =
          team.firstMember === undefined
            ? members.filter((address) => !reserved(team, address))
            : members.filter((address) => address === team.firstMember?.value);
        return [team.key, candidates];
      }),
    ),
  };
}
