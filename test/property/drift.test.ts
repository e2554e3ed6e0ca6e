import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyEvents } from "../../src/log/fold.ts";
import { findingsSeen } from "../../src/log/observed-events.ts";
import { formatSubject } from "../../src/model/fact.ts";
import { accountStatus } from "../../src/model/key.ts";
import { type Drift, driftClasses, privilegesGained } from "../../src/model/plan.ts";
import type { Roster } from "../../src/model/roster.ts";
import type { Snapshot, UserListStatus } from "../../src/model/snapshot.ts";
import type { State } from "../../src/model/state.ts";
import { defaultPrivilegedRoles, type RoleSet, roleSet, rolesWithout, sameRoles } from "../../src/model/values.ts";
import { accessSeen } from "../../src/plan/drift/access-seen.ts";
import { repairPlan } from "../../src/plan/drift/compute-drift.ts";
import { splitAction } from "../../src/plan/drift/outside-changes.ts";
import { provesGone, tasksOf } from "../../src/plan/drift/tasks.ts";
import { always, alwaysAsync } from "../support/always.ts";
import { aPolicy, aState, plannedDrift } from "../support/plan-inputs.ts";
import { runPlan } from "../support/plan-runner.ts";
import { runs } from "../support/property-runs.ts";
import { anySituation, picker, rosterOf, sceneOf, situations, worldOf } from "../support/random-situations.ts";
import { later, readLater, shuffled } from "../support/read-otherwise.ts";
import { aUser } from "../support/roster-builders.ts";
import { simulatedService } from "../support/simulated-service.ts";
import { snapshotOf } from "../support/simulated-snapshot.ts";
import type { World, WorldKey, WorldUser } from "../support/simulated-world.ts";
import type { Hidden } from "../support/visibility.ts";

const drawn = fc.record({ situation: anySituation, seed: fc.nat() });
const policy = aPolicy({ reportUnmanaged: true });
const allows = ["unproven-absence:team%201"];

function look(roster: Roster, snapshot: Snapshot, state: State = aState()) {
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
        // Of every team, the roster says which roles its keys have.
        const teams = situation.teams.map((team) => ({ ...team, roles: team.roles ?? ["TEAM_ROLE"] }));
        const roster = rosterOf({ ...situation, teams });
        const world = worldOf(situation);
        const { plan } = look(roster, snapshotOf(world, { roster }));
        const service = simulatedService({ world });
        const state = await runPlan(plan, service, aState());
        const agreed = rolesByPrefix(world);
        const ours = keysIn(world).filter(({ prefix }) => state.keys.has(prefix));
        const touched = tamper(ours, tamperings);
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

/** What is called gained and is not in the service, or was there after the last apply; and what is called lost and was not. */
function untrueChanges({ outside = [] }: Drift["items"][number], world: World, state: State): readonly string[] {
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

/** Gives keys other roles. Says how many have other ones in the end. */
function tamper(keys: readonly WorldKey[], tamperings: readonly Tampering[]): number {
  const before = new Map(keys.map((key) => [key.prefix, key.roles.join()]));
  for (const { key, roles } of tamperings) {
    const chosen = keys[key % Math.max(1, keys.length)];
    if (chosen !== undefined) chosen.roles = roles;
  }
  return keys.filter((key) => key.roles.join() !== before.get(key.prefix)).length;
}

function rolesByPrefix(world: World): ReadonlyMap<string, string> {
  return new Map(world.users.flatMap(({ keys }) => keys.map(({ prefix, roles }) => [prefix, roles.join()] as const)));
}

const rolesDrawn = fc.subarray(["TEAM_ROLE", "DEVELOPER", "AUDITOR", "ACCOUNT_ADMIN", "SYSTEM_OWNER"]).map(roleSet);
const tamperings = fc.array(fc.array(fc.record({ key: fc.nat(20), roles: rolesDrawn }), { maxLength: 4 }), {
  minLength: 1,
  maxLength: 4,
});
const at = "2026-11-20T12:00:00.000Z";

function remember(roster: Roster, world: World, state: State): State {
  const snapshot = snapshotOf(world, { roster });
  const event = accessSeen({
    roster,
    snapshot,
    state,
    policy: { privilegedRoles: defaultPrivilegedRoles, consistency: undefined },
    moving: new Set(),
    at,
  });
  return event === undefined ? state : applyEvents(state, [event]);
}

interface Held {
  readonly holder: WorldUser;
  readonly key: WorldKey;
}

function heldIn({ users }: World): readonly Held[] {
  return users.flatMap((holder) => holder.keys.map((key) => ({ holder, key })));
}

/** What the roster says of a key, found without the code under test; undefined where it gives it no roles to have. */
function given({ holder, key }: Held, roster: Roster, world: World): RoleSet | undefined {
  const user = [...roster.users.values()].find(({ email }) => email === holder.email);
  const listed = roster.keys.find(({ prefix }) => prefix === key.prefix);
  if (listed !== undefined) return listed.roles;
  if (user === undefined || key.kind === "project") return undefined;
  if (key.team === undefined) return user.ownKeyRoles?.value;
  const name = world.teams.get(key.team)?.name;
  return roster.teams.find((team) => team.name === name)?.members.find(({ address }) => address === user.address)
    ?.roles;
}

describe("whatever others do to keys", () => {
  test("what roster compares with never moves by an escalation, and only to what the roster has", async () => {
    await alwaysAsync({ seed: 35, numRuns: runs(150) }, drawn, tamperings, async ({ situation, seed }, rounds) => {
      const { roster, world } = sceneOf(situation);
      let state = await halfDone(roster, world, seed);
      for (const round of [[], ...rounds]) {
        tamper(keysIn(world), round);
        const after = remember(roster, world, state);
        const held = new Map(heldIn(world).map((one) => [one.key.prefix, one]));
        for (const [prefix, { roles }] of after.seenKeys ?? []) {
          const before = state.seenKeys?.get(prefix);
          const one = held.get(prefix);
          const wanted = one && given(one, roster, world);
          const others = rolesWithout(roles, wanted ?? []);
          if (before !== undefined && sameRoles(before.roles, roles)) continue;
          expect(others.filter((role) => defaultPrivilegedRoles.includes(role))).toEqual([]);
          const isFirst = before === undefined && !state.keys.has(prefix);
          expect([prefix, (wanted === undefined && isFirst) || sameRoles(wanted ?? [], roles)]).toEqual([prefix, true]);
        }
        expect(after.keys).toEqual(state.keys);
        state = after;
      }
    });
  });

  test("each privileged role that the roster does not give is a privileged gain, before everything else, and counts", async () => {
    await alwaysAsync({ seed: 36, numRuns: runs(200) }, drawn, tamperings, async ({ situation, seed }, rounds) => {
      const { roster, world } = sceneOf(situation);
      const written = await halfDone(roster, world, seed);
      const state = picker(seed + 1)(2) === 0 ? written : remember(roster, world, written);
      tamper(keysIn(world), rounds.flat());
      const { items } = look(roster, snapshotOf(world, { roster }), state).drift;
      const gains = items.filter((item) => privilegesGained(item).length > 0);
      expect(items.slice(0, gains.length)).toEqual(gains);
      expect(gains.filter(({ counts }) => counts === "nothing")).toEqual([]);
      const told = new Set(
        gains.flatMap(({ outside = [] }) =>
          outside.flatMap(({ key, privileged }) => privileged.map((role) => `${role} on ${key?.prefix}`)),
        ),
      );
      const missing = heldIn(world)
        .filter(({ holder, key }) =>
          [holder, key].every(({ status }) => !["barred", "deleted"].includes(accountStatus(status))),
        )
        .flatMap((one) =>
          rolesWithout(one.key.roles, given(one, roster, world) ?? [])
            .filter((role) => defaultPrivilegedRoles.includes(role))
            .map((role) => `${role} on ${one.key.prefix}`),
        )
        .filter((gain) => !told.has(gain));
      expect(missing).toEqual([]);
    });
  });
});

function keysIn(world: World): readonly WorldKey[] {
  return heldIn(world).map(({ key }) => key);
}

const day = (date: string) => `2026-11-${date}T12:00:00.000Z`;

/** What a read makes of a roster, and the state that remembers it. */
function lookOn(roster: Roster, snapshot: Snapshot, state: State, at: string) {
  const { drift } = plannedDrift({ roster, snapshot, state, policy });
  const { service } = snapshot;
  const seen = findingsSeen(drift, state, { at, service, proves: provesGone(snapshot, policy, state) });
  const tasks = tasksOf(drift, seen?.gone ?? [], { state, roster });
  return { drift, tasks, state: seen === undefined ? state : applyEvents(state, [seen]) };
}

const incomplete: fc.Arbitrary<UserListStatus> = fc.constantFrom(
  { read: "incomplete", why: "a page failed" },
  { read: "not-read" },
);

/** What a second look closes, and what of the first list a third one does not know since the first day. */
function lookedAgain(roster: Roster, [whole, poor]: readonly [Snapshot, Snapshot], state: State) {
  const first = lookOn(roster, whole, state, day("01"));
  const second = lookOn(roster, poor, first.state, day("02"));
  const third = lookOn(roster, whole, second.state, day("20"));
  const known = new Set(third.tasks.open.map(({ fingerprint, since }) => `${fingerprint} ${since}`));
  const lost = first.tasks.open.filter(({ fingerprint }) => !known.has(`${fingerprint} ${day("01")}`));
  return { closed: second.tasks.closed, lost: lost.map(({ code }) => code) };
}

test("nothing is closed by a list that is cut, or was not read", () => {
  always(
    { seed: 41, numRuns: runs(150) },
    situations,
    incomplete,
    fc.subarray([0, 1, 2, 3, 4, 5]),
    (situation, everyone, missing) => {
      const roster = rosterOf(situation);
      const whole = snapshotOf(worldOf(situation), { roster });
      const users = whole.users.filter((_, index) => !missing.includes(index));
      const again = lookedAgain(roster, [whole, { ...whole, users, everyone }], aState());
      expect(again).toEqual({ closed: [], lost: [] });
    },
  );
});

const hiddenThings = fc.subarray<Hidden>(["keys", "roles", "teams", "user-accounts", "user-profiles"], {
  minLength: 1,
});

const aboutAccess = ["extra-member", "unmanaged-privilege", "user-in-other-account"];

test("nothing is closed by a read that hides what earlier reads showed", () => {
  always({ seed: 43, numRuns: runs(400) }, situations, hiddenThings, (situation, hides) => {
    const { roster, world } = sceneOf(situation);
    const whole = snapshotOf(world, { roster });
    const poor = snapshotOf(world, { roster, hides });
    const capabilities = { learned: whole.capabilities, at: day("01") };
    expect(lookedAgain(roster, [whole, poor], aState({ capabilities }))).toEqual({ closed: [], lost: [] });
    // Also where nobody remembers what the service showed.
    const { closed } = lookedAgain(roster, [whole, poor], aState());
    expect(closed.filter(({ code }) => aboutAccess.includes(code))).toEqual([]);
  });
});

test("everything is closed by a read that shows it all gone, once", () => {
  always({ seed: 42, numRuns: runs(100) }, anySituation, (situation) => {
    const roster = rosterOf(situation);
    const first = lookOn(roster, snapshotOf(worldOf(situation), { roster }), aState(), day("01"));
    const nobody = { ...roster, users: new Map(), leavers: new Map(), teams: [], keys: [] };
    const empty = { ...worldOf(situation), users: [] };
    const second = lookOn(nobody, snapshotOf(empty, { roster: nobody }), first.state, day("02"));
    const closed = second.tasks.closed.map(({ fingerprint }) => fingerprint).sort();
    expect(closed).toEqual(first.tasks.open.map(({ fingerprint }) => fingerprint).sort());
    expect(lookOn(nobody, snapshotOf(empty, { roster: nobody }), second.state, day("03")).tasks.closed).toEqual([]);
  });
});
