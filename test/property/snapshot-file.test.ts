import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalSnapshot, decodeSnapshot, encodeSnapshot, stateForPlanning } from "../../src/codec/snapshot.ts";
import type { UnreadField } from "../../src/model/capabilities.ts";
import type { SnapshotFile } from "../../src/model/plan.ts";
import type { Intent } from "../../src/model/recorded.ts";
import { always } from "../support/always.ts";
import { drawnWorld, worldDraws } from "../support/arbitrary-world.ts";
import { aState } from "../support/plan-inputs.ts";
import { runs } from "../support/property-runs.ts";
import { shuffled } from "../support/read-otherwise.ts";
import { aRoster } from "../support/roster-builders.ts";
import { anyState } from "../support/schema-values.ts";
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

test("a snapshot file is read back as it was written, whatever the service and the state hold, and is the same in every order of reads", () => {
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

function emailIn(intent: Intent): string {
  return intent.kind === "create-user" ? intent.email : "";
}
