import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Plan } from "../../src/model/plan.ts";
import { sameRoles } from "../../src/model/role-set.ts";
import type { Roster } from "../../src/model/roster.ts";
import { formatSubject } from "../../src/model/subject.ts";
import type { DesiredTeam } from "../../src/model/team.ts";
import type { DesiredUser } from "../../src/model/user.ts";
import { alwaysAsync } from "../support/always.ts";
import { aState, planned } from "../support/plan-inputs.ts";
import { runPlan } from "../support/plan-runner.ts";
import { runs } from "../support/property-runs.ts";
import { anySituation, rosterOf, sceneOf, worldOf } from "../support/random-situations.ts";
import { simulatedService } from "../support/simulated-service.ts";
import { snapshotOf } from "../support/simulated-snapshot.ts";
import { keyByPrefix, teamKeyOfUser, userByAddress, type World, type WorldKey } from "../support/simulated-world.ts";
import type { Hidden } from "../support/visibility.ts";

const hiddenThings: readonly (readonly Hidden[])[] = [
  [],
  [],
  ["keys"],
  ["roles"],
  ["teams"],
  ["keys", "roles"],
  ["user-identifiers"],
  ["user-accounts", "account-members"],
];

const drawn = fc.record({
  situation: anySituation,
  hides: fc.constantFrom(...hiddenThings),
  allows: fc.constantFrom<readonly string[]>(
    ["unproven-absence:*"],
    [],
    ["unproven-absence:team%200", "unproven-absence:team%202"],
  ),
});

// Slow machines may take their time; the number of runs is what is bounded.
describe("a plan that is run", () => {
  test("breaks no rule of the service, and planning again finds nothing to do and no new blocking finding", async () => {
    await alwaysAsync({ seed: 20261120, numRuns: runs(2000, 40) }, drawn, async ({ situation, hides, allows }) => {
      const { roster, world } = sceneOf(situation);
      const first = planned({ roster, allows, snapshot: snapshotOf(world, { roster, hides }) });
      const service = simulatedService({ world, hides });
      const state = await runPlan(first, service, aState());
      expect(service.refusals).toEqual([]);
      const again = planned({ roster, allows, state, snapshot: snapshotOf(world, { roster, hides }) });
      expect(again.actions).toEqual([]);
      expect(blocking(again).filter((one) => !blocking(first).includes(one))).toEqual([]);
    });
  });

  test("invites nobody twice and creates the same teams, where it is stopped anywhere and planned again", async () => {
    await alwaysAsync(
      { seed: 13, numRuns: runs(1500, 40) },
      drawn,
      fc.nat(12),
      async ({ situation, hides, allows }, stopAfter) => {
        const roster = rosterOf(situation);
        const [atOnce, inTwo] = [worldOf(situation), worldOf(situation)];
        const whole = planned({ roster, allows, snapshot: snapshotOf(atOnce, { roster, hides }) });
        await runPlan(whole, simulatedService({ world: atOnce, hides }), aState());
        const service = simulatedService({ world: inTwo, hides });
        const state = await runPlan(whole, service, aState(), stopAfter);
        const rest = planned({ roster, allows, state, snapshot: snapshotOf(inTwo, { roster, hides }) });
        await runPlan(rest, service, state);
        expect(service.refusals).toEqual([]);
        const invited = service.outbox.map(({ email, team }) => `${email} ${team}`);
        expect(invited.length).toBe(new Set(invited).size);
        expect(namesOfTeams(inTwo)).toEqual(namesOfTeams(atOnce));
      },
    );
  });

  test("leaves exactly what the roster asks for, where nothing blocks", async () => {
    await alwaysAsync({ seed: 7, numRuns: runs(1500, 40) }, drawn, async ({ situation }) => {
      const { roster, world, snapshot } = sceneOf(situation);
      const plan = planned({ roster, snapshot });
      await runPlan(plan, simulatedService({ world }), aState());
      if (blocking(plan).length === 0) expect(unmet(roster, world)).toEqual([]);
    });
  });

  test("sends as few writes as there are people to create, teams to join and keys to change", async () => {
    await alwaysAsync({ seed: 11, numRuns: runs(1500, 40) }, drawn, async ({ situation }) => {
      const { roster, world } = sceneOf(situation);
      const before = rolesByPrefix(world);
      const usersBefore = world.users.length;
      const plan = planned({ roster, snapshot: snapshotOf(world, { roster }) });
      const born = new Map<string, readonly string[]>();
      const service = simulatedService({
        world,
        after: () => {
          for (const [prefix, roles] of rolesByPrefix(world)) if (!born.has(prefix)) born.set(prefix, roles);
          return undefined;
        },
      });
      await runPlan(plan, service, aState());
      const created = world.users.length - usersBefore;
      const joined = new Set(service.outbox.map(({ team }) => team)).size;
      const first = new Map([...born, ...before]);
      const changed = [...rolesByPrefix(world)].filter(
        ([prefix, roles]) => !sameRoles(first.get(prefix) ?? roles, roles),
      );
      expect(service.requests.writes).toBe(created + joined + changed.length);
      expect(plan.calls.atMost).toBeGreaterThanOrEqual(service.requests.writes);
    });
  });
});

function blocking(plan: Plan): readonly string[] {
  return plan.findings
    .filter((finding) => finding.kind === "task")
    .map(({ code, subject }) => `${code} ${formatSubject(subject)}`);
}

function namesOfTeams(world: World): readonly string[] {
  return [...world.teams.values()].map(({ name, account }) => `${account} ${name}`).sort();
}

function rolesByPrefix(world: World): ReadonlyMap<string, readonly string[]> {
  return new Map(world.users.flatMap((user) => user.keys.map((key) => [key.prefix, key.roles] as const)));
}

/** What of the roster the world does not have, told without the planner's help. */
function unmet(roster: Roster, world: World): readonly string[] {
  const people = [...roster.users.values()].filter(
    (user) => userByAddress(world, user.address)?.account !== user.account,
  );
  const teams = roster.teams.filter(({ members }) => members.length > 0);
  return [
    ...people.map(({ email }) => `user ${email}`),
    ...teams.flatMap((team) => unmetIn(team, world)),
    ...[...roster.users.values()].flatMap((user) => unmetOwnKey(user, world)),
    ...roster.keys
      .filter(({ prefix, roles }) => !hasRoles(keyByPrefix(world, prefix), roles))
      .map(({ prefix }) => prefix),
  ];
}

function unmetOwnKey({ address, ownKeyRoles }: DesiredUser, world: World): readonly string[] {
  const key = userByAddress(world, address)?.keys.find(({ kind }) => kind === "user");
  return ownKeyRoles === undefined || hasRoles(key, ownKeyRoles.value) ? [] : [`own key of ${address}`];
}

function hasRoles(key: WorldKey | undefined, roles: readonly string[]): boolean {
  return key !== undefined && sameRoles(key.roles, roles);
}

function unmetIn(team: DesiredTeam, world: World): readonly string[] {
  const [there, ...others] = [...world.teams.values()].filter(
    ({ name, account }) => name === team.name && account === team.account,
  );
  if (there === undefined || others.length > 0) return [`one team ${team.name}`];
  return team.members.flatMap(({ address, roles }) => {
    const user = userByAddress(world, address);
    const key = user && teamKeyOfUser(user, there.identifier);
    if (key === undefined) return [`${address} in ${team.name}`];
    return roles === undefined || sameRoles(key.roles, roles) ? [] : [`roles of ${key.prefix}`];
  });
}
