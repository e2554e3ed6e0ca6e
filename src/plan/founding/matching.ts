import type { FoldedAddress } from "../../model/address.ts";
import type { TeamKey } from "../../model/team.ts";

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

/** Who may found which team. Teams in roster order, candidates in the order of their preference. */
export interface FounderCandidates {
  readonly candidates: ReadonlyMap<TeamKey, readonly FoldedAddress[]>;
  /** People who are taken only where nobody else is left. */
  readonly last?: ReadonlySet<FoldedAddress>;
}

/** Teams and founders, paired: each person founds at most one team. */
export interface FounderMatching {
  readonly founderOf: ReadonlyMap<TeamKey, FoldedAddress>;
  readonly teamOf: ReadonlyMap<FoldedAddress, TeamKey>;
}

interface MutableMatching {
  readonly founderOf: Map<TeamKey, FoldedAddress>;
  readonly teamOf: Map<FoldedAddress, TeamKey>;
}

/**
 * A largest matching. Teams are served in roster order and none loses its founder to a later one, so that the
 * teams served are the first possible ones. Then each team in turn gets its administrator as its founder, where
 * all others can still be served: no two teams are left that need each other's administrator first, unless a
 * team has no choice.
 */
export function matchFounders(
  contest: FounderCandidates,
  adminOf: (team: TeamKey) => FoldedAddress | undefined,
): FounderMatching {
  const matching: MutableMatching = { founderOf: new Map(), teamOf: new Map() };
  const preferred = withoutLast(contest);
  // Nobody who was taken is released again, so that those who come last are as few as they can be.
  for (const one of [preferred, contest]) {
    for (const team of contest.candidates.keys()) {
      if (!matching.founderOf.has(team)) augment(one, matching, team, new Set());
    }
  }
  preferAdmins(preferred, matching, adminOf);
  return matching;
}

function withoutLast({ candidates, last = noCandidates }: FounderCandidates): FounderCandidates {
  if (last.size === 0) return { candidates };
  const rest = [...candidates].map(([team, people]) => [team, people.filter((one) => !last.has(one))] as const);
  return { candidates: new Map(rest) };
}

const noCandidates: ReadonlySet<FoldedAddress> = new Set();

/**
 * The smallest set of teams that are too many for their candidates, and these candidates: all that alternating
 * paths from an unserved team reach. It is minimal because every other team in it is served by one of them.
 */
export function competitors(
  contest: FounderCandidates,
  pairs: FounderMatching,
  unserved: TeamKey,
): { readonly teams: readonly TeamKey[]; readonly people: readonly FoldedAddress[] } {
  const teams = new Set([unserved]);
  const people = new Set<FoldedAddress>();
  for (const team of teams) {
    for (const person of contest.candidates.get(team) ?? []) {
      people.add(person);
      const rival = pairs.teamOf.get(person);
      if (rival !== undefined) teams.add(rival);
    }
  }
  return { teams: [...teams], people: [...people] };
}

/** Finds a founder for one more team by a shortest alternating path that leaves the settled teams alone. */
function augment(
  contest: FounderCandidates,
  matching: MutableMatching,
  start: TeamKey,
  settled: ReadonlySet<TeamKey>,
): boolean {
  const reachedFrom = new Map<FoldedAddress, TeamKey>();
  const queue = [start];
  for (const team of queue) {
    for (const person of contest.candidates.get(team) ?? []) {
      if (reachedFrom.has(person)) continue;
      reachedFrom.set(person, team);
      const holder = matching.teamOf.get(person);
      if (holder === undefined) return flip(matching, reachedFrom, person);
      if (!settled.has(holder)) queue.push(holder);
    }
  }
  return false;
}

function flip(matching: MutableMatching, reachedFrom: ReadonlyMap<FoldedAddress, TeamKey>, free: FoldedAddress): true {
  let person: FoldedAddress | undefined = free;
  while (person !== undefined) {
    const team = reachedFrom.get(person);
    if (team === undefined) break;
    const released = matching.founderOf.get(team);
    matching.founderOf.set(team, person);
    matching.teamOf.set(person, team);
    person = released;
  }
  return true;
}

function preferAdmins(
  contest: FounderCandidates,
  matching: MutableMatching,
  adminOf: (team: TeamKey) => FoldedAddress | undefined,
): void {
  const settled = new Set<TeamKey>();
  for (const [team, candidates] of contest.candidates) {
    const admin = adminOf(team);
    if (admin === undefined || !matching.founderOf.has(team) || !candidates.includes(admin)) continue;
    preferAdmin(contest, matching, { team, admin, settled });
  }
}

function preferAdmin(
  contest: FounderCandidates,
  matching: MutableMatching,
  preference: { readonly team: TeamKey; readonly admin: FoldedAddress; readonly settled: Set<TeamKey> },
): void {
  const { team, admin, settled } = preference;
  const founder = matching.founderOf.get(team);
  const holder = matching.teamOf.get(admin);
  if (founder === undefined || (holder !== undefined && holder !== team && settled.has(holder))) return;
  settled.add(team);
  if (holder === team) return;
  assign(matching, team, admin);
  matching.teamOf.delete(founder);
  if (holder === undefined) return;
  matching.founderOf.delete(holder);
  if (augment(contest, matching, holder, settled)) return;
  settled.delete(team);
  assign(matching, holder, admin);
  assign(matching, team, founder);
}

function assign(matching: MutableMatching, team: TeamKey, person: FoldedAddress): void {
  matching.founderOf.set(team, person);
  matching.teamOf.set(person, team);
}

function withoutCandidate(contest: FounderCandidates, team: TeamKey, person: FoldedAddress): FounderCandidates {
  const rest = (contest.candidates.get(team) ?? []).filter((candidate) => candidate !== person);
  return { ...contest, candidates: new Map(contest.candidates).set(team, rest) };
}
