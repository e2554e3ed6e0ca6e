import { describe, expect, test } from "vitest";
import { validState } from "../../../src/codec/generated/state.js";
import { encodeState } from "../../../src/codec/state.ts";
import { decodeCheckpoint, encodeCheckpoint, verifyLog } from "../../../src/log/checkpoint.ts";
import { applyEvents } from "../../../src/log/fold.ts";
import { decodeLines, emptyLog, encodeBase, encodeLines, findEnd } from "../../../src/log/hash-chain.ts";
import type { RosterLog } from "../../../src/log/port.ts";
import type { LogEvent } from "../../../src/model/event.ts";
import { sha256 } from "../../../src/model/json.ts";
import { emptyState, type LogHead } from "../../../src/model/state.ts";
import { created, creationIntent, intended, noon, runStarted, succeeded } from "../../support/event-builders.ts";
import { thrownBy } from "../../support/state-place.ts";
import { inParts } from "../../support/whole-log.ts";

const begun: readonly LogEvent[] = [
  { type: "log-started", at: noon, version: 3, lineage: "l" },
  { type: "command-started", at: noon, run: "r1", command: "apply" },
  runStarted("r1"),
  intended("r1", "c", creationIntent("ada")),
  succeeded("c", created("ada", { identifier: "u-1", prefix: "k-1" })),
];
const { head } = encodeLines(begun, emptyLog);
const state = { ...applyEvents(emptyState(""), begun), serial: head.position };
const checkpoint = { state, head };
const { text, digest } = encodeCheckpoint(checkpoint);
const other = "5".repeat(64);

describe("a checkpoint", () => {
  test("is the head and the digest of the state on one line, then the state", () => {
    expect(text).toBe(`${JSON.stringify({ ...head, digest: sha256(encodeState(state)) })}\n${encodeState(state)}`);
  });

  test("is read back as it was", () => {
    expect(decodeCheckpoint(text, validState)).toEqual({ ...checkpoint, digest });
  });

  test.each([
    ["is empty", ""],
    ["has no state", text.slice(0, text.indexOf("\n") + 1)],
    ["has no first line", text.slice(text.indexOf("\n") + 1)],
    ["was cut off", text.slice(0, -3)],
    ["has another state", text.replace("ada@acme.example", "bo@acme.example")],
    ["has another digest", text.replace(digest, other)],
    ["has more on its first line", text.replace('"}\n', '","more":1}\n')],
    ["was written in another version of the state", withBody(encodeState(state).replace(/("version": ?)\d/u, "$19"))],
    ["is none of a state", withBody("{}")],
  ])("that %s counts as none", (_, broken) => {
    expect(decodeCheckpoint(broken, validState)).toBeUndefined();
  });
});

function withBody(body: string): string {
  return `${JSON.stringify({ ...head, digest: sha256(body) })}\n${body}`;
}

/** A log of these events, some of which are read at once. */
function logOf(events: readonly LogEvent[], address = "memory:"): Pick<RosterLog, "address" | "readEvents"> {
  const { lines } = encodeLines(events, emptyLog);
  return { address, readEvents: () => decodeLines(inParts(lines, 600), emptyLog, address) };
}

const ended: LogEvent = { type: "command-ended", at: noon, plan: "completed" };

function taken(at: LogHead, of: string): LogEvent {
  return { type: "checkpoint-taken", at: noon, head: at, digest: of };
}

function prunedTo(base: string, of: LogHead): LogEvent {
  return { type: "pruned", at: noon, before: noon, from: 1, head: of, digest: sha256(base) };
}

function headOf(events: readonly LogEvent[]): LogHead {
  return encodeLines(events, emptyLog).head;
}

describe("a log that is verified", () => {
  test("ends where its last line stands, and has a checkpoint that is what the events up to it add up to", async () => {
    const events = [...begun, ended, taken(head, digest), runStarted("r2")];
    expect(await verifyLog(logOf(events))).toEqual({ head: headOf(events), checkpoint: 5 });
  });

  test("has a last checkpoint, and none before it counts", async () => {
    const before = [...begun.slice(0, 2), taken(head, other), ...begun.slice(2)];
    const now = headOf(before);
    const again = { ...applyEvents(emptyState(""), begun), serial: 6 };
    const events = [...before, taken(now, encodeCheckpoint({ state: again, head: now }).digest)];
    expect(await verifyLog(logOf(events))).toEqual({ head: headOf(events), checkpoint: 6 });
  });

  test("may have no checkpoint, or no events at all", async () => {
    expect(await verifyLog(logOf(begun))).toEqual({ head: headOf(begun) });
    expect(await verifyLog(logOf([]))).toEqual({ head: emptyLog });
  });

  test("begins with its last base: one before it was left by a prune that broke off", async () => {
    const first = encodeBase({ state, head, before: noon });
    const left = encodeLines([prunedTo(first, head)], head);
    const last = encodeBase({ state: { ...state, users: new Map() }, head: left.head, before: noon });
    const behind = encodeLines([taken(left.head, digest), prunedTo(last, left.head), ended], left.head);
    async function* parts() {
      yield `${first}\n${left.lines}`;
      yield `${last}\n${behind.lines}`;
    }
    const log = { address: "memory:", readEvents: () => decodeLines(parts(), emptyLog, "memory:") };
    const base = { digest: sha256(last), head: left.head };
    const verified = await verifyLog(log);
    expect(verified).toMatchObject({ head: behind.head, base });
    expect(verified.checkpoint).toBeUndefined();
    expect(await findEnd(log.readEvents(), 1)).toMatchObject({ head: behind.head, base });
  });

  test.each([
    ["another state", taken(head, other)],
    ["a line that is not there", taken({ position: head.position, hash: other }, digest)],
    ["a position to come", taken({ position: 40, hash: head.hash }, digest)],
  ])("is refused where its checkpoint names %s: the position is told", async (_, checkpointTaken) => {
    expect(await thrownBy(verifyLog(logOf([...begun, ended, checkpointTaken], "file:log.jsonl")))).toMatchObject({
      code: "state",
      message: "event 7 of the log names another state than the events add up to",
      request: "file:log.jsonl",
    });
  });
});
