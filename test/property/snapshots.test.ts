import fc from "fast-check";
import { expect, test } from "vitest";
import { validSnapshot } from "../../src/codec/generated/snapshot.js";
import { planFor, planFromReading, resolveBySnapshot } from "../../src/library/plan.ts";
import { defaultGuards } from "../../src/library/policy.ts";
import { readEverything } from "../../src/library/read-everything.ts";
import type { Intent } from "../../src/model/call.ts";
import type { UnreadField } from "../../src/model/capabilities.ts";
import type { Plan } from "../../src/model/plan.ts";
import type { Roster } from "../../src/model/roster.ts";
import type { State } from "../../src/model/state.ts";
import type { RecordedUser } from "../../src/model/user.ts";
import { withListedAbsences } from "../../src/observe/observe.ts";
import {
  canonicalSnapshot,
  decodeSnapshot,
  encodeSnapshot,
  type SnapshotFile,
  stateForPlanning,
} from "../../src/observe/snapshot-file.ts";
import { always, alwaysAsync } from "../support/always.ts";
import { drawnWorld, worldDraws } from "../support/arbitrary-world.ts";
import { noon } from "../support/event-builders.ts";
import { clockAt } from "../support/fixed-ports.ts";
import { aPolicy, aState, planned } from "../support/plan-inputs.ts";
import { runPlan } from "../support/plan-runner.ts";
import { isPreview } from "../support/plan-words.ts";
import { runs } from "../support/property-runs.ts";
import { anySituation, rosterOf, worldOf } from "../support/random-situations.ts";
import { shuffled } from "../support/read-otherwise.ts";
import { aRoster } from "../support/roster-builders.ts";
import { anyState } from "../support/schema-values.ts";
import { simulatedService } from "../support/simulated-service.ts";
import { snapshotOf } from "../support/simulated-snapshot.ts";
import type { World } from "../support/simulated-world.ts";
import type { Hidden } from "../support/visibility.ts";

function aSnapshotFile(snapshot: SnapshotFile["snapshot"], state: State): SnapshotFile {
  return { madeAt: noon, madeBy: "1.2.3", accountsAre: "all", snapshot, state };
}

// Slow machines may take their time; the number of runs is what is bounded.
function carried(file: SnapshotFile): SnapshotFile {
  const decoded = decodeSnapshot(encodeSnapshot(file), validSnapshot);
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

// Slow machines may take their time; the number of runs is what is bounded.
const readAt = "2026-11-20T12:00:00.000Z";
const policy = aPolicy({ reportUnmanaged: true, guards: { ...defaultGuards, privilegedRoles: "off" } });

const hiddenThings: readonly (readonly Hidden[])[] = [
  [],
  ["keys"],
  ["roles"],
  ["teams"],
  ["user-identifiers"],
  ["account-members"],
  ["user-accounts", "account-members"],
];

const drawn = fc.record({
  situation: anySituation,
  hides: fc.constantFrom(...hiddenThings),
  seen: fc.boolean(),
  done: fc.nat(9),
});

/** What a run remembers that has done a part of what the roster asks for. */
async function halfDone(roster: Roster, world: World, count: number): Promise<State> {
  const plan = planned({ roster, snapshot: snapshotOf(world, { roster }), policy });
  const actions = plan.actions.slice(0, count);
  const begun = new Set(actions.map(({ id }) => id));
  const half = { ...plan, actions: actions.filter(({ dependsOn }) => dependsOn.every((id) => begun.has(id))) };
  const state = await runPlan(half, simulatedService({ world }), aState());
  return { ...state, serial: 7, users: new Map([...state.users].map(([key, user]) => [key, asKept(user)])) };
}

/** The runner of these tests takes whole users for profiles. */
function asKept({ profile, ...user }: RecordedUser): RecordedUser {
  if (profile === undefined) return user;
  const { firstName = "", lastName = "" } = profile.sent;
  return { ...user, profile: { sent: { firstName, lastName }, answered: profile.answered } };
}

interface Scene {
  readonly world: World;
  readonly hides: readonly Hidden[];
  readonly roster: Roster;
  readonly state: State;
}

function portsOf({ world, hides }: Pick<Scene, "world" | "hides">) {
  const service = simulatedService({ world, hides });
  const { signal } = new AbortController();
  return { service, clock: clockAt(readAt), progress: () => undefined, parallelism: 2, signal };
}

async function planRead(scene: Scene): Promise<Plan> {
  return (
    await planFor(
      { ...portsOf(scene), log: { address: "memory:" }, roster: scene.roster, policy, everyone: () => "always" },
      scene.state,
    )
  ).plan;
}

/** Read for one roster, carried in a file, and planned with for another. */
async function planForeseen(scene: Scene, readFor: Roster): Promise<Plan> {
  const { roster, state } = scene;
  const whole = await readEverything({ roster: readFor, state, accounts: [] }, portsOf(scene));
  const file = decodeSnapshot(encodeSnapshot(aSnapshotFile(whole.snapshot, state)), validSnapshot);
  if (!file.ok) throw new Error(file.error);
  const { state: kept } = file.value;
  const { snapshot, unsearched } = withListedAbsences(file.value.snapshot, roster, kept);
  const read = resolveBySnapshot(snapshot, { roster, state: kept, at: readAt, consistency: 5000 });
  return planFromReading(read, { roster, policy, unsearched }).plan;
}

/** Apart from the reads by which it is known, and from what only a plan of a snapshot says. */
function said({ id, actions, findings }: Plan): unknown {
  const others = findings.filter(({ message }) => !isPreview(message));
  const isOfReads = (name: string) => name === "by" || name === "restsOn";
  return JSON.parse(
    JSON.stringify({ id, actions, findings: others }, (name, value: unknown) => (isOfReads(name) ? undefined : value)),
  );
}

test("a service that is read as a whole, for this roster or for none, leads to the plan that reads the service", async () => {
  await alwaysAsync({ seed: 20261120, numRuns: runs(450) }, drawn, async ({ situation, hides, seen, done }) => {
    const roster = rosterOf(situation);
    const all = worldOf(situation);
    // Whoever is deleted is found by a search alone.
    const world = seen ? all : { ...all, users: all.users.filter(({ status }) => status !== "deleted") };
    const scene = { world, hides, roster, state: await halfDone(roster, world, done) };
    const foreseen = await planForeseen(scene, seen ? roster : aRoster({}));
    expect(said(foreseen)).toEqual(said(await planRead(scene)));
    expect(foreseen.findings.filter(({ message }) => isPreview(message))).toHaveLength(1);
  });
});
