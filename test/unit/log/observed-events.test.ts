import { describe, expect, test } from "vitest";
import { applyEvents } from "../../../src/log/fold.ts";
import {
  type DriftObservation,
  findingsSeen,
  rosterApplied,
  serviceLearned,
} from "../../../src/log/observed-events.ts";
import type { Drift, DriftItem } from "../../../src/model/drift.ts";
import type { Capabilities } from "../../../src/model/recorded.ts";
import { emptyState, type State } from "../../../src/model/state.ts";
import { decodeSubject } from "../../../src/model/subject.ts";
import { noon } from "../../support/event-builders.ts";
import { aState } from "../../support/plan-inputs.ts";
import { addressOf, aLeaver, aRoster, aUser, emailOf } from "../../support/roster-builders.ts";
import { aShownUser, aSnapshot } from "../../support/snapshot-builders.ts";

const look: DriftObservation = {
  at: noon,
  service: "https://s.example",
  proves: () => true,
};

function item(fingerprint: string, parts: Partial<DriftItem> = {}): DriftItem {
  const about = {
    class: "unapplied",
    code: "create-user",
    subject: decodeSubject(`user ${fingerprint}`),
    counts: "change",
  } as const;
  return { fingerprint, ...about, of: { is: "action", action: fingerprint }, ...parts };
}

function seenWith(items: readonly DriftItem[], state: State, parts: Partial<DriftObservation> = {}) {
  const drift: Drift = { items, coverage: { users: { shown: 0, named: 0 } }, unusedAccepts: [] };
  const event = findingsSeen(drift, state, { ...look, ...parts });
  return event === undefined ? undefined : { seen: event.seen.map(({ fingerprint }) => fingerprint), gone: event.gone };
}

function stateAfter(...items: readonly DriftItem[]): State {
  const drift: Drift = { items, coverage: { users: { shown: 0, named: 0 } }, unusedAccepts: [] };
  const event = findingsSeen(drift, emptyState("l"), look);
  return event === undefined ? emptyState("l") : applyEvents(emptyState("l"), [event]);
}

describe("what a look records", () => {
  test("is nothing where it saw just what was known", () => {
    expect(seenWith([item("a"), item("b")], stateAfter(item("a"), item("b")))).toBe(undefined);
  });

  test("is what is new and what is gone", () => {
    expect(seenWith([item("b"), item("c")], stateAfter(item("a"), item("b")))).toEqual({ seen: ["c"], gone: ["a"] });
  });

  test("calls nothing gone that it may not have looked at", () => {
    const known = stateAfter(item("a"), item("b"));
    expect(seenWith([item("c")], known, { proves: () => false })).toEqual({ seen: ["c"], gone: [] });
  });

  test("leaves out what the run itself has put right", () => {
    const known = stateAfter(item("a"));
    const closed = new Set(["a", "b"]);
    expect(seenWith([item("a"), item("b"), item("c")], known, { proves: () => false, closed })).toEqual({
      seen: ["c"],
      gone: ["a"],
    });
  });

  test("leaves out what another run has in hand, and does not call it gone either", () => {
    const inWork = { class: "pending", counts: "nothing" } as const;
    expect(seenWith([item("a", inWork), item("b", inWork)], stateAfter(item("a")))).toBe(undefined);
  });

  test("puts first what counts, tampering before all, so that it is what is remembered of too many", () => {
    const notice = item("notice", { class: "unmanaged", counts: "nothing" });
    const event = seenWith([notice, item("change"), item("tampered", { class: "tampered" })], emptyState("l"));
    expect(event?.seen).toEqual(["tampered", "change", "notice"]);
  });
});

const said = { at: noon, digest: "d-2", allowed: [] };
const roster = aRoster({
  users: [aUser("ada"), aUser("bo", { previously: ["bo.old"] })],
  leavers: [aLeaver("cy")],
});

function applied(names: readonly string[], digest = "d-1") {
  const people = new Map(names.map((name) => [addressOf(name), { address: addressOf(name), email: emailOf(name) }]));
  return aState({ applied: { at: "before", digest, people } });
}

function namesIn(event: ReturnType<typeof rosterApplied>): readonly string[] | undefined {
  return event?.people.map(({ email }) => email.replace("@acme.example", ""));
}

describe("the people of an applied roster", () => {
  test("are its users, and neither its leavers nor former addresses", () => {
    expect(rosterApplied(roster, aSnapshot(), applied(["ada", "bo.old", "cy"]), said)).toEqual({
      type: "roster-applied",
      at: noon,
      digest: "d-2",
      people: [
        { address: addressOf("ada"), email: emailOf("ada") },
        { address: addressOf("bo"), email: emailOf("bo") },
      ],
    });
  });

  test.each([
    ["is still shown", { users: [aShownUser("dee")] }, [], ["ada", "bo", "dee"]],
    ["is not proven to be gone", {}, [], ["ada", "bo", "dee"]],
    ["is gone", { absent: ["dee"] }, [], ["ada", "bo"]],
    ["is deleted", { users: [aShownUser("dee", { status: "Deleted" })] }, [], ["ada", "bo"]],
    [
      "is released by a person",
      { users: [aShownUser("dee")] },
      [{ code: "user-removed:dee@acme.example#7f3a90c1d4e5", covers: ["user dee@acme.example"] }],
      ["ada", "bo"],
    ],
  ] as const)("and, or not, somebody dropped who %s", (_, shown, allowed, people) => {
    const event = rosterApplied(roster, aSnapshot(shown), applied(["ada", "dee"]), { ...said, allowed });
    expect(namesIn(event)).toEqual(people);
  });

  test.each([
    ["nothing, where the same roster was applied with the same people", ["ada", "bo"], "d-2", undefined],
    ["them, where the roster says something else", ["ada", "bo"], "d-1", ["ada", "bo"]],
    ["them, where somebody has come", ["ada"], "d-2", ["ada", "bo"]],
  ])("tell %s", (_, before, digest, people) => {
    expect(namesIn(rosterApplied(roster, aSnapshot(), applied(before, digest), said))).toEqual(people);
  });
});

const service = "https://simulated.example";
const at = "2026-11-20T12:00:00.000Z";
const known: Capabilities = {
  keysOnUsers: "shown",
  rolesOnKeys: "hidden",
  teamsOnKeys: "shown",
  titles: "shown",
  totals: "hidden",
  paging: { firstPage: "1", largestPage: 20 },
};

function stateThatKnows(learned: Capabilities): State {
  return { ...emptyState("l"), capabilities: { learned, at: "2026-11-01T12:00:00.000Z" } };
}

test("what a service shows is remembered when it is first learned", () => {
  expect(serviceLearned({ service, capabilities: known }, emptyState("l"), at)).toEqual({
    type: "service-learned",
    at,
    service,
    capabilities: known,
  });
});

test("the same again is nothing new, nor is what no answer could tell", () => {
  const untold: Capabilities = {
    keysOnUsers: "unknown",
    rolesOnKeys: "unknown",
    teamsOnKeys: "unknown",
    titles: "unknown",
    totals: "unknown",
    paging: { firstPage: "unknown" },
  };
  expect(serviceLearned({ service, capabilities: known }, stateThatKnows(known), at)).toBeUndefined();
  expect(serviceLearned({ service, capabilities: untold }, stateThatKnows(known), at)).toBeUndefined();
});

test.each([
  ["what is shown by now", { ...known, rolesOnKeys: "shown" }],
  ["how pages are counted by now", { ...known, paging: { firstPage: "0", largestPage: 20 } }],
  ["how large pages are by now", { ...known, paging: { firstPage: "1", largestPage: 50 } }],
] satisfies [string, Capabilities][])("%s is", (_name, learned) => {
  expect(serviceLearned({ service, capabilities: learned }, stateThatKnows(known), at)?.capabilities).toEqual(learned);
});
