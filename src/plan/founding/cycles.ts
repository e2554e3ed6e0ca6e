import type { FoldedAddress } from "../../model/address.ts";
import type { TeamKey } from "../../model/team.ts";
import { type FounderCandidates, type FounderMatching, matchFounders, withoutCandidate } from "./matching.ts";

type AdminOf = (team: TeamKey) => FoldedAddress | undefined;

type Cycle = readonly TeamKey[];

/** Founders whose administrators can all be created before them. */
export interface SettledFounders {
  readonly contest: FounderCandidates;
  readonly pairs: FounderMatching;
  /** Cycles of administrator needs that stood in the way of other pairs. */
  readonly cycles: readonly Cycle[];
}

/** Cycles are rare and short: more tries than this only where somebody makes them on purpose. */
const maxTries = 200;

/**
 * Matches founders so that no two wait for each other's creation. Preferring administrators has already rotated every
 * cycle away that can be; what is left goes through a named founder. Of each such cycle one pair has to be given up:
 * the one is sought with which the most teams, and of these the first in the roster, can still be founded.
 */
export function settleFounders(contest: FounderCandidates, adminOf: AdminOf): SettledFounders {
  const search = { adminOf, order: [...contest.candidates.keys()], tries: maxTries };
  return { ...breakCycles(contest, [], search), contest };
}

interface CycleSearch {
  readonly adminOf: AdminOf;
  readonly order: readonly TeamKey[];
  tries: number;
}

type Solution = Omit<SettledFounders, "contest">;

function breakCycles(contest: FounderCandidates, cycles: readonly Cycle[], search: CycleSearch): Solution {
  const pairs = matchFounders(contest, search.adminOf);
  const cycle = firstCycle(contest, pairs, search.adminOf);
  if (cycle === undefined) return { pairs, cycles };
  let best: Solution | undefined;
  for (const team of lastFirst(cycle, search.order)) {
    const founder = pairs.founderOf.get(team);
    if (founder === undefined || (best !== undefined && search.tries <= 0)) continue;
    search.tries -= 1;
    const rest = withoutCandidate(contest, team, founder);
    if (best !== undefined && !isBetter(matchFounders(rest, search.adminOf), best.pairs, search.order)) continue;
    const solution = breakCycles(rest, [...cycles, cycle], search);
    if (best === undefined || isBetter(solution.pairs, best.pairs, search.order)) best = solution;
  }
  return best ?? { pairs, cycles };
}

/** What is given up without a search is rather of the last team in the roster. */
function lastFirst(cycle: Cycle, order: readonly TeamKey[]): Cycle {
  return order.filter((team) => cycle.includes(team)).reverse();
}

function isBetter(
  { founderOf: one }: FounderMatching,
  { founderOf: other }: FounderMatching,
  order: readonly TeamKey[],
): boolean {
  if (one.size !== other.size) return one.size > other.size;
  const differing = order.find((team) => one.has(team) !== other.has(team));
  return differing !== undefined && one.has(differing);
}

function firstCycle(contest: FounderCandidates, pairs: FounderMatching, adminOf: AdminOf): Cycle | undefined {
  const visitedFrom = new Map<TeamKey, TeamKey>();
  for (const start of contest.candidates.keys()) {
    let team: TeamKey | undefined = start;
    while (team !== undefined && !visitedFrom.has(team)) {
      visitedFrom.set(team, start);
      team = neededFirst(team, pairs, adminOf);
    }
    if (team !== undefined && visitedFrom.get(team) === start) return cycleThrough(team, pairs, adminOf);
  }
  return undefined;
}

/** The team whose founder is this team's administrator, and so must be created before this team's founder. */
function neededFirst(team: TeamKey, pairs: FounderMatching, adminOf: AdminOf): TeamKey | undefined {
  const founder = pairs.founderOf.get(team);
  const admin = adminOf(team);
  return founder === undefined || admin === undefined || admin === founder ? undefined : pairs.teamOf.get(admin);
}

function cycleThrough(start: TeamKey, pairs: FounderMatching, adminOf: AdminOf): Cycle {
  const cycle = [start];
  let team = neededFirst(start, pairs, adminOf);
  while (team !== undefined && team !== start) {
    cycle.push(team);
    team = neededFirst(team, pairs, adminOf);
  }
  return cycle;
}
