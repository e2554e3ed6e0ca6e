import { describe, expect, test } from "vitest";
import { encodeState } from "../../../src/codec/state.ts";
import { decodeCheckpoint, encodeCheckpoint, findCheckpoint } from "../../../src/log/checkpoint.ts";
import { applyEvents } from "../../../src/log/fold.ts";
import { decodeLines, emptyLog, encodeLines, sha256 } from "../../../src/log/line.ts";
import type { LogEvent } from "../../../src/model/event.ts";
import { emptyState, type LogHead } from "../../../src/model/state.ts";
import type { LoggedEvent } from "../../../src/ports/log.ts";
import { created, creationIntent, intended, noon, runStarted, succeeded } from "../../support/event-builders.ts";

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
    expect(decodeCheckpoint(text)).toEqual({ ...checkpoint, digest });
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
    expect(decodeCheckpoint(broken)).toBeUndefined();
  });
});

function withBody(body: string): string {
  return `${JSON.stringify({ ...head, digest: sha256(body) })}\n${body}`;
}

async function logOf(events: readonly LogEvent[]): Promise<readonly LoggedEvent[]> {
  const read = await decodeLines(encodeLines(events, emptyLog).lines, emptyLog, "memory:");
  if (!read.ok) throw new Error(read.error.message);
  return read.value.events;
}

const ended: LogEvent = { type: "command-ended", at: noon, plan: "completed" };

function taken(at: LogHead, of: string): LogEvent {
  return { type: "checkpoint-taken", at: noon, head: at, digest: of };
}

describe("the last checkpoint of a log, folded again,", () => {
  test("is what the events up to its position add up to", async () => {
    const log = await logOf([...begun, ended, taken(head, digest), runStarted("r2")]);
    expect(findCheckpoint(log, "memory:")).toEqual({ ok: true, value: 5 });
  });

  test("counts, and none before it", async () => {
    const log = await logOf([...begun.slice(0, 2), taken(head, other), ...begun.slice(2)]);
    const now = { position: 6, hash: log[5]?.hash ?? "" };
    const again = { ...applyEvents(emptyState(""), begun), serial: 6 };
    const events = log.map(({ event }) => event);
    const later = await logOf([...events, taken(now, encodeCheckpoint({ state: again, head: now }).digest)]);
    expect(findCheckpoint(later, "memory:")).toEqual({ ok: true, value: 6 });
  });

  test("is none where none was taken", async () => {
    expect(findCheckpoint(await logOf(begun), "memory:")).toEqual({ ok: true, value: undefined });
  });

  test.each([
    ["another state", taken(head, other)],
    ["a line that is not there", taken({ position: head.position, hash: other }, digest)],
    ["a position to come", taken({ position: 40, hash: head.hash }, digest)],
  ])("that names %s is told, with its position", async (_, checkpointTaken) => {
    expect(findCheckpoint(await logOf([...begun, ended, checkpointTaken]), "file:log.jsonl")).toMatchObject({
      ok: false,
      error: {
        code: "state",
        message: "position 7 of the log names another state than the events add up to",
        request: "file:log.jsonl",
      },
    });
  });
});
