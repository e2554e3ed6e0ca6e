import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalSnapshot, decodeSnapshot, encodeSnapshot, stateForPlanning } from "../../src/codec/snapshot.ts";
import type { UnreadField } from "../../src/model/capabilities.ts";
import type { Plan, SnapshotFile } from "../../src/model/plan.ts";
import { defaultGuards } from "../../src/model/policy.ts";
import type { Intent } from "../../src/model/recorded.ts";
import type { Roster } from "../../src/model/roster.ts";
import type { RecordedUser } from "../../src/model/user.ts";
import { withListedAbsences } from "../../src/observe/absence.ts";
import { always, alwaysAsync } from "../support/always.ts";
import { drawnWorld, worldDraws } from "../support/arbitrary-world.ts";
import { aPolicy, aState, planned } from "../support/plan-inputs.ts";
import { runPlan } from "../support/plan-runner.ts";
import { isPreview } from "../support/plan-words.ts";
import { runs } from "../support/property-runs.ts";
import { anySituation, sceneOf } from "../support/random-situations.ts";
import { shuffled } from "../support/read-otherwise.ts";
import { aRoster } from "../support/roster-builders.ts";
import { anyState } from "../support/schema-values.ts";
import { simulatedService } from "../support/simulated-service.ts";
import { snapshotOf } from "../support/simulated-snapshot.ts";
import { aSnapshotFile } from "../support/snapshot-file.ts";

// Slow machines may take their time; the number of runs is what is bounded.
function carried(file: SnapshotFile): SnapshotFile {
  const decoded = decodeSnapshot(encodeSnapshot(file));
  if (!decoded.ok) throw new Error(decoded.error);
  return decoded.value;
}

/** A service may name its fields by people. */
const pointers = fc.constantFrom("/perms", "", "/p00@acme.example");
const unreadFields: fc.Arbitrary<UnreadField> = fc.oneof(
  fc.record({ like: fc.constantFrom("keys" as const, "prefix" as const, "roles" as const), pointer: pointers }),
  fc.record(
    { like: fc.constant("team" as const), pointer: pointers, identifier: pointers, name: pointers },
    { requiredKeys: ["like", "pointer"] },
  ),
);

const files = fc
  .record({
    draw: worldDraws,
    state: anyState,
    seed: fc.nat(),
    without: fc.boolean(),
    unread: fc.array(unreadFields, { minLength: 1, maxLength: 3 }),
  })
  .map(({ draw, state, seed, without, unread }) => {
    const shown = snapshotOf(drawnWorld(draw), { roster: aRoster({}) });
    const snapshot = without ? shown : { ...shown, unread };
    const { service: _, ...rest } = state;
    const open = state.open.map((one) => ({ ...one, action: `create-user:${emailIn(one.intent)}` }));
    return { file: aSnapshotFile(snapshot, without ? aState() : { ...rest, open }), seed };
  });

describe("a snapshot file", () => {
  test("is read back as it was written, whatever the service and the state hold, and is the same in every order of reads", () => {
    always({ seed: 1, numRuns: runs(100) }, files, ({ file, seed }) => {
      const text = encodeSnapshot(file);
      const kept = { ...file, snapshot: canonicalSnapshot(file.snapshot), state: stateForPlanning(file.state) };
      expect(carried(file)).toEqual({ ...kept, state: { ...kept.state, lineage: carried(file).state.lineage } });
      expect(encodeSnapshot({ ...file, snapshot: shuffled(file.snapshot, seed) })).toBe(text);
      expect(/^[ -~\n]*$/u.test(text)).toBe(true);
      const { sequence, planFiles, openFindings } = carried(file).state;
      expect([sequence, planFiles, openFindings]).toEqual([undefined, undefined, undefined]);
    });
  });
});

function emailIn(intent: Intent): string {
  return intent.kind === "create-user" ? intent.email : "";
}

const drawn = fc.record({ situation: anySituation, stopAfter: fc.nat(9) });

/** A world in which a run has done a part of what a roster asks for, and the state of that run. */
async function halfDone({ situation, stopAfter }: typeof drawn extends fc.Arbitrary<infer T> ? T : never) {
  const { roster, world, snapshot } = sceneOf(situation);
  const first = planned({ roster, snapshot, policy });
  const half = { ...first, actions: first.actions.slice(0, stopAfter) };
  const done = new Set(half.actions.map(({ id }) => id));
  const closed = { ...half, actions: half.actions.filter(({ dependsOn }) => dependsOn.every((id) => done.has(id))) };
  const state = await runPlan(closed, simulatedService({ world }), aState());
  return {
    roster,
    world,
    state: { ...state, serial: 7, users: new Map([...state.users].map(([key, user]) => [key, asKept(user)])) },
  };
}

/** The runner of these tests takes whole users for profiles. */
function asKept({ profile, ...user }: RecordedUser): RecordedUser {
  if (profile === undefined) return user;
  const { firstName = "", lastName = "" } = profile.sent;
  return { ...user, profile: { sent: { firstName, lastName }, answered: profile.answered } };
}

const policy = aPolicy({ reportUnmanaged: true, guards: { ...defaultGuards, privilegedRoles: "off" } });

function plannedFrom(file: SnapshotFile, roster: Roster): Plan {
  const { snapshot: kept, state } = carried(file);
  return planned({ roster, ...withListedAbsences(kept, roster, state), state, policy });
}

/** Apart from what only a plan of a snapshot says, and from the proofs. */
function said({ actions, findings }: Plan) {
  return {
    actions: actions.map(({ restsOn: _, ...action }) => action),
    findings: findings.filter(({ message }) => !isPreview(message)).map(({ restsOn: _, ...finding }) => finding),
  };
}

describe("a plan that is made of a snapshot file", () => {
  test("is the plan that reads the service, where the roster's people were searched for", async () => {
    await alwaysAsync({ seed: 3, numRuns: runs(90) }, drawn, async (draw) => {
      const { roster, world, state } = await halfDone(draw);
      const snapshot = snapshotOf(world, { roster });
      const read = planned({ roster, snapshot, state, policy });
      const foreseen = plannedFrom(aSnapshotFile(snapshot, state), roster);
      expect(said(foreseen)).toEqual(said(read));
      expect(foreseen.id).toBe(read.id);
      expect(foreseen.findings.filter(({ message }) => isPreview(message)).length).toBe(1);
    });
  });

  test("creates whom the complete list lacks, where nobody of the roster was searched for", async () => {
    await alwaysAsync({ seed: 4, numRuns: runs(90) }, drawn, async (draw) => {
      const { roster, world, state } = await halfDone(draw);
      const living = { ...world, users: world.users.filter(({ status }) => status !== "deleted") };
      const read = planned({ roster, snapshot: snapshotOf(living, { roster }), state, policy });
      const unsearched = snapshotOf(living, { roster: aRoster({}) });
      expect(said(plannedFrom(aSnapshotFile(unsearched, state), roster))).toEqual(said(read));
    });
  });
});
