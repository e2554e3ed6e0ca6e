import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EmailKey } from "../../src/model/address.ts";
import { type Action, type ActionId, creationId, type Plan, peopleOf, teamOf } from "../../src/model/plan.ts";
import type { Roster } from "../../src/model/roster.ts";
import type { Snapshot } from "../../src/model/snapshot.ts";
import { teamKeyOf } from "../../src/model/team.ts";
import type { TeamKey } from "../../src/model/values.ts";
import { prune } from "../../src/plan/actions.ts";
import { type FirstMemberCandidates, matchFirstMembers } from "../../src/plan/first-members.ts";
import { always } from "../support/always.ts";
import { bestTeams, contestOf } from "../support/brute-force-first-members.ts";
import { judged, withGuards } from "../support/guards.ts";
import { aPolicy } from "../support/plan-inputs.ts";
import { runs } from "../support/property-runs.ts";
import {
  anySituation,
  crowdedSituations,
  picker,
  rosterOf,
  type Situation,
  sceneOf,
  situations,
  worldOf,
} from "../support/random-situations.ts";
import { shuffled } from "../support/read-otherwise.ts";
import { addressOf } from "../support/roster-builders.ts";
import { snapshotOf } from "../support/simulated-snapshot.ts";
import { userByAddress } from "../support/simulated-world.ts";

// Slow machines may take their time; the number of runs is what is bounded.
const drawn = fc.record({
  situation: anySituation,
  held: fc.subarray([0, 1, 2, 3, 4, 5, 6, 7], { minLength: 1, maxLength: 3 }),
  seed: fc.nat(),
});

const heldPeople = (held: readonly number[]) => held.map((index) => addressOf(`p${index}`));

function planned(situation: Situation, held: readonly EmailKey[], snapshot?: Snapshot) {
  const roster = rosterOf(situation);
  return judged({
    roster,
    snapshot: snapshot ?? snapshotOf(worldOf(situation), { roster }),
    policy: withGuards({ protect: { users: held, keys: [] } }),
  });
}

describe("what is blocked from a plan", () => {
  test("leaves no action that needs something blocked, and is nothing that does not need it", () => {
    always({ seed: 1, numRuns: runs(150) }, drawn, ({ situation, seed }) => {
      const { plan } = planned(situation, []);
      const pick = picker(seed);
      const targets = plan.actions.filter(() => pick(4) === 0).map(({ id }) => ({ action: id, cause: id }));
      const { actions, pruned } = prune(plan.actions, targets);
      const gone = new Set(pruned.filter(({ address }) => address === undefined).map(({ action }) => action));
      const meant = new Set(targets.map(({ action }) => action));
      for (const action of actions) expect(needsOf(action).filter((id) => gone.has(id))).toEqual([]);
      const left = new Map(plan.actions.map((action) => [action.id, action]));
      for (const { action, address, cause } of pruned) {
        expect(meant.has(cause)).toBe(true);
        const one = left.get(action);
        if (meant.has(action) || one === undefined) continue;
        expect(reasonsFor(one, address).some((id) => gone.has(id) || pruned.some((part) => part.action === id))).toBe(
          true,
        );
      }
      expect(prune(actions, targets)).toEqual({ actions, pruned: [] });
    });
  });
});

describe("people whom a guard holds", () => {
  test("are touched by no action", () => {
    always({ seed: 2, numRuns: runs(200) }, drawn, ({ situation, held }) => {
      const people = heldPeople(held);
      const { plan } = planned(situation, people);
      expect(plan.actions.flatMap(touchedBy).filter((address) => people.includes(address))).toEqual([]);
      const ids = plan.actions.map(({ id }) => id);
      for (const [place, action] of plan.actions.entries()) {
        expect(action.dependsOn.filter((id) => !ids.slice(0, place).includes(id))).toEqual([]);
      }
    });
  });

  test("hold up nobody else: others are created, added to teams that are there, and given roles all the same", () => {
    always({ seed: 3, numRuns: runs(200) }, drawn, ({ situation, held }) => {
      const people = heldPeople(held);
      const free = withoutLeads(situation);
      const asked = planned(free, []).plan;
      const guarded = planned(free, people).plan;
      const others = (plan: Plan) => partsOf(plan).filter(({ whose }) => !people.includes(whose));
      const done = new Set(others(guarded).map(({ part }) => part));
      expect(others(asked).filter(({ part }) => !done.has(part))).toEqual([]);
    });
  });

  test("cost no team that could be created without them", () => {
    always({ seed: 4, numRuns: runs(200) }, crowdedSituations, fc.subarray([0, 1, 2, 3, 4, 5]), (situation, held) => {
      const people = heldPeople(held);
      const free = withoutLeads(situation);
      const world = worldOf(free);
      const roster: Roster = rosterOf(free);
      const isFree = (address: EmailKey) => userByAddress(world, address) === undefined && !people.includes(address);
      const { plan } = planned(free, people);
      const createdTeam = plan.actions.filter(
        (action) => action.kind === "create-user" && action.createsTeam !== undefined,
      );
      expect(createdTeam).toHaveLength(bestTeams(contestOf(roster, isFree)).length);
    });
  });

  test("are created once the plan is allowed, and no team has become impossible meanwhile", () => {
    always(
      { seed: 5, numRuns: runs(150) },
      crowdedSituations,
      fc.subarray([0, 1, 2, 3, 4, 5], { minLength: 1 }),
      (situation, held) => {
        const free = withoutLeads(situation);
        const teamCreations = (plan: Plan) =>
          plan.actions.filter((action) => action.kind === "create-user" && action.createsTeam !== undefined).length;
        const all = teamCreations(planned(free, []).plan);
        const now = planned(free, heldPeople(held)).plan;
        const created = now.actions.flatMap((action) => (action.kind === "create-user" ? [action] : []));
        const later = planned(
          {
            people: free.people.map((person, index) =>
              created.some(({ address }) => address === addressOf(`p${index}`)) ? { ...person, there: true } : person,
            ),
            teams: free.teams.map((team, index) =>
              created.some(({ createsTeam }) => createsTeam?.name === `Team ${index}`)
                ? { ...team, there: true, worldMembers: team.members }
                : team,
            ),
          },
          [],
        ).plan;
        expect(teamCreations(now) + teamCreations(later)).toBe(all);
      },
    );
  });
});

describe("people who come last among first members", () => {
  const contests = fc.array(fc.uniqueArray(fc.nat(4), { maxLength: 4 }), { minLength: 1, maxLength: 5 });

  test("found as few teams as they can, whoever leads these, and none is lost", () => {
    always(
      { seed: 9, numRuns: runs(300) },
      contests,
      fc.subarray([0, 1, 2, 3, 4]),
      fc.array(fc.nat(4), { minLength: 5 }),
      (teams, late, leads) => {
        const last = new Set(heldPeople(late));
        const contestWith = (isIn: (address: EmailKey) => boolean): FirstMemberCandidates => ({
          candidates: new Map(
            teams.map((people, index) => [teamKeyOf("acc-1", `team ${index}`), heldPeople(people).filter(isIn)]),
          ),
        });
        const contest = contestWith(() => true);
        const adminOf = (team: TeamKey) => heldPeople([leads[Number(team.at(-1))] ?? 0])[0];
        const firstMembers = [...matchFirstMembers({ ...contest, last }, adminOf).firstMemberOf.values()];
        const early = bestTeams(contestWith((address) => !last.has(address))).length;
        expect([firstMembers.length, firstMembers.filter((address) => !last.has(address)).length]).toEqual([
          bestTeams(contest).length,
          early,
        ]);
      },
    );
  });
});

describe("guards", () => {
  test("ask for the same word in whatever order the service was read", () => {
    always({ seed: 6, numRuns: runs(60) }, drawn, ({ situation, held, seed }) => {
      const { snapshot } = sceneOf(situation);
      const backwards = shuffled(snapshot, seed);
      expect(planned(situation, heldPeople(held), backwards)).toEqual(planned(situation, heldPeople(held), snapshot));
    });
  });

  test("count just the actions that would be done", () => {
    always({ seed: 7, numRuns: runs(80) }, drawn, ({ situation, held }) => {
      const { roster, snapshot } = sceneOf(situation);
      const users = heldPeople(held);
      const { plan } = planned(situation, users);
      const created = plan.actions.filter(({ kind }) => kind === "create-user").length;
      const mails = plan.actions.reduce(
        (sum, action) => sum + (action.kind === "add-members" ? action.members.length : 0),
        0,
      );
      const stopsWith = (maxNewUsers: number, maxInvitations: number) => {
        const policy = withGuards({ protect: { users, keys: [] }, maxNewUsers, maxInvitations });
        const made = judged({ roster, snapshot, policy });
        expect(made.plan).toEqual(plan);
        return (made.refusal?.stops ?? []).map(({ code }) => code);
      };
      expect(stopsWith(created, mails)).toEqual([]);
      expect(stopsWith(created - 1, mails - 1)).toEqual(["max-new-users", "max-invitations"]);
    });
  });

  test("that have nothing to say change nothing", () => {
    always({ seed: 8, numRuns: runs(30) }, situations, (situation) => {
      const { roster, snapshot } = sceneOf(situation);
      expect(judged({ roster, snapshot, policy: aPolicy() })).toEqual(planned(situation, []));
    });
  });
});

/** Nobody is named to lead or to found: what a held person leads has to wait for them. */
function withoutLeads({ people, teams }: Situation): Situation {
  return { people, teams: teams.map((team) => ({ ...team, admin: undefined, firstMember: undefined })) };
}

function needsOf(action: Action): readonly ActionId[] {
  if (action.kind !== "add-members") return action.dependsOn;
  return [...action.dependsOn, ...action.members.map(({ address }) => creationId(address))];
}

/** What may be the cause that an action, or one person of an addition, is blocked. */
function reasonsFor(action: Action, address: EmailKey | undefined): readonly ActionId[] {
  if (action.kind !== "add-members" || address === undefined) return needsOf(action);
  return [creationId(address)];
}

function touchedBy(action: Action): readonly EmailKey[] {
  return action.kind === "create-user" ? [action.address] : peopleOf(action);
}

/** What each person gets, but for their place in a team that the plan creates: who creates it may be another. */
function partsOf({ actions }: Plan): readonly { readonly whose: EmailKey; readonly part: string }[] {
  const created = new Set(actions.flatMap((action) => (action.kind === "create-user" ? (teamOf(action) ?? []) : [])));
  return actions.flatMap((action) => {
    const team = teamOf(action);
    if (action.kind === "create-user") return [{ whose: action.address, part: action.id }];
    if (team !== undefined && created.has(team)) return [];
    return peopleOf(action).map((whose) => ({ whose, part: `${action.id} ${whose}` }));
  });
}
