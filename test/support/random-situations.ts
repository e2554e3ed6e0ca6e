import fc from "fast-check";
import type { Roster } from "../../src/model/roster.ts";
import { aKey, aRoster, aTeam, aUser, emailOf } from "./roster-builders.ts";
import { snapshotOf } from "./simulated-snapshot.ts";
import { aWorld, newKey, putTeam, putUser, type World, type WorldUser } from "./simulated-world.ts";
import type { Hidden } from "./visibility.ts";

/** A roster and a world that know some of the same people and teams. Plain data, so that it shrinks. */
export interface Situation {
  readonly people: readonly PersonDraw[];
  readonly teams: readonly TeamDraw[];
}

interface PersonDraw {
  readonly there: boolean;
  readonly wanted: boolean;
  readonly status: string;
  readonly secondAccount: boolean;
  readonly ownKeyRoles: readonly string[] | undefined;
  /** Roles of a project key in the world, and what the roster wants on it. */
  readonly projectKey: { readonly has: readonly string[]; readonly wants: readonly string[] } | undefined;
}

interface TeamDraw {
  readonly there: boolean;
  readonly secondAccount: boolean;
  readonly members: readonly number[];
  readonly worldMembers: readonly number[];
  /** Chosen among the members of the team's account, where there are any. */
  readonly admin: number | undefined;
  readonly firstMember: number | undefined;
  readonly roles: readonly string[] | undefined;
  readonly firstMemberRoles: readonly string[] | undefined;
  readonly worldRoles: readonly string[];
  readonly open: boolean;
}

const roles = fc.subarray(["TEAM_ROLE", "DEVELOPER", "AUDITOR", "ACCOUNT_ADMIN"]);
const maybe = <T>(value: fc.Arbitrary<T>, freq = 2): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined, freq });
const often = (freq: number) => fc.nat(freq).map((drawn) => drawn > 0);
const people = fc.uniqueArray(fc.nat(7), { minLength: 1, maxLength: 6 });

const person: fc.Arbitrary<PersonDraw> = fc.record({
  there: fc.boolean(),
  wanted: often(5),
  status: fc.constantFrom("active", "active", "active", "Active", "invited", "inactive", "deleted"),
  secondAccount: often(5).map((first) => !first),
  ownKeyRoles: maybe(roles),
  projectKey: maybe(fc.record({ has: roles, wants: roles }), 1),
});

const team: fc.Arbitrary<TeamDraw> = fc.record({
  there: often(2).map((absent) => !absent),
  secondAccount: often(5).map((first) => !first),
  members: people,
  worldMembers: fc.uniqueArray(fc.nat(7), { maxLength: 4 }),
  admin: maybe(fc.nat(5), 4),
  firstMember: maybe(fc.nat(5), 2),
  roles: maybe(roles, 4),
  firstMemberRoles: maybe(roles),
  worldRoles: roles,
  open: fc.boolean(),
});

export const situations: fc.Arbitrary<Situation> = fc.record({
  people: fc.array(person, { minLength: 8, maxLength: 8 }),
  teams: fc.array(team, { minLength: 1, maxLength: 5 }),
});

/** Situations in which nearly everybody is new, so that teams compete for first members and administrators. */
export const crowdedSituations: fc.Arbitrary<Situation> = situations.map(({ people: drawn, teams }) => ({
  people: drawn.map((one, index) => ({
    ...one,
    there: index > 5,
    secondAccount: false,
    wanted: true,
    status: "active",
  })),
  teams: teams.map((one) => ({ ...one, there: false, secondAccount: false })),
}));

export const anySituation = fc.oneof(situations, crowdedSituations);

/** The roster and the world of a situation, and what a thorough observer reads of it. */
export function sceneOf(situation: Situation, hides: readonly Hidden[] = []) {
  const [roster, world] = [rosterOf(situation), worldOf(situation)];
  return { roster, world, snapshot: snapshotOf(world, { roster, hides }) };
}

/** Draws one of so many choices, the same for the same seed. */
export function picker(seed: number): (choices: number) => number {
  let state = seed % 2147483647 || 1;
  return (choices) => {
    state = (state * 48271) % 2147483647;
    return state % choices;
  };
}

export function rosterOf({ people: drawn, teams }: Situation): Roster {
  const users = drawn.flatMap((one, index) => {
    if (!one.wanted) return [];
    const own = one.ownKeyRoles === undefined ? {} : { ownKeyRoles: one.ownKeyRoles };
    return [aUser(nameOf(index), { account: accountOf(one), line: index + 1, ...own })];
  });
  return aRoster({
    users,
    teams: teams.map((one, index) => teamOf(one, index, drawn)),
    keys: drawn.flatMap((one, index) =>
      one.wanted && one.there && one.projectKey !== undefined
        ? [aKey(`project${index}`, { owner: nameOf(index), roles: one.projectKey.wants })]
        : [],
    ),
  });
}

function teamOf(drawn: TeamDraw, index: number, everybody: readonly PersonDraw[]) {
  const members = drawn.members.filter((member) => everybody[member]?.wanted === true);
  const own = members.filter((member) => everybody[member]?.secondAccount === drawn.secondAccount);
  const admin = drawn.admin === undefined ? undefined : own[drawn.admin];
  const firstMember = drawn.firstMember === undefined ? undefined : own[drawn.firstMember];
  return aTeam(`Team ${index}`, {
    account: accountOf(drawn),
    open: drawn.open,
    line: 100 + index,
    members: members.map((member, place) => {
      const special = place === 0 ? drawn.firstMemberRoles : undefined;
      return special === undefined ? nameOf(member) : { user: nameOf(member), roles: special };
    }),
    ...(drawn.roles === undefined ? {} : { roles: drawn.roles }),
    ...(admin === undefined ? {} : { admin: nameOf(admin) }),
    ...(firstMember === undefined ? {} : { firstMember: nameOf(firstMember) }),
  });
}

export function worldOf({ people: drawn, teams }: Situation): World {
  const world = aWorld({ accounts: ["acc-1", "acc-2"] });
  putUser(world, { email: "root@acme.example" });
  const there = new Map<number, WorldUser>();
  drawn.forEach((one, index) => {
    if (!one.there) return;
    const user = putUser(world, { email: emailOf(nameOf(index)), account: accountOf(one), status: one.status });
    user.firstName = `P${index}`;
    user.lastName = "Test";
    if (one.projectKey !== undefined) {
      const key = newKey(world, { kind: "project", roles: one.projectKey.has, isDefault: false });
      user.keys.push({ ...key, prefix: `project${index}` });
    }
    there.set(index, user);
  });
  teams.forEach((one, index) => {
    if (!one.there) return;
    const members = one.worldMembers.flatMap((member) => there.get(member) ?? []);
    const living = members.filter((user) => user.status !== "deleted");
    // A team that only people of other accounts show is taken for a team of theirs.
    if (!living.some((user) => user.account === accountOf(one))) return;
    putTeam(world, { name: `Team ${index}`, account: accountOf(one), members: living, roles: one.worldRoles });
  });
  return world;
}

function nameOf(index: number): string {
  return `p${index}`;
}

function accountOf({ secondAccount }: { readonly secondAccount: boolean }): string {
  return secondAccount ? "acc-2" : "acc-1";
}
