import type { FoldedAddress } from "../../model/address.ts";
import type { TeamKey } from "../../model/names.ts";
import { withoutCandidate, withoutTeam } from "./contest.ts";
import { type Contest, matchFounders, type Pairs } from "./matching.ts";

export type AdminOf = (team: TeamKey) => FoldedAddress | undefined;

/** Founders whose administrators can all be created before them. */
export interface Settled {
  /** Without the teams that were left out. */
  readonly contest: Contest;
  readonly pairs: Pairs;
  /** Teams that had to be left out, with the cycle of needs that they were part of. */
  readonly leftOut: ReadonlyMap<TeamKey, readonly TeamKey[]>;
}

/**
 * Matches founders so that no founders wait for each other's creation. Preferring administrators has rotated
 * every cycle away that can be; what is left goes through a named founder. Such a cycle is broken by another
 * founder for one of its teams where nothing is lost by that, else by leaving out its last team with a named founder.
 */
export function settleFounders(contest: Contest, adminOf: AdminOf, isNamed: (team: TeamKey) => boolean): Settled {
  const leftOut = new Map<TeamKey, readonly TeamKey[]>();
  let left = contest;
  let tried = contest;
  for (;;) {
    const pairs = matchFounders(tried, adminOf);
    const cycles = cyclesOf(tried, pairs, adminOf);
    const [cycle] = cycles;
    if (cycle === undefined) return { contest: left, pairs, leftOut };
    const relief = findRelief(tried, pairs, cycles, adminOf);
    if (relief !== undefined) {
      tried = relief;
      continue;
    }
    const loser = lastNamed(cycle, contest, isNamed);
    leftOut.set(loser, cycle);
    left = withoutTeam(left, loser);
    tried = withoutTeam(tried, loser);
  }
}

/** Each team needs at most one other team's founder first, so cycles never share a team. */
export function cyclesOf(contest: Contest, pairs: Pairs, adminOf: AdminOf): readonly (readonly TeamKey[])[] {
  const cycles: TeamKey[][] = [];
  const visitedIn = new Map<TeamKey, TeamKey>();
  for (const start of contest.candidates.keys()) {
    let team: TeamKey | undefined = start;
    while (team !== undefined && !visitedIn.has(team)) {
      visitedIn.set(team, start);
      team = neededFirst(team, pairs, adminOf);
    }
    if (team !== undefined && visitedIn.get(team) === start) cycles.push(walkCycle(team, pairs, adminOf));
  }
  return cycles;
}

/** The team whose founder is this team's administrator, and so must be created before this team's founder. */
function neededFirst(team: TeamKey, pairs: Pairs, adminOf: AdminOf): TeamKey | undefined {
  const founder = pairs.founderOf.get(team);
  const admin = adminOf(team);
  return founder === undefined || admin === undefined || admin === founder ? undefined : pairs.teamOf.get(admin);
}

function walkCycle(start: TeamKey, pairs: Pairs, adminOf: AdminOf): TeamKey[] {
  const cycle = [start];
  for (let team = neededFirst(start, pairs, adminOf); team !== undefined && team !== start; ) {
    cycle.push(team);
    team = neededFirst(team, pairs, adminOf);
  }
  return cycle;
}

function findRelief(
  contest: Contest,
  pairs: Pairs,
  cycles: readonly (readonly TeamKey[])[],
  adminOf: AdminOf,
): Contest | undefined {
  for (const team of cycles[0] ?? []) {
    const founder = pairs.founderOf.get(team);
    if (founder === undefined || (contest.candidates.get(team)?.length ?? 0) < 2) continue;
    const relieved = withoutCandidate(contest, team, founder);
    const others = matchFounders(relieved, adminOf);
    const keepsAll = [...pairs.founderOf.keys()].every((served) => others.founderOf.has(served));
    if (keepsAll && cyclesOf(relieved, others, adminOf).length < cycles.length) return relieved;
  }
  return undefined;
}

function lastNamed(cycle: readonly TeamKey[], contest: Contest, isNamed: (team: TeamKey) => boolean): TeamKey {
  const inOrder = [...contest.candidates.keys()].filter((team) => cycle.includes(team));
  const last = inOrder.findLast(isNamed) ?? inOrder.at(-1);
  if (last === undefined) throw new Error("a cycle of administrators has no team");
  return last;
}
