import fc from "fast-check";
import { expect, test } from "vitest";
import type { Roster } from "../../src/model/roster.ts";
import { always } from "../support/always.ts";
import { aPolicy, planned } from "../support/plan-inputs.ts";
import { runs } from "../support/property-runs.ts";
import { crowdedSituations, picker, rosterOf, situations, worldOf } from "../support/random-situations.ts";
import { snapshotOf } from "../support/simulated-snapshot.ts";

const drawn = fc.record({ situation: fc.oneof(situations, crowdedSituations), seed: fc.nat() });
const policy = aPolicy({ reportUnmanaged: true });
const allows = ["unproven-absence:team%201"];

// Slow machines may take their time; the number of runs is what is bounded.
test("a plan is about the same, in whatever order users, members and keys stand in the roster", () => {
  always({ seed: 71, numRuns: runs(600) }, drawn, ({ situation, seed }) => {
    const roster = rosterOf(situation);
    const snapshot = snapshotOf(worldOf(situation), { roster });
    const [one, other] = [roster, reordered(roster, seed)].map((each) =>
      planned({ roster: each, snapshot, policy, allows }),
    );
    expect(other?.id).toBe(one?.id);
    expect(essence(other)).toEqual(essence(one));
  });
});

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
