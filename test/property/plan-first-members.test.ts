import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EmailKey } from "../../src/model/address.ts";
import { formatSubject } from "../../src/model/fact.ts";
import type { Plan } from "../../src/model/plan.ts";
import { teamKeyOf } from "../../src/model/team.ts";
import type { TeamKey } from "../../src/model/values.ts";
import { competitors, type FirstMemberCandidates, matchFirstMembers } from "../../src/plan/first-members.ts";
import { always } from "../support/always.ts";
import { bestTeams, canBeOrdered, contestOf } from "../support/brute-force-first-members.ts";
import { planned } from "../support/plan-inputs.ts";
import { runs } from "../support/property-runs.ts";
import { crowdedSituations, sceneOf } from "../support/random-situations.ts";
import { addressOf } from "../support/roster-builders.ts";
import { userByAddress } from "../support/simulated-world.ts";

const contests: fc.Arbitrary<FirstMemberCandidates> = fc
  .array(fc.uniqueArray(fc.nat(4), { maxLength: 4 }), { minLength: 1, maxLength: 5 })
  .map((teams) => ({
    candidates: new Map(
      teams.map((people, index) => [teamKeyOf("acc-1", `team ${index}`), people.map((one) => addressOf(`p${one}`))]),
    ),
  }));

const admins: fc.Arbitrary<(team: TeamKey) => EmailKey | undefined> = fc
  .array(fc.option(fc.nat(4)), { minLength: 5, maxLength: 5 })
  .map((drawn) => (team) => {
    const admin = drawn[Number(team.at(-1))];
    return admin === null || admin === undefined ? undefined : addressOf(`p${admin}`);
  });

// Slow machines may take their time; the number of runs is what is bounded.
describe("matching first members", () => {
  test("serves as many teams as brute force can, the first in the roster first, with or without administrators", () => {
    always({ seed: 1, numRuns: runs(1000) }, contests, admins, (contest, adminOf) => {
      const served = matchFirstMembers(contest, adminOf).firstMemberOf;
      expect([...contest.candidates.keys()].filter((team) => served.has(team))).toEqual(bestTeams(contest));
    });
  });

  test("pairs each team with a candidate of its own, nobody twice", () => {
    always({ seed: 2, numRuns: runs(1000) }, contests, admins, (contest, adminOf) => {
      const { firstMemberOf, teamOf } = matchFirstMembers(contest, adminOf);
      expect(new Map([...firstMemberOf].map(([team, person]) => [person, team]))).toEqual(new Map(teamOf));
      for (const [team, person] of firstMemberOf) expect(contest.candidates.get(team)).toContain(person);
    });
  });

  test("leaves no first members who wait for each other, where every administrator is a candidate", () => {
    always({ seed: 3, numRuns: runs(1000) }, contests, admins, (contest, adminOf) => {
      const ableAdmin = (team: TeamKey) => {
        const admin = adminOf(team);
        return admin !== undefined && contest.candidates.get(team)?.includes(admin) === true ? admin : undefined;
      };
      expect(canBeOrdered(matchFirstMembers(contest, ableAdmin).firstMemberOf, ableAdmin)).toBe(true);
    });
  });

  test("names a set of competing teams that is too large for its candidates, and no part of it is", () => {
    always({ seed: 4, numRuns: runs(1000) }, contests, (contest) => {
      const pairs = matchFirstMembers(contest, () => undefined);
      for (const team of contest.candidates.keys()) {
        if (pairs.firstMemberOf.has(team)) continue;
        const { teams, people } = competitors(contest, pairs, team);
        expect(new Set(people)).toEqual(new Set(teams.flatMap((one) => contest.candidates.get(one) ?? [])));
        expect(subsetsOf(teams).filter((part) => isTooLarge(part, contest))).toEqual([teams]);
      }
    });
  });
});

describe("the teams that a plan creates", () => {
  test("are as many as brute force can order, the first in the roster first", () => {
    always({ seed: 5, numRuns: runs(1500) }, crowdedSituations, (situation) => {
      const { roster, world, snapshot } = sceneOf(situation);
      const plan = planned({ roster, snapshot });
      const adminOf = (key: TeamKey) => newAdmin(roster.teams.find((team) => team.key === key)?.admin?.value);
      const newAdmin = (address: EmailKey | undefined) =>
        address !== undefined && userByAddress(world, address) === undefined ? address : undefined;
      const contest = contestOf(roster, (address) => userByAddress(world, address) === undefined);
      expect(createdBy(plan, [...contest.candidates.keys()])).toEqual(
        bestTeams(contest, (assignment) => canBeOrdered(assignment, adminOf)),
      );
    });
  });

  test("and each team that it does not found is a finding of its own", () => {
    always({ seed: 6, numRuns: runs(500) }, crowdedSituations, (situation) => {
      const { roster, snapshot } = sceneOf(situation);
      const plan = planned({ roster, snapshot });
      const keys = roster.teams.map(({ key }) => key);
      const createdTeam = createdBy(plan, keys);
      const told = plan.findings
        .filter(({ code }) => code === "cannot-create-team")
        .map(({ subject }) => formatSubject(subject));
      expect(told.sort()).toEqual(
        keys
          .filter((key) => !createdTeam.includes(key))
          .map((key) => `team ${key}`)
          .sort(),
      );
    });
  });
});

function createdBy(plan: Plan, order: readonly TeamKey[]): readonly TeamKey[] {
  const createdTeam = plan.actions.flatMap((action) =>
    action.kind === "create-user" ? (action.createsTeam?.team ?? []) : [],
  );
  return order.filter((team) => createdTeam.includes(team));
}

function subsetsOf<T>([first, ...rest]: readonly T[]): readonly (readonly T[])[] {
  if (first === undefined) return [[]];
  return subsetsOf(rest).flatMap((part) => [part, [first, ...part]]);
}

function isTooLarge(teams: readonly TeamKey[], contest: FirstMemberCandidates): boolean {
  return new Set(teams.flatMap((team) => contest.candidates.get(team) ?? [])).size < teams.length;
}
