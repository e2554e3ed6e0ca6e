import { describe, expect, test } from "vitest";
import { emptyLog, encodeLines } from "../../../src/log/hash-chain.ts";
import type { LogEvent } from "../../../src/model/event.ts";
import { sha256 } from "../../../src/model/json.ts";
import {
  created,
  creationIntent,
  intended,
  keyLearned,
  noon,
  runStarted,
  succeeded,
} from "../../support/event-builders.ts";
import { decodeText } from "../../support/whole-log.ts";

const hash = "5".repeat(64);

/** That every kind is read and written with all its fields: property/persisted-formats. */
const everyEvent: readonly LogEvent[] = [
  { type: "log-started", at: noon, version: 3, lineage: "l" },
  { type: "command-started", at: noon, run: "r1", command: "apply", actor: { name: "Zoë", source: "github" } },
  runStarted("r1"),
  { type: "sequenced", at: noon, sequence: 12 },
  intended("r1", "c", creationIntent("ada", "Science")),
  succeeded("c", created("ada", { identifier: "u-1", prefix: "k-1" })),
  keyLearned("ada", "k-9"),
  { type: "verified", at: noon, result: "pending", remarks: [] },
  { type: "moved-to", at: noon, to: "s3://acme/log" },
];
const { lines: text, head } = encodeLines(everyEvent, emptyLog);
const lines = text.split("\n").slice(0, -1);

function joined(parts: readonly (string | undefined)[]): string {
  return parts.map((line) => `${line}\n`).join("");
}

describe("the lines of a log", () => {
  const missing = (one: number, other: number) => `${one} of the log is missing: event ${other} stands in its place`;
  const unknown = `${positionOf("sequenced")} of the log has a form that this version of roster does not know`;

  test("are an event each, with its position and the hash of the line before", () => {
    const stale: LogEvent = { type: "stale", at: noon, action: "c", why: "moved" };
    const written = encodeLines([stale, stale], emptyLog);
    const rest = '"type":"stale","at":"2026-11-20T12:00:00.000Z","action":"c","why":"moved"}';
    const first = `{"position":1,"previous":"${"0".repeat(64)}",${rest}`;
    const second = `{"position":2,"previous":"${sha256(first)}",${rest}`;
    expect(written).toEqual({ lines: joined([first, second]), head: { position: 2, hash: sha256(second) } });
  });

  test("go on behind what was written before", () => {
    const first = encodeLines(everyEvent.slice(0, 5), emptyLog);
    const rest = encodeLines(everyEvent.slice(5), first.head);
    expect({ lines: `${first.lines}${rest.lines}`, head: rest.head }).toEqual({ lines: text, head });
  });

  test.each([1, 500, text.length])("are read back as they were, %d characters and more at a time", async (size) => {
    const read = everyEvent.map((event, index) => ({ position: index + 1, hash: sha256(lines[index] ?? ""), event }));
    expect(await decodeText(text, emptyLog, "memory:", size)).toEqual({ ok: true, value: { events: read, head } });
  });

  test("are read from behind any position, and none are no events", async () => {
    const before = encodeLines(everyEvent.slice(0, 7), emptyLog).head;
    const read = await decodeText(joined(lines.slice(7)), before, "memory:");
    expect(read.ok && [read.value.events.map(({ event }) => event), read.value.head]).toEqual([
      everyEvent.slice(7),
      head,
    ]);
    expect(await decodeText("", before, "memory:")).toEqual({ ok: true, value: { events: [], head: before } });
  });

  test("that were changed at their end alone end with another head", async () => {
    const read = await decodeText(text.replace("s3://acme/log", "s3://acme/lot"), emptyLog, "memory:");
    expect(read.ok && read.value.head).toEqual({
      position: head.position,
      hash: expect.not.stringContaining(head.hash),
    });
  });

  test.each<[string, string, string]>([
    [
      "a changed character",
      text.replace('"pending"', '"diverged"'),
      `${positionOf("verified")} of the log was changed`,
    ],
    ["a line that was taken away", joined([...lines.slice(0, 4), ...lines.slice(5)]), missing(5, 6)],
    ["no beginning", joined(lines.slice(1)), missing(1, 2)],
    ["a line twice", joined([...lines.slice(0, 3), lines[2], ...lines.slice(3)]), missing(4, 3)],
    [
      "a line that was put in between, with the numbers behind it raised",
      joined([
        lines[0],
        encodeLines(everyEvent.slice(1, 2), { position: 1, hash: sha256(lines[0] ?? "") }).lines.trimEnd(),
        lines[1]?.replace('"position":2', '"position":3'),
      ]),
      "2 of the log was changed",
    ],
    [
      "lines behind another beginning",
      encodeLines(everyEvent, { position: 0, hash }).lines,
      "0 of the log was changed",
    ],
    ["an empty line", text.replace("\n", "\n\n"), "2 of the log cannot be read"],
    ["a line of something else", '{"sum":"7b2f030e","entry":{}}\n', "1 of the log cannot be read"],
    ["half a line", `${lines[0]?.slice(0, -8)}\n`, "1 of the log is not JSON"],
    ["a version to come", startedIn(4), "1 of the log was written by a newer version of roster"],
    ["a former version", startedIn(2), "1 of the log was written by an older version of roster"],
    ["an event that is none", text.replace('"type":"sequenced"', '"type":"exploded"'), unknown],
    ["an event with a field that it has not", text.replace('"sequence":12', '"sequence":12,"more":1'), unknown],
  ])("with %s are refused, and the position is named", async (_, broken, says) => {
    const message = `event ${says}${says.endsWith("was changed") ? " after it was written" : ""}`;
    for (const size of [1, 500, broken.length])
      expect(await decodeText(broken, emptyLog, "file:log.jsonl", size)).toEqual({
        ok: false,
        error: {
          code: "state",
          message,
          request: "file:log.jsonl",
          hint: expect.stringMatching(/^Do not delete the log: /u),
        },
      });
  });
});

function positionOf(type: LogEvent["type"]): number {
  return everyEvent.findIndex((event) => event.type === type) + 1;
}

function startedIn(version: number): string {
  return text.slice(0, text.indexOf("\n") + 1).replace('"version":3', `"version":${version}`);
}
