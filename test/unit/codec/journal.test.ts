import { describe, expect, test } from "vitest";
import { crc32, decodeJournal, encodeJournalLine, encodeJournalStart } from "../../../src/codec/journal.ts";
import type { RunEvent } from "../../../src/model/event.ts";
import { declared, observed, reasonAt, recorded, unknown } from "../../../src/model/fact.ts";
import type { Failure } from "../../../src/model/result.ts";
import { decodeSubject } from "../../../src/model/subject.ts";
import {
  added,
  addedTo,
  additionIntent,
  created,
  creationIntent,
  intended,
  noon,
  notAdded,
  rolesIntent,
  runStarted,
  science,
  succeeded,
} from "../../support/event-builders.ts";
import { addressOf, at, emailOf } from "../../support/roster-builders.ts";

const ada = addressOf("ada");
const failure: Failure = {
  code: "refused",
  message: "no",
  request: "POST /x",
  status: 400,
  serviceSays: "no",
  hint: "ask",
};

/** One of every kind, with every optional field. */
const everyEvent: readonly RunEvent[] = [
  runStarted("r1"),
  {
    type: "people-seen",
    service: "https://simulated.example",
    at: noon,
    people: [{ address: ada, email: emailOf("ada"), account: "acc-1", identifier: "u-1" }],
    teams: [{ team: science, name: "Science", account: "acc-1", identifier: "t-1" }],
  },
  intended("r1", "c", creationIntent("ada", "Science")),
  intended("r1", "a", additionIntent("ada")),
  intended("r1", "p", rolesIntent("k-1", "DEVELOPER")),
  { type: "settled", at: noon, run: "r0", action: "c", as: { done: false } },
  { type: "settled", at: noon, run: "r0", action: "c", as: { done: true, learned: created("ada") } },
  succeeded("c", created("ada", { identifier: "u-1", prefix: "k-1", roles: ["X"], teamIdentifier: "t-1" })),
  succeeded("a", addedTo({ ...added("ada", "k-1"), roles: ["X"] }, notAdded("bo", failure))),
  succeeded("p", { kind: "replace-roles", prefix: "k-1", roles: [] }),
  { type: "failed", at: noon, action: "c", failure },
  { type: "unknown-outcome", at: noon, action: "c", failure },
  { type: "unknown-outcome", at: noon, action: "c", failure, accepted: true },
  succeeded("c", created("ada", { was: "there-before" })),
  {
    type: "settled",
    at: noon,
    run: "r0",
    action: "a",
    as: { done: true, learned: addedTo(added("ada")) },
    except: [ada],
  },
  { type: "unneeded", at: noon, action: "p", why: "x", shown: { prefix: "k-1", roles: ["X"] } },
  { type: "run-finished", at: noon, ended: "stopped", why: "x", accessRefused: true },
  { type: "skipped", at: noon, action: "c", why: "x", cause: "b" },
  { type: "stale", at: noon, action: "c", why: "x" },
  { type: "unneeded", at: noon, action: "c", why: "x" },
  { type: "key-learned", at: noon, address: ada, team: science, prefix: "k-1" },
  { type: "team-identified", at: noon, team: science, name: "Science", account: "acc-1", identifier: "t-1" },
  { type: "key-read", at: noon, prefix: "k-1", roles: ["X"] },
  {
    type: "found",
    at: noon,
    finding: {
      class: "blocked",
      blocking: true,
      code: "key-prefix-unknown",
      fingerprint: "f",
      subject: decodeSubject("user ada"),
      message: "m",
      because: [reasonAt(at(1), "member", { name: "Red" }), reasonAt(at(2), "admin")],
      restsOn: [
        { about: decodeSubject("a"), fact: observed("x", "search 1") },
        { about: decodeSubject("b"), fact: recorded("x", noon) },
        { about: decodeSubject("c"), fact: declared("x", at(2)) },
        { about: decodeSubject("d"), fact: unknown("hidden") },
      ],
      suggestedYaml: "users: []",
    },
  },
  { type: "waiting", at: noon, milliseconds: 500, why: "x" },
  { type: "verified", at: noon, result: "pending", remarks: ["x"] },
  { type: "run-finished", at: noon, ended: "stopped", why: "x" },
];

const start = { lineage: "l", serial: 4 };
const text = [encodeJournalStart(start), ...everyEvent.map(encodeJournalLine)].join("");

async function rejected(broken: string): Promise<Failure> {
  const decoded = await decodeJournal(broken, "state.json.journal");
  if (decoded.ok) throw new Error("the journal was accepted");
  return decoded.error;
}

describe("the format of a journal", () => {
  test("is one event a line, with the checksum of its text", () => {
    const line = encodeJournalLine({ type: "stale", at: noon, action: "c", why: "moved" });
    expect(line).toBe(
      '{"sum":"76694b55","entry":{"type":"stale","at":"2026-11-20T12:00:00.000Z","action":"c","why":"moved"}}\n',
    );
  });

  test("reads every kind of event back as it was", async () => {
    expect(await decodeJournal(text, "j")).toEqual({ ok: true, value: { start, events: everyEvent } });
  });

  test.each([1, 20, 60])("drops a last line that lacks its last %i characters, and reports it", async (missing) => {
    const decoded = await decodeJournal(text.slice(0, -missing), "j");
    const kept = { start, events: everyEvent.slice(0, -1) };
    expect(decoded).toEqual({ ok: true, value: { ...kept, torn: everyEvent.length + 1 } });
  });

  test("of which only a part of the first line was written is a journal without events", async () => {
    expect(await decodeJournal(text.slice(0, 10), "j")).toEqual({ ok: true, value: { events: [], torn: 1 } });
    expect(await decodeJournal("", "j")).toEqual({ ok: true, value: { events: [] } });
  });

  test.each([
    ["a changed character", text.replace('"pending"', '"Pending"'), "line 27 of the journal has a wrong checksum"],
    ["a line that is none", text.replace('{"sum"', '{"sun"'), "line 1 of the journal is not a line of a journal"],
    ["an empty line", text.replace("\n", "\n\n"), "line 2 of the journal is not a line of a journal"],
    ["a second start", `${text}${encodeJournalStart(start)}`, "line 29 of the journal starts a journal anew"],
    ["no start", text.slice(text.indexOf("\n") + 1), "line 1 of the journal does not name the state of the journal"],
    ["a newer version", startedIn(3), "line 1 of the journal was written by a newer version of roster"],
    ["an earlier draft", startedIn(1), "line 1 of the journal was written by an older version of roster"],
    [
      "an event that is none",
      `${encodeJournalStart(start)}{"sum":"7b2f030e","entry":{"type":"exploded"}}\n`,
      "line 2 of the journal has an event that this version of roster does not know",
    ],
  ])("refuses %s and names the line", async (_, broken, message) => {
    expect(await rejected(broken)).toMatchObject({ code: "state", message, hint: expect.any(String) });
  });
});

function startedIn(version: number): string {
  const entry = JSON.stringify({ type: "journal-started", version, lineage: "l", serial: 4 });
  return `{"sum":"${crc32(entry)}","entry":${entry}}\n`;
}

describe("checksum", () => {
  test.each([
    ["the empty text", "", "00000000"],
    ["the check value of CRC-32", "123456789", "cbf43926"],
    ["a text beyond ASCII, in UTF-8", "Zoë", "67ac422a"],
  ])("of %s", (_, text, sum) => {
    expect(crc32(text)).toBe(sum);
  });
});
