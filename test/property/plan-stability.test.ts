import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import type { Fact } from "../../src/model/fact.ts";
import type { ObservedUser, Snapshot } from "../../src/model/snapshot.ts";
import type { State } from "../../src/model/state.ts";
import { aPolicy, aState, planned } from "../support/plan-inputs.ts";
import { runPlan } from "../support/plan-runner.ts";
import { crowdedSituations, picker, rosterOf, situations, worldOf } from "../support/random-situations.ts";
import { simulatedService } from "../support/simulated-service.ts";
import { snapshotOf } from "../support/simulated-snapshot.ts";

const drawn = fc.record({ situation: fc.oneof(situations, crowdedSituations), seed: fc.nat() });
const policy = aPolicy({ reportUnmanaged: true, assumeAbsentTeams: ["team 1"] });

// Slow machines may take their time; the number of runs is what is bounded.
vi.setConfig({ testTimeout: 60_000 });

describe("a plan", () => {
  test("is the same to the byte, in whatever order users, accounts and keys were read", () => {
    fc.assert(
      fc.property(drawn, ({ situation, seed }) => {
        const roster = rosterOf(situation);
        const snapshot = snapshotOf(worldOf(situation), { roster });
        const plan = planned({ roster, snapshot, policy });
        expect(JSON.stringify(planned({ roster, snapshot: shuffled(snapshot, seed), policy }))).toBe(
          JSON.stringify(plan),
        );
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  test("has an identifier that knows nothing of times, serials, request counts and names of reads", async () => {
    await fc.assert(
      fc.asyncProperty(drawn, async ({ situation, seed }) => {
        const roster = rosterOf(situation);
        const world = worldOf(situation);
        const first = planned({ roster, snapshot: snapshotOf(world, { roster }), policy });
        const half = { ...first, actions: first.actions.filter((action) => action.kind === "create-user") };
        const state = await runPlan(half, simulatedService({ world }), aState(), picker(seed));
        const snapshot = snapshotOf(world, { roster });
        const id = planned({ roster, snapshot, state, policy }).id;
        expect(planned({ roster, snapshot: readLater(snapshot), state: later(state), policy }).id).toBe(id);
      }),
      { seed: 2, numRuns: 300 },
    );
  });

  test("has another identifier whenever it does something else", () => {
    fc.assert(
      fc.property(drawn, drawn, (one, other) => {
        const [a, b] = [one, other].map(({ situation }) => {
          const roster = rosterOf(situation);
          return planned({ roster, snapshot: snapshotOf(worldOf(situation), { roster }) });
        });
        expect(a?.id === b?.id).toBe(JSON.stringify(deeds(a?.actions)) === JSON.stringify(deeds(b?.actions)));
      }),
      { seed: 3, numRuns: 300 },
    );
  });

  test("gives each finding a fingerprint of its own", () => {
    fc.assert(
      fc.property(drawn, ({ situation }) => {
        const roster = rosterOf(situation);
        const { findings } = planned({ roster, snapshot: snapshotOf(worldOf(situation), { roster }), policy });
        expect(new Set(findings.map(({ fingerprint }) => fingerprint)).size).toBe(findings.length);
      }),
      { seed: 4, numRuns: 500 },
    );
  });

  test("lists each action after those that it depends on", () => {
    fc.assert(
      fc.property(drawn, ({ situation }) => {
        const roster = rosterOf(situation);
        const { actions } = planned({ roster, snapshot: snapshotOf(worldOf(situation), { roster }) });
        const ids = actions.map(({ id }) => id);
        for (const [place, { dependsOn }] of actions.entries()) {
          expect(dependsOn.filter((id) => !ids.slice(0, place).includes(id))).toEqual([]);
        }
      }),
      { seed: 5, numRuns: 500 },
    );
  });
});

function shuffled(snapshot: Snapshot, seed: number): Snapshot {
  const pick = picker(seed);
  return {
    ...snapshot,
    users: shuffle(snapshot.users, pick).map((user) => withKeys(user, (keys) => shuffle(keys, pick))),
    accounts: new Map(shuffle([...snapshot.accounts], pick)),
    absences: new Map(shuffle([...snapshot.absences], pick)),
  };
}

function withKeys(
  user: ObservedUser,
  change: (keys: NonNullable<ObservedUser["keys"]>) => ObservedUser["keys"] & object,
) {
  return user.keys === undefined ? user : { ...user, keys: change(user.keys) };
}

function shuffle<T>(items: readonly T[], pick: (choices: number) => number): readonly T[] {
  const left = [...items];
  return items.flatMap(() => left.splice(pick(left.length), 1));
}

function readLater(snapshot: Snapshot): Snapshot {
  const by = "search 9";
  const rename = <T>(fact: Fact<T>): Fact<T> => (fact.known === "observed" ? { ...fact, by } : fact);
  return {
    ...snapshot,
    readAt: "2027-01-01T00:00:00.000Z",
    reads: snapshot.reads + 40,
    roles: rename(snapshot.roles),
    users: snapshot.users.map((user) => ({ ...user, by })),
    absences: new Map([...snapshot.absences].map(([address]) => [address, { proven: true, by }])),
    everyone: { read: "complete", by },
  };
}

function later(state: State): State {
  const at = "2027-01-01T00:00:00.000Z";
  return {
    ...state,
    serial: state.serial + 7,
    users: new Map([...state.users].map(([key, user]) => [key, { ...user, createdAt: at }])),
    teams: new Map([...state.teams].map(([key, team]) => [key, { ...team, at }])),
    memberships: new Map([...state.memberships].map(([key, membership]) => [key, { ...membership, at }])),
  };
}

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
