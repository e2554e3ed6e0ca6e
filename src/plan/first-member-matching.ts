import type { EmailKey } from "../model/address.ts";
import type { TeamKey } from "../model/recorded.ts";

/** Who may create which team. Teams in roster order, people in the order of their preference. */
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

type AdminOf = (team: TeamKey) => EmailKey | undefined;

type Cycle = readonly TeamKey[];

interface OrderedFirstMembers {
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
export function orderFirstMembers(all: FirstMemberCandidates, adminOf: AdminOf): OrderedFirstMembers {
  const order = [...all.candidates.keys()];
  let tries = maxTries;
  return breakCycles(all, []);

  function breakCycles(from: FirstMemberCandidates, cycles: readonly Cycle[]): OrderedFirstMembers {
    const pairs = matchFirstMembers(from, adminOf);
    const cycle = firstCycle(order, pairs, adminOf);
    if (cycle === undefined) return { pairs, cycles };
    let best: OrderedFirstMembers | undefined;
    // What is given up without a search is rather of the last team in the roster.
    for (const team of order.filter((one) => cycle.includes(one)).reverse()) {
      const firstMember = pairs.firstMemberOf.get(team);
      if (firstMember === undefined || (best !== undefined && tries <= 0)) continue;
      tries -= 1;
      const others = (from.candidates.get(team) ?? []).filter((one) => one !== firstMember);
      const rest = { ...from, candidates: new Map(from.candidates).set(team, others) };
      if (best !== undefined && !isBetter(matchFirstMembers(rest, adminOf), best.pairs, order)) continue;
      const found = breakCycles(rest, [...cycles, cycle]);
      if (best === undefined || isBetter(found.pairs, best.pairs, order)) best = found;
    }
    return best ?? { pairs, cycles };
  }
}

function isBetter(one: FirstMemberMatching, other: FirstMemberMatching, order: readonly TeamKey[]): boolean {
  const [mine, others] = [one.firstMemberOf, other.firstMemberOf];
  if (mine.size !== others.size) return mine.size > others.size;
  const differing = order.find((team) => mine.has(team) !== others.has(team));
  return differing !== undefined && mine.has(differing);
}

/** From each team on to the one whose first member is its administrator, and so must be created before. */
function firstCycle(order: readonly TeamKey[], pairs: FirstMemberMatching, adminOf: AdminOf): Cycle | undefined {
  const neededFirst = (team: TeamKey) => {
    const [firstMember, admin] = [pairs.firstMemberOf.get(team), adminOf(team)];
    return firstMember === undefined || admin === undefined || admin === firstMember
      ? undefined
      : pairs.teamOf.get(admin);
  };
  const visited = new Set<TeamKey>();
  for (const start of order) {
    const path: TeamKey[] = [];
    let team: TeamKey | undefined = start;
    while (team !== undefined && !visited.has(team)) {
      visited.add(team);
      path.push(team);
      team = neededFirst(team);
    }
    if (team !== undefined && path.includes(team)) return path.slice(path.indexOf(team));
  }
  return undefined;
}

/**
 * A largest matching. Teams are served in roster order and none loses its first member to a later one, so that the
 * teams served are the first possible ones. Then each team in turn gets its administrator as its first member, where
 * all others can still be served: no two teams are left that need each other's administrator first, unless a
 * team has no choice.
 */
export function matchFirstMembers(all: FirstMemberCandidates, adminOf: AdminOf): FirstMemberMatching {
  const { candidates, last = new Set() } = all;
  const preferred =
    last.size === 0
      ? candidates
      : new Map([...candidates].map(([team, people]) => [team, people.filter((one) => !last.has(one))] as const));
  const matching: MutableMatching = { firstMemberOf: new Map(), teamOf: new Map() };
  // Nobody who was taken is released again, so that those who come last are as few as they can be.
  for (const choices of [preferred, candidates]) {
    for (const team of candidates.keys()) {
      if (!matching.firstMemberOf.has(team)) serve(team, choices, matching, new Set());
    }
  }
  preferAdmins(preferred, matching, adminOf);
  return matching;
}

interface MutableMatching {
  readonly firstMemberOf: Map<TeamKey, EmailKey>;
  readonly teamOf: Map<EmailKey, TeamKey>;
}

function assign({ firstMemberOf, teamOf }: MutableMatching, team: TeamKey, person: EmailKey): void {
  firstMemberOf.set(team, person);
  teamOf.set(person, team);
}

/** Finds a first member for one more team by a shortest alternating path that leaves the fixed teams alone. */
function serve(
  start: TeamKey,
  candidates: FirstMemberCandidates["candidates"],
  matching: MutableMatching,
  fixed: ReadonlySet<TeamKey>,
): boolean {
  const reachedFrom = new Map<EmailKey, TeamKey>();
  const queue = [start];
  for (const team of queue) {
    for (const person of candidates.get(team) ?? []) {
      if (reachedFrom.has(person)) continue;
      reachedFrom.set(person, team);
      const holder = matching.teamOf.get(person);
      if (holder === undefined) {
        flipPath(person, reachedFrom, matching);
        return true;
      }
      if (!fixed.has(holder)) queue.push(holder);
    }
  }
  return false;
}

function flipPath(free: EmailKey, reachedFrom: ReadonlyMap<EmailKey, TeamKey>, matching: MutableMatching): void {
  let person: EmailKey | undefined = free;
  while (person !== undefined) {
    const team = reachedFrom.get(person);
    if (team === undefined) return;
    const released = matching.firstMemberOf.get(team);
    assign(matching, team, person);
    person = released;
  }
}

function preferAdmins(
  candidates: FirstMemberCandidates["candidates"],
  matching: MutableMatching,
  adminOf: AdminOf,
): void {
  const { firstMemberOf, teamOf } = matching;
  const fixed = new Set<TeamKey>();
  for (const [team, people] of candidates) {
    const [admin, firstMember] = [adminOf(team), firstMemberOf.get(team)];
    if (admin === undefined || firstMember === undefined || !people.includes(admin)) continue;
    const holder = teamOf.get(admin);
    if (holder !== undefined && holder !== team && fixed.has(holder)) continue;
    fixed.add(team);
    if (holder === team) continue;
    assign(matching, team, admin);
    teamOf.delete(firstMember);
    if (holder === undefined) continue;
    firstMemberOf.delete(holder);
    if (serve(holder, candidates, matching, fixed)) continue;
    fixed.delete(team);
    assign(matching, holder, admin);
    assign(matching, team, firstMember);
  }
}

/**
 * The smallest set of teams that are too many for their candidates, and these candidates: all that alternating
 * paths from an unserved team reach. It is minimal because every other team in it is served by one of them.
 */
export function competitors(
  { candidates }: FirstMemberCandidates,
  { teamOf }: FirstMemberMatching,
  unserved: TeamKey,
): { readonly teams: readonly TeamKey[]; readonly people: readonly EmailKey[] } {
  const teams = new Set([unserved]);
  const people = new Set<EmailKey>();
  for (const team of teams) {
    for (const person of candidates.get(team) ?? []) {
      people.add(person);
      const rival = teamOf.get(person);
      if (rival !== undefined) teams.add(rival);
    }
  }
  return { teams: [...teams], people: [...people] };
}
