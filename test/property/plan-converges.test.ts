import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatSubject } from "../../src/model/fact.ts";
import type { Plan } from "../../src/model/plan.ts";
import type { Roster } from "../../src/model/roster.ts";
import type { DesiredTeam } from "../../src/model/team.ts";
import type { DesiredUser } from "../../src/model/user.ts";
import { sameRoles } from "../../src/model/values.ts";
import { planContradiction } from "../../src/plan/plan-file.ts";
import { always, alwaysAsync } from "../support/always.ts";
import { aPolicy, aState, planned } from "../support/plan-inputs.ts";
import { runPlan } from "../support/plan-runner.ts";
import { runs } from "../support/property-runs.ts";
import { anySituation, picker, rosterOf, sceneOf, worldOf } from "../support/random-situations.ts";
import { later, readLater, shuffled } from "../support/read-otherwise.ts";
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
    await alwaysAsync({ seed: 20261120, numRuns: runs(2000, 80) }, drawn, async ({ situation, hides, allows }) => {
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
      { seed: 13, numRuns: runs(1500, 80) },
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
    await alwaysAsync({ seed: 7, numRuns: runs(1500, 80) }, drawn, async ({ situation }) => {
      const { roster, world, snapshot } = sceneOf(situation);
      const plan = planned({ roster, snapshot });
      await runPlan(plan, simulatedService({ world }), aState());
      if (blocking(plan).length === 0) expect(unmet(roster, world)).toEqual([]);
    });
  });

  test("sends as few writes as there are people to create, teams to join and keys to change", async () => {
    await alwaysAsync({ seed: 11, numRuns: runs(1500, 80) }, drawn, async ({ situation }) => {
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

const seeded = fc.record({ situation: anySituation, seed: fc.nat() });
const policy = aPolicy({ reportUnmanaged: true });
const allows = ["unproven-absence:team%201"];

// Slow machines may take their time; the number of runs is what is bounded.
describe("a plan", () => {
  test("is the same to the byte, in whatever order users, accounts and keys were read", () => {
    always({ seed: 1, numRuns: runs(500, 20) }, seeded, ({ situation, seed }) => {
      const { roster, snapshot } = sceneOf(situation);
      const plan = planned({ roster, snapshot, policy, allows });
      expect(planContradiction(plan)).toBeUndefined();
      expect(JSON.stringify(planned({ roster, snapshot: shuffled(snapshot, seed), policy, allows }))).toBe(
        JSON.stringify(plan),
      );
    });
  });

  test("is about the same, in whatever order users, members and keys stand in the roster", () => {
    always({ seed: 71, numRuns: runs(600) }, seeded, ({ situation, seed }) => {
      const { roster, snapshot } = sceneOf(situation);
      const [one, other] = [roster, reordered(roster, seed)].map((each) =>
        planned({ roster: each, snapshot, policy, allows }),
      );
      expect(other?.id).toBe(one?.id);
      expect(essence(other)).toEqual(essence(one));
    });
  });

  test("has an identifier that knows nothing of times, serials, request counts and names of reads", async () => {
    await alwaysAsync({ seed: 2, numRuns: runs(300, 20) }, seeded, async ({ situation }) => {
      const { roster, world, snapshot: before } = sceneOf(situation);
      const first = planned({ roster, snapshot: before, policy, allows });
      const half = { ...first, actions: first.actions.filter((action) => action.kind === "create-user") };
      const state = await runPlan(half, simulatedService({ world }), aState());
      const snapshot = snapshotOf(world, { roster });
      const next = planned({ roster, snapshot, state, policy, allows });
      expect(planContradiction(next)).toBeUndefined();
      const { id } = next;
      expect(planned({ roster, snapshot: readLater(snapshot), state: later(state), policy, allows }).id).toBe(id);
    });
  });

  test("has another identifier whenever it does something else", () => {
    always({ seed: 3, numRuns: runs(300, 20) }, seeded, seeded, (one, other) => {
      const [a, b] = [one, other].map(({ situation }) => {
        const { roster, snapshot } = sceneOf(situation);
        return planned({ roster, snapshot });
      });
      expect(a?.id === b?.id).toBe(JSON.stringify(deeds(a?.actions)) === JSON.stringify(deeds(b?.actions)));
    });
  });

  test("gives each finding a fingerprint of its own", () => {
    always({ seed: 4, numRuns: runs(500, 20) }, seeded, ({ situation }) => {
      const { roster, snapshot } = sceneOf(situation);
      const { findings } = planned({ roster, snapshot, policy, allows });
      expect(new Set(findings.map(({ fingerprint }) => fingerprint)).size).toBe(findings.length);
    });
  });

  test("lists each action after those that it depends on", () => {
    always({ seed: 5, numRuns: runs(500, 20) }, seeded, ({ situation }) => {
      const { roster, snapshot } = sceneOf(situation);
      const { actions } = planned({ roster, snapshot });
      const ids = actions.map(({ id }) => id);
      for (const [place, { dependsOn }] of actions.entries()) {
        expect(dependsOn.filter((id) => !ids.slice(0, place).includes(id))).toEqual([]);
      }
    });
  });
});

/** Actions without what tells how and why they came to be known. */
function deeds(actions: readonly object[] = []): unknown {
  return JSON.parse(
    JSON.stringify(actions, (name, value) =>
      ["because", "restsOn", "before", "by", "at", "place", "line", "owner", "request"].includes(name)
        ? undefined
        : value,
    ),
  );
}

function essence(plan: ReturnType<typeof planned> | undefined) {
  return {
    actions: (plan?.actions ?? []).map((action) => JSON.stringify(action)),
    findings: (plan?.findings ?? []).map((finding) => JSON.stringify(finding)),
    calls: plan?.calls,
  };
}

function reordered(roster: Roster, seed: number): Roster {
  const pick = picker(seed);
  const mixed = <T>(all: readonly T[]): readonly T[] => {
    const rest = [...all];
    return all.flatMap(() => rest.splice(pick(rest.length), 1));
  };
  return {
    ...roster,
    users: new Map(mixed([...roster.users])),
    leavers: new Map(mixed([...roster.leavers])),
    teams: roster.teams.map((team) => ({ ...team, members: mixed(team.members) })),
    keys: mixed(roster.keys),
  };
}
