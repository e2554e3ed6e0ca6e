import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { planContradiction } from "../../src/codec/plan-file.ts";
import type { Roster } from "../../src/model/roster.ts";
import { always, alwaysAsync } from "../support/always.ts";
import { aPolicy, aState, planned } from "../support/plan-inputs.ts";
import { runPlan } from "../support/plan-runner.ts";
import { runs } from "../support/property-runs.ts";
import { anySituation, picker, sceneOf } from "../support/random-situations.ts";
import { later, readLater, shuffled } from "../support/read-otherwise.ts";
import { simulatedService } from "../support/simulated-service.ts";
import { snapshotOf } from "../support/simulated-snapshot.ts";

const drawn = fc.record({ situation: anySituation, seed: fc.nat() });
const policy = aPolicy({ reportUnmanaged: true });
const allows = ["unproven-absence:team%201"];

// Slow machines may take their time; the number of runs is what is bounded.
describe("a plan", () => {
  test("is the same to the byte, in whatever order users, accounts and keys were read", () => {
    always({ seed: 1, numRuns: runs(500, 40) }, drawn, ({ situation, seed }) => {
      const { roster, snapshot } = sceneOf(situation);
      const plan = planned({ roster, snapshot, policy, allows });
      expect(planContradiction(plan)).toBeUndefined();
      expect(JSON.stringify(planned({ roster, snapshot: shuffled(snapshot, seed), policy, allows }))).toBe(
        JSON.stringify(plan),
      );
    });
  });

  test("is about the same, in whatever order users, members and keys stand in the roster", () => {
    always({ seed: 71, numRuns: runs(600) }, drawn, ({ situation, seed }) => {
      const { roster, snapshot } = sceneOf(situation);
      const [one, other] = [roster, reordered(roster, seed)].map((each) =>
        planned({ roster: each, snapshot, policy, allows }),
      );
      expect(other?.id).toBe(one?.id);
      expect(essence(other)).toEqual(essence(one));
    });
  });

  test("has an identifier that knows nothing of times, serials, request counts and names of reads", async () => {
    await alwaysAsync({ seed: 2, numRuns: runs(300, 40) }, drawn, async ({ situation }) => {
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
    always({ seed: 3, numRuns: runs(300, 40) }, drawn, drawn, (one, other) => {
      const [a, b] = [one, other].map(({ situation }) => {
        const { roster, snapshot } = sceneOf(situation);
        return planned({ roster, snapshot });
      });
      expect(a?.id === b?.id).toBe(JSON.stringify(deeds(a?.actions)) === JSON.stringify(deeds(b?.actions)));
    });
  });

  test("gives each finding a fingerprint of its own", () => {
    always({ seed: 4, numRuns: runs(500, 40) }, drawn, ({ situation }) => {
      const { roster, snapshot } = sceneOf(situation);
      const { findings } = planned({ roster, snapshot, policy, allows });
      expect(new Set(findings.map(({ fingerprint }) => fingerprint)).size).toBe(findings.length);
    });
  });

  test("lists each action after those that it depends on", () => {
    always({ seed: 5, numRuns: runs(500, 40) }, drawn, ({ situation }) => {
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
