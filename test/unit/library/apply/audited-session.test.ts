import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { verifyTrail } from "../../../../src/codec/audit.ts";
import { AuditLostError, auditedSession } from "../../../../src/library/apply/audited-session.ts";
import { sha256 } from "../../../../src/library/system.ts";
import { applyEvents } from "../../../../src/log/fold.ts";
import { foldAddress } from "../../../../src/model/address.ts";
import type { RunEvent } from "../../../../src/model/event.ts";
import type { Failure } from "../../../../src/model/result.ts";
import { problem, success } from "../../../../src/model/result.ts";
import { type AuditHead, emptyState, type State } from "../../../../src/model/state.ts";
import type { AuditTrail, StateSession } from "../../../../src/ports/state-store.ts";
import {
  created,
  creationIntent,
  intended,
  noon,
  rolesIntent,
  runStarted,
  science,
  succeeded,
} from "../../../support/event-builders.ts";
import { clockAt } from "../../../support/fixed-ports.ts";
import { unwrap } from "../../../support/state-place.ts";

const full: Failure = { code: "state", message: "the audit trail could not be written: the disk is full" };

/** Everything that became durable, in its order: kinds of audit records, types of events, and how the session was closed. */
function scene({
  state = emptyState("lineage-1"),
  lines = [] as string[],
  unfinished = undefined as StateSession["unfinished"],
} = {}) {
  const order: string[] = [];
  const disk = { full: false, free: Promise.resolve() };
  const trail: AuditTrail = {
    address: "file:audit.jsonl",
    last: async () => success(lines.at(-1)),
    async append(more) {
      const isFull = disk.full;
      await disk.free;
      if (isFull) return problem(full);
      lines.push(...more);
      order.push(...more.map((line) => /"kind":"([a-z-]+)"/u.exec(line)?.[1] ?? "?"));
      return success(undefined);
    },
    read: async () => success(lines),
    close: async () => undefined,
  };
  const saved: { state?: State } = {};
  const inner: StateSession = {
    state,
    unfinished,
    async append(events) {
      order.push(...events.map(({ type }) => `event ${type}`));
    },
    async close(rewrite) {
      order.push(rewrite === undefined ? "closed" : "saved");
      saved.state = rewrite?.(state) ?? state;
      return success(saved.state);
    },
    async abandon() {
      order.push("abandoned");
    },
  };
  const clock = clockAt(noon);
  const run = {
    run: "r1",
    command: "apply",
    actor: { name: "olga", source: "os" },
    commit: undefined,
    pipeline: undefined,
    allowed: [],
    trail,
    clock,
    digest: sha256,
  };
  return { order, lines, disk, saved, clock, open: (id = "r1") => auditedSession(inner, { ...run, run: id }) };
}

/** As long as a write takes to begin and to end. */
async function someTurns(): Promise<void> {
  for (let turns = 0; turns < 5; turns += 1) await setImmediate();
}

const creation = intended("r1", "c", creationIntent("ada"));
const settledEarlier: RunEvent = {
  type: "key-learned",
  at: noon,
  address: foldAddress("bo@acme.example"),
  prefix: "k-0",
};
const outcome = succeeded("c", created("ada", { prefix: "k-1" }));

test("until the run has begun, events keep their order while records are written", async () => {
  const { order, disk, open } = scene();
  const session = unwrap(await open());
  let finish = () => {};
  disk.free = new Promise((resolve) => {
    finish = resolve;
  });
  const appended = Promise.all([session.append([runStarted("r1")]), session.append([creation])]);
  await someTurns();
  finish();
  await appended;
  expect(order).toEqual(["run-started", "plan", "event run-started", "event intended"]);
});

test("the first record is written before the first call, and the others before the end", async () => {
  const { order, lines, saved, open } = scene();
  const session = unwrap(await open());
  await session.append([settledEarlier]);
  await session.begin();
  await session.append([runStarted("r1"), creation]);
  await session.append([outcome]);
  unwrap(await session.close());
  expect(order).toEqual([
    "run-started",
    "key-learned",
    "event key-learned",
    "event run-started",
    "event intended",
    "event succeeded",
    "plan",
    "call",
    "run-ended",
    "saved",
  ]);
  expect((await verifyTrail(lines, saved.state?.audit, sha256)).ok).toBe(true);
  expect(saved.state?.audit?.records).toBe(5);
});

test("a long run writes many records at once, and none waits for longer than a second", async () => {
  const { lines, clock, open } = scene();
  const session = unwrap(await open());
  await session.begin();
  await session.append([runStarted("r1")]);
  const told: number[] = [];
  for (let index = 0; index < 450; index += 1) {
    const action = `c${index}`;
    await session.append([intended("r1", action, creationIntent("ada")), succeeded(action, created("ada"))]);
    if (index === 420) clock.move(1000);
    await someTurns();
    told.push(lines.length);
  }
  // The first record, two hundred, two hundred, and what came within the second.
  expect([...new Set(told)]).toEqual([1, 201, 401, 424]);
  unwrap(await session.close());
  expect(lines).toHaveLength(453);
});

test("a run that changes nothing writes nothing", async () => {
  const { order, open } = scene();
  const session = unwrap(await open());
  await session.append([{ type: "sequenced", at: "2026-11-20T12:00:00.000Z", sequence: 7 }]);
  unwrap(await session.close());
  expect(order).toEqual(["event sequenced", "closed"]);
});

test("a state that is replaced as a whole has a record", async () => {
  const { order, saved, open } = scene();
  const session = unwrap(await open());
  unwrap(await session.close((state) => ({ ...state, service: "https://moved.example" })));
  expect(order).toEqual(["run-started", "state-changed", "run-ended", "saved"]);
  expect(saved.state).toMatchObject({ service: "https://moved.example", audit: { records: 3 } });
});

test("a trail that cannot be written lets no call follow, and loses no outcome from the state", async () => {
  const { order, disk, open } = scene();
  const session = unwrap(await open());
  await session.append([runStarted("r1"), creation]);
  disk.full = true;
  await expect(session.append([outcome])).rejects.toThrow(new AuditLostError(full));
  await expect(session.append([intended("r1", "d", creationIntent("bo"))])).rejects.toThrow(full.message);
  expect(await session.close()).toEqual(problem(full));
  expect(order.slice(4)).toEqual(["event succeeded", "event intended", "abandoned"]);
});

test("a trail that cannot be written any more stops a run that has begun at its next write, and leaves its journal", async () => {
  const { order, disk, clock, open } = scene();
  const session = unwrap(await open());
  await session.begin();
  await session.append([runStarted("r1"), creation]);
  disk.full = true;
  clock.move(1000);
  await session.append([outcome]);
  await someTurns();
  await expect(session.append([intended("r1", "d", creationIntent("bo"))])).rejects.toThrow(new AuditLostError(full));
  expect(await session.close()).toEqual(problem(full));
  expect(order.slice(1)).toEqual([
    "event run-started",
    "event intended",
    "event succeeded",
    "event intended",
    "abandoned",
  ]);
});

test("records that wait behind lost ones are not written, also where the trail can be written again", async () => {
  const { order, disk, open } = scene();
  const session = unwrap(await open());
  await session.append([runStarted("r1"), creation, intended("r1", "d", creationIntent("bo"))]);
  let finish = () => {};
  disk.free = new Promise((resolve) => {
    finish = resolve;
  });
  disk.full = true;
  const first = expect(session.append([outcome])).rejects.toThrow(full.message);
  await someTurns();
  disk.full = false;
  const second = expect(session.append([succeeded("d", created("bo"))])).rejects.toThrow(full.message);
  await someTurns();
  finish();
  await Promise.all([first, second]);
  await session.close();
  expect(order.filter((kind) => kind === "call")).toEqual([]);
});

test("a run begins with its first record, or is told that no call may follow", async () => {
  const { order, disk, open } = scene();
  const session = unwrap(await open());
  disk.full = true;
  expect(await session.begin()).toEqual(full);
  disk.full = false;
  const again = unwrap(await open());
  expect([await again.begin(), await again.begin()]).toEqual([undefined, undefined]);
  await again.append([runStarted("r1")]);
  expect(order).toEqual(["run-started", "event run-started"]);
});

test("a state is not replaced where the trail cannot be written", async () => {
  const { order, disk, saved, open } = scene();
  const session = unwrap(await open());
  disk.full = true;
  expect(await session.close((state) => ({ ...state, service: "https://moved.example" }))).toEqual(problem(full));
  expect([order, saved.state?.service]).toEqual([["abandoned"], undefined]);
});

test("the next run goes on where the last one ended, also at an empty place", async () => {
  const first = scene();
  const session = unwrap(await first.open());
  await session.append([runStarted("r1")]);
  unwrap(await session.close());
  const head = first.saved.state?.audit;
  const state = { ...emptyState("lineage-1"), ...(head === undefined ? {} : { audit: head }) };
  for (const lines of [[...first.lines], []]) {
    const next = scene({ state, lines });
    const later = unwrap(await next.open());
    await later.append([runStarted("r1")]);
    unwrap(await later.close());
    expect((await verifyTrail(lines, next.saved.state?.audit, sha256)).ok).toBe(true);
    expect(next.saved.state?.audit?.records).toBe(6);
  }
});

test("a trail that is shorter than the state remembers, or ends otherwise, is not continued", async () => {
  const first = scene();
  const session = unwrap(await first.open());
  await session.append([runStarted("r1")]);
  unwrap(await session.close());
  const { lines } = first;
  const refusals = async (head: AuditHead, kept: readonly string[]) => {
    const opened = await scene({ state: { ...emptyState("l"), audit: head }, lines: [...kept] }).open();
    return opened.ok ? "opened" : opened.error.message;
  };
  const head = { records: 3, hash: sha256(lines[2] ?? "") };
  expect([
    await refusals(head, lines),
    await refusals(head, lines.slice(0, 2)),
    await refusals({ ...head, hash: sha256("other") }, lines),
    await refusals(head, ["no record"]),
  ]).toEqual([
    "opened",
    "the audit trail at file:audit.jsonl was changed: it ends with record 2, and the state remembers record 3",
    "the audit trail at file:audit.jsonl was changed: its record 3 differs from the one that the state remembers",
    "the audit trail at file:audit.jsonl was changed: its last line is not a record of an audit trail",
  ]);
});

describe("a run that died", () => {
  const journal = [
    runStarted("r1"),
    creation,
    outcome,
    intended("r1", "d", creationIntent("bo")),
    succeeded("d", created("bo", { prefix: "k-2" })),
  ];

  /** What the run of the journal wrote into its trail before it died: so many of its records. */
  async function trailOf(records: number): Promise<string[]> {
    const { lines, open } = scene();
    const session = unwrap(await open());
    await session.append(journal);
    return lines.slice(0, records);
  }

  function next(lines: string[], events: readonly RunEvent[] = journal) {
    const found = emptyState("lineage-1");
    return scene({ state: applyEvents(found, events), lines, unfinished: { found, events } });
  }

  test.each([1, 2, 3, 4])(
    "with %i of its records in the trail, has the others written by the next run, once",
    async (count) => {
      const whole = await trailOf(4);
      const { lines, open } = next(await trailOf(count));
      unwrap(await open("r2"));
      expect(lines).toEqual(whole);
      unwrap(await open("r3"));
      expect(lines).toEqual(whole);
    },
  );

  test("that met a team before its plan has its calls recorded in its own words, once", async () => {
    const service = "https://accounts.example";
    const team = { team: science, name: "Science", account: "acc-1", identifier: "t-1" };
    const roles = { ...rolesIntent("k-1", "DEVELOPER"), team: science, name: "Science" };
    const met: readonly RunEvent[] = [
      { type: "people-seen", at: noon, service, people: [], teams: [team] },
      runStarted("r1"),
      intended("r1", "k", roles),
      succeeded("k", { kind: "replace-roles", prefix: "k-1" }),
    ];
    const { lines, open } = scene();
    const died = unwrap(await open());
    await died.append(met);
    const whole = [...lines];
    const after = next(lines, met);
    unwrap(await after.open("r2"));
    expect([whole.length, lines]).toEqual([3, whole]);
  });

  test("before its plan, or with its trail elsewhere, has written all that there is to write", async () => {
    for (const [lines, events] of [
      [await trailOf(1), journal.slice(1)],
      [[], journal],
    ] as const) {
      const { order, open } = next([...lines], events);
      unwrap(await open("r2"));
      expect(order).toEqual([]);
    }
  });

  test("is recorded before the run after it records anything, or that run does not begin", async () => {
    const { disk, open } = next(await trailOf(2));
    disk.full = true;
    expect(await open("r2")).toEqual(problem(full));
  });
});
