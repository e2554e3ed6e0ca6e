import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyEvents } from "../../src/log/fold.ts";
import { type DriftItem, privilegesGained } from "../../src/model/drift.ts";
import { accountStatus } from "../../src/model/key.ts";
import { defaultPrivilegedRoles, type RoleSet, roleSet, rolesWithout, sameRoles } from "../../src/model/role-set.ts";
import type { Roster } from "../../src/model/roster.ts";
import type { State } from "../../src/model/state.ts";
import { accessSeen } from "../../src/plan/drift/seen.ts";
import { alwaysAsync } from "../support/always.ts";
import { aPolicy, aState, plannedDrift } from "../support/plan-inputs.ts";
import { runPlan } from "../support/plan-runner.ts";
import { runs } from "../support/property-runs.ts";
import { anySituation, picker, sceneOf } from "../support/random-situations.ts";
import { simulatedService } from "../support/simulated-service.ts";
import { snapshotOf } from "../support/simulated-snapshot.ts";
import type { World, WorldKey, WorldUser } from "../support/simulated-world.ts";

const drawn = fc.record({ situation: anySituation, seed: fc.nat() });
const rolesDrawn = fc.subarray(["TEAM_ROLE", "DEVELOPER", "AUDITOR", "ACCOUNT_ADMIN", "SYSTEM_OWNER"]).map(roleSet);
const tamperings = fc.array(fc.array(fc.record({ key: fc.nat(20), roles: rolesDrawn }), { maxLength: 4 }), {
  minLength: 1,
  maxLength: 4,
});
const policy = aPolicy({ reportUnmanaged: true });
const at = "2026-11-20T12:00:00.000Z";

function look(roster: Roster, world: World, state: State) {
  const snapshot = snapshotOf(world, { roster });
  return plannedDrift({ roster, snapshot, state, policy, allows: ["unproven-absence:team%201"] });
}

function remember(roster: Roster, world: World, state: State): State {
  const snapshot = snapshotOf(world, { roster });
  const event = accessSeen({
    roster,
    snapshot,
    state,
    privilegedRoles: defaultPrivilegedRoles,
    moving: new Set(),
    at,
  });
  return event === undefined ? state : applyEvents(state, [event]);
}

/** The state that a part of the plan leaves. */
async function somethingWritten(roster: Roster, world: World, seed: number): Promise<State> {
  const { plan } = look(roster, world, aState());
  const pick = picker(seed);
  return runPlan(plan, simulatedService({ world }), aState(), pick(plan.actions.length + 1));
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

function isOpen({ holder, key }: Held): boolean {
  return [holder, key].every(({ status }) => !["barred", "deleted"].includes(accountStatus(status)));
}

function isPrivileged(item: DriftItem): boolean {
  return privilegesGained(item).length > 0;
}

describe("whatever others do to keys", () => {
  test("what roster compares with never moves by an escalation, and only to what the roster has", async () => {
    await alwaysAsync({ seed: 35, numRuns: runs(150) }, drawn, tamperings, async ({ situation, seed }, rounds) => {
      const { roster, world } = sceneOf(situation);
      let state = await somethingWritten(roster, world, seed);
      for (const round of [[], ...rounds]) {
        tamper(world, round);
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
      const written = await somethingWritten(roster, world, seed);
      const state = picker(seed + 1)(2) === 0 ? written : remember(roster, world, written);
      tamper(world, rounds.flat());
      const { items } = look(roster, world, state).drift;
      const gains = items.filter(isPrivileged);
      expect(items.slice(0, gains.length)).toEqual(gains);
      expect(gains.filter(({ counts }) => counts === "nothing")).toEqual([]);
      const told = new Set(
        gains.flatMap(({ outside = [] }) =>
          outside.flatMap(({ key, privileged }) => privileged.map((role) => `${role} on ${key?.prefix}`)),
        ),
      );
      const missing = heldIn(world)
        .filter(isOpen)
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

function tamper(world: World, round: readonly { readonly key: number; readonly roles: RoleSet }[]): void {
  const keys = heldIn(world).map(({ key }) => key);
  for (const { key, roles } of round) {
    const chosen = keys[key % Math.max(1, keys.length)];
    if (chosen !== undefined) chosen.roles = roles;
  }
}
