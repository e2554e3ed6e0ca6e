import type { EmailKey } from "../../model/address.ts";
import type { TeamKey } from "../../model/team.ts";

type AdminOf = (team: TeamKey) => EmailKey | undefined;

type Cycle = readonly TeamKey[];

/** FirstMembers whose administrators can all be created before them. */
export interface SettledFirstMembers {
  readonly contest: FirstMemberCandidates;
  readonly pairs: FirstMemberMatching;
  /** Cycles of administrator needs that stood in the way of other pairs. */
  readonly cycles: readonly Cycle[];
}

/** Cycles are rare and short: more tries than this only where somebody makes them on purpose. */
const maxTries = 200;

/**
 * Matches first members so that no two wait for each other's creation. Preferring administrators has already rotated every
 * cycle away that can be; what is left goes through a named first member. Of each such cycle one pair has to be given up:
 * the one is sought with which the most teams, and of these the first in the roster, can still be created.
 */
export function settleFirstMembers(contest: FirstMemberCandidates, adminOf: AdminOf): SettledFirstMembers {
  const search = { adminOf, order: [...contest.candidates.keys()], tries: maxTries };
  return { ...breakCycles(contest, [], search), contest };
}

interface CycleSearch {
  readonly adminOf: AdminOf;
  readonly order: readonly TeamKey[];
  tries: number;
}

type Solution = Omit<SettledFirstMembers, "contest">;

function breakCycles(contest: FirstMemberCandidates, cycles: readonly Cycle[], search: CycleSearch): Solution {
  const pairs = matchFirstMembers(contest, search.adminOf);
  const cycle = firstCycle(contest, pairs, search.adminOf);
  if (cycle === undefined) return { pairs, cycles };
  let best: Solution | undefined;
  for (const team of lastFirst(cycle, search.order)) {
    const firstMember = pairs.firstMemberOf.get(team);
    if (firstMember === undefined || (best !== undefined && search.tries <= 0)) continue;
    search.tries -= 1;
    const rest = withoutCandidate(contest, team, firstMember);
    if (best !== undefined && !isBetter(matchFirstMembers(rest, search.adminOf), best.pairs, search.order)) continue;
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
  { firstMemberOf: one }: FirstMemberMatching,
  { firstMemberOf: other }: FirstMemberMatching,
  order: readonly TeamKey[],
): boolean {
  if (one.size !== other.size) return one.size > other.size;
  const differing = order.find((team) => one.has(team) !== other.has(team));
  return differing !== undefined && one.has(differing);
}

function firstCycle(contest: FirstMemberCandidates, pairs: FirstMemberMatching, adminOf: AdminOf): Cycle | undefined {
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

/** The team whose first member is this team's administrator, and so must be created before this team's first member. */
function neededFirst(team: TeamKey, pairs: FirstMemberMatching, adminOf: AdminOf): TeamKey | undefined {
  const firstMember = pairs.firstMemberOf.get(team);
  const admin = adminOf(team);
  return firstMember === undefined || admin === undefined || admin === firstMember
    ? undefined
    : pairs.teamOf.get(admin);
}

function cycleThrough(start: TeamKey, pairs: FirstMemberMatching, adminOf: AdminOf): Cycle {
  const cycle = [start];
  let team = neededFirst(start, pairs, adminOf);
  while (team !== undefined && team !== start) {
    cycle.push(team);
    team = neededFirst(team, pairs, adminOf);
  }
  return cycle;
}

/** Who may found which team. Teams in roster order, candidates in the order of their preference. */
export interface FirstMemberCandidates {
  readonly candidates: ReadonlyMap<TeamKey, readonly EmailKey[]>;
  /** People who are taken only where nobody else is left. */
  readonly last?: ReadonlySet<EmailKey>;
}

/** Teams and first members, paired: each person creates at most one team. */
export interface FirstMemberMatching {
  readonly firstMemberOf: ReadonlyMap<TeamKey, EmailKey>;
  readonly teamOf: ReadonlyMap<EmailKey, TeamKey>;
}

interface MutableMatching {
  readonly firstMemberOf: Map<TeamKey, EmailKey>;
  readonly teamOf: Map<EmailKey, TeamKey>;
}

/**
 * A largest matching. Teams are served in roster order and none loses its first member to a later one, so that the
 * teams served are the first possible ones. Then each team in turn gets its administrator as its first member, where
 * all others can still be served: no two teams are left that need each other's administrator first, unless a
 * team has no choice.
 */
export function matchFirstMembers(
  contest: FirstMemberCandidates,
  adminOf: (team: TeamKey) => EmailKey | undefined,
): FirstMemberMatching {
  const matching: MutableMatching = { firstMemberOf: new Map(), teamOf: new Map() };
  const preferred = withoutLast(contest);
  // Nobody who was taken is released again, so that those who come last are as few as they can be.
  for (const one of [preferred, contest]) {
    for (const team of contest.candidates.keys()) {
      if (!matching.firstMemberOf.has(team)) augment(one, matching, team, new Set());
    }
  }
  preferAdmins(preferred, matching, adminOf);
  return matching;
}

function withoutLast({ candidates, last = noCandidates }: FirstMemberCandidates): FirstMemberCandidates {
  if (last.size === 0) return { candidates };
  const rest = [...candidates].map(([team, people]) => [team, people.filter((one) => !last.has(one))] as const);
  return { candidates: new Map(rest) };
}

const noCandidates: ReadonlySet<EmailKey> = new Set();

/**
 * The smallest set of teams that are too many for their candidates, and these candidates: all that alternating
 * paths from an unserved team reach. It is minimal because every other team in it is served by one of them.
 */
export function competitors(
  contest: FirstMemberCandidates,
  pairs: FirstMemberMatching,
  unserved: TeamKey,
): { readonly teams: readonly TeamKey[]; readonly people: readonly EmailKey[] } {
  const teams = new Set([unserved]);
  const people = new Set<EmailKey>();
  for (const team of teams) {
    for (const person of contest.candidates.get(team) ?? []) {
      people.add(person);
      const rival = pairs.teamOf.get(person);
      if (rival !== undefined) teams.add(rival);
    }
  }
  return { teams: [...teams], people: [...people] };
}

/** Finds a first member for one more team by a shortest alternating path that leaves the settled teams alone. */
function augment(
  contest: FirstMemberCandidates,
  matching: MutableMatching,
  start: TeamKey,
  settled: ReadonlySet<TeamKey>,
): boolean {
  const reachedFrom = new Map<EmailKey, TeamKey>();
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

function flip(matching: MutableMatching, reachedFrom: ReadonlyMap<EmailKey, TeamKey>, free: EmailKey): true {
  let person: EmailKey | undefined = free;
  while (person !== undefined) {
    const team = reachedFrom.get(person);
    if (team === undefined) break;
    const released = matching.firstMemberOf.get(team);
    matching.firstMemberOf.set(team, person);
    matching.teamOf.set(person, team);
    person = released;
  }
  return true;
}

function preferAdmins(
  contest: FirstMemberCandidates,
  matching: MutableMatching,
  adminOf: (team: TeamKey) => EmailKey | undefined,
): void {
  const settled = new Set<TeamKey>();
  for (const [team, candidates] of contest.candidates) {
    const admin = adminOf(team);
    if (admin === undefined || !matching.firstMemberOf.has(team) || !candidates.includes(admin)) continue;
    preferAdmin(contest, matching, { team, admin, settled });
  }
}

function preferAdmin(
  contest: FirstMemberCandidates,
  matching: MutableMatching,
  preference: { readonly team: TeamKey; readonly admin: EmailKey; readonly settled: Set<TeamKey> },
): void {
  const { team, admin, settled } = preference;
  const firstMember = matching.firstMemberOf.get(team);
  const holder = matching.teamOf.get(admin);
  if (firstMember === undefined || (holder !== undefined && holder !== team && settled.has(holder))) return;
  settled.add(team);
  if (holder === team) return;
  assign(matching, team, admin);
  matching.teamOf.delete(firstMember);
  if (holder === undefined) return;
  matching.firstMemberOf.delete(holder);
  if (augment(contest, matching, holder, settled)) return;
  settled.delete(team);
  assign(matching, holder, admin);
  assign(matching, team, firstMember);
}

function assign(matching: MutableMatching, team: TeamKey, person: EmailKey): void {
  matching.firstMemberOf.set(team, person);
  matching.teamOf.set(person, team);
}

function withoutCandidate(contest: FirstMemberCandidates, team: TeamKey, person: EmailKey): FirstMemberCandidates {
  const rest = (contest.candidates.get(team) ?? []).filter((candidate) => candidate !== person);
  return { ...contest, candidates: new Map(contest.candidates).set(team, rest) };
}
