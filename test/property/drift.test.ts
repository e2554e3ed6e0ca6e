import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyEvents } from "../../src/log/fold.ts";
import { findingsSeen } from "../../src/log/observed-events.ts";
import { type Drift, type DriftItem, driftClasses } from "../../src/model/drift.ts";
import type { Plan } from "../../src/model/plan.ts";
import { defaultPrivilegedRoles, type RoleSet, roleSet } from "../../src/model/role-set.ts";
import type { Roster } from "../../src/model/roster.ts";
import type { Snapshot } from "../../src/model/snapshot.ts";
import type { State } from "../../src/model/state.ts";
import { formatSubject } from "../../src/model/subject.ts";
import { repairPlan } from "../../src/plan/drift/compute-drift.ts";
import { splitAction } from "../../src/plan/drift/outside-changes.ts";
import { always, alwaysAsync } from "../support/always.ts";
import { aPolicy, aState, plannedDrift } from "../support/plan-inputs.ts";
import { runPlan } from "../support/plan-runner.ts";
import { runs } from "../support/property-runs.ts";
import { anySituation, picker, rosterOf, type Situation, sceneOf, worldOf } from "../support/random-situations.ts";
import { later, readLater, shuffled } from "../support/read-otherwise.ts";
import { aUser } from "../support/roster-builders.ts";
import { simulatedService } from "../support/simulated-service.ts";
import { snapshotOf } from "../support/simulated-snapshot.ts";
import type { World } from "../support/simulated-world.ts";

const drawn = fc.record({ situation: anySituation, seed: fc.nat() });
const policy = aPolicy({ reportUnmanaged: true });
const allows = ["unproven-absence:team%201"];

// Slow machines may take their time; the number of runs is what is bounded.
interface Seen {
  readonly plan: Plan;
  readonly drift: Drift;
}

function look(roster: Roster, snapshot: Snapshot, state: State = aState()): Seen {
  return plannedDrift({ roster, snapshot, state, policy, allows });
}

/** The state that half a plan leaves, so that there are records of all kinds. */
async function halfDone(roster: Roster, world: World, seed: number): Promise<State> {
  const { plan } = look(roster, snapshotOf(world, { roster }));
  const pick = picker(seed);
  return runPlan(plan, simulatedService({ world }), aState(), pick(plan.actions.length + 1));
}

function inShort({ items }: Drift): readonly string[] {
  return items.map((item) => `${item.fingerprint} ${item.class} ${formatSubject(item.subject)}`);
}

describe("drift", () => {
  test("has the same fingerprints and classes in whatever order, by whatever reads and whenever it is read", async () => {
    await alwaysAsync({ seed: 31, numRuns: runs(100) }, drawn, async ({ situation, seed }) => {
      const { roster, world } = sceneOf(situation);
      const state = await halfDone(roster, world, seed);
      const snapshot = snapshotOf(world, { roster });
      const { drift } = look(roster, snapshot, state);
      const again = look(roster, readLater(shuffled(snapshot, seed)), later(state)).drift;
      expect(inShort(again)).toEqual(inShort(drift));
      expect(again.coverage).toEqual(drift.coverage);
    });
  });

  test("says one thing of each action, of each person of an addition and of each finding, under a fingerprint of its own", () => {
    always({ seed: 32, numRuns: runs(150) }, drawn, ({ situation }) => {
      const roster = rosterOf(situation);
      const { plan, drift } = look(roster, snapshotOf(worldOf(situation), { roster }));
      expect(drift.items.length).toBe(plan.actions.flatMap(splitAction).length + plan.findings.length);
      expect(new Set(drift.items.map(({ fingerprint }) => fingerprint)).size).toBe(drift.items.length);
      expect(drift.items.filter((item) => !driftClasses.includes(item.class))).toEqual([]);
    });
  });

  test("of the same world has nothing new the second time, whatever the order of its reads", () => {
    always({ seed: 33, numRuns: runs(100) }, drawn, ({ situation, seed }) => {
      const { roster, snapshot } = sceneOf(situation);
      const { drift } = look(roster, snapshot);
      const at = "2026-11-20T12:00:00.000Z";
      const seen = { at, service: snapshot.service, proves: () => true } as const;
      const event = findingsSeen(drift, aState(), seen);
      const state = event === undefined ? aState() : applyEvents(aState(), [event]);
      const again = look(roster, shuffled(snapshot, seed), state).drift;
      expect(again.items.map(({ since }) => since)).toEqual(drift.items.map(() => at));
      expect(findingsSeen(again, state, { ...seen, at: "2026-11-21T12:00:00.000Z" })).toBe(undefined);
    });
  });

  test("once what was tampered with is repaired, every key is as our runs left it, and nothing else was done", async () => {
    await alwaysAsync(
      { seed: 34, numRuns: runs(150) },
      drawn,
      fc.array(tampering, { minLength: 1, maxLength: 6 }),
      async ({ situation }, tamperings) => {
        const roster = rosterOf(managed(situation));
        const world = worldOf(situation);
        const { plan } = look(roster, snapshotOf(world, { roster }));
        const service = simulatedService({ world });
        const state = await runPlan(plan, service, aState());
        const agreed = rolesByPrefix(world);
        const touched = tamper(world, state, tamperings);
        // Somebody whom the roster has only asked for since is no tampering.
        const newcomer = aUser("newcomer");
        const grown = { ...roster, users: new Map([...roster.users, [newcomer.address, newcomer] as const]) };
        const { plan: next, drift } = look(grown, snapshotOf(world, { roster: grown }), state);
        expect(drift.items.flatMap((item) => untrueChanges(item, world, state))).toEqual([]);
        const part = repairPlan(next, drift, new Set(["tampered"]));
        const people = world.users.length;
        const before = service.requests.writes;
        await runPlan(part, service, state);
        expect(rolesByPrefix(world)).toEqual(agreed);
        expect({ people: world.users.length, writes: service.requests.writes - before }).toEqual({
          people,
          writes: touched,
        });
      },
    );
  });
});

/** The same, with a roster that says of every team which roles its keys have. */
function managed(situation: Situation): Situation {
  return { ...situation, teams: situation.teams.map((team) => ({ ...team, roles: team.roles ?? ["TEAM_ROLE"] })) };
}

/** What is called gained and is not in the service, or was there after the last apply; and what is called lost and was not. */
function untrueChanges({ outside = [] }: DriftItem, world: World, state: State): readonly string[] {
  const held = new Map(world.users.flatMap(({ keys }) => keys.map(({ prefix, roles }) => [prefix, roles] as const)));
  return outside.flatMap(({ key, gained, lost, privileged }) => {
    const now = held.get(key?.prefix ?? "") ?? [];
    const record = state.keys.get(key?.prefix ?? "");
    const left = [...(record?.setRoles ?? []), ...(record?.observedRoles ?? [])];
    return [
      ...gained.filter((role) => !now.includes(role) || left.includes(role)).map((role) => `gained ${role}`),
      ...lost.filter((role) => now.includes(role) || !left.includes(role)).map((role) => `lost ${role}`),
      ...privileged.filter((role) => !gained.includes(role) || !defaultPrivilegedRoles.includes(role)),
    ];
  });
}

interface Tampering {
  readonly key: number;
  readonly roles: RoleSet;
}

const tampering: fc.Arbitrary<Tampering> = fc.record({
  key: fc.nat(20),
  roles: fc.subarray(["TEAM_ROLE", "DEVELOPER", "AUDITOR", "ACCOUNT_ADMIN"]).map(roleSet),
});

/** Gives keys on which runs have put roles other ones. Says how many are other ones in the end. */
function tamper(world: World, state: State, tamperings: readonly Tampering[]): number {
  const ours = world.users.flatMap(({ keys }) => keys.filter(({ prefix }) => state.keys.has(prefix)));
  const before = new Map(ours.map((key) => [key.prefix, key.roles.join()]));
  for (const { key, roles } of tamperings) {
    const chosen = ours[key % Math.max(1, ours.length)];
    if (chosen !== undefined) chosen.roles = roles;
  }
  return ours.filter((key) => key.roles.join() !== before.get(key.prefix)).length;
}

function rolesByPrefix(world: World): ReadonlyMap<string, string> {
  return new Map(world.users.flatMap(({ keys }) => keys.map(({ prefix, roles }) => [prefix, roles.join()] as const)));
}
