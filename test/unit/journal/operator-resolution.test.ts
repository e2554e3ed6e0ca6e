import { describe, expect, test } from "vitest";
import { applyEvents } from "../../../src/journal/fold.ts";
import { type OperatorResolution, resolveCall } from "../../../src/journal/operator-resolution.ts";
import { emptyState, type OpenIntent, type State } from "../../../src/model/state.ts";
import { membershipKeyOf, teamKeyOf } from "../../../src/model/team.ts";
import {
  additionIntent,
  creationIntent,
  noon,
  openIntent,
  rolesIntent,
  science,
} from "../../support/event-builders.ts";
import { addressOf, emailOf } from "../../support/roster-builders.ts";

const [ada, bo, cy] = [addressOf("ada"), addressOf("bo"), addressOf("cy")];
const later = "2026-11-20T13:00:00.000Z";
const red = teamKeyOf("acc-1", "Red");

function stateWith(open: OpenIntent): State {
  return { ...emptyState("l"), open: [open] };
}

function resolved(open: OpenIntent, word: Partial<OperatorResolution> & Pick<OperatorResolution, "outcome">): State {
  const state = stateWith(open);
  const events = resolveCall(open, { people: [], ...word }, state, later);
  if (!events.ok) throw new Error(events.error);
  return applyEvents(state, events.value);
}

describe("a person's word that a call was done", () => {
  test("makes a creation ours, with what they know of it", () => {
    const state = resolved(openIntent("r1", "c", creationIntent("ada")), {
      outcome: "done",
      identifier: "u-1",
      prefix: "k-1",
    });
    expect(state.open).toEqual([]);
    expect([...state.users.values()]).toEqual([
      {
        address: ada,
        email: emailOf("ada"),
        account: "acc-1",
        createdAt: later,
        profile: { sent: { firstName: "ada", lastName: "Test" }, answered: {} },
        identifier: "u-1",
        key: "k-1",
      },
    ]);
  });

  test("makes a founded team ours", () => {
    const open = openIntent("r1", "c", creationIntent("ada", "Red"));
    const state = resolved(open, { outcome: "done", teamIdentifier: "t-9", prefix: "k-1" });
    expect(state.teams.get(red)).toEqual({
      team: red,
      name: "Red",
      account: "acc-1",
      founder: ada,
      at: later,
      identifier: "t-9",
    });
    expect(state.memberships.get(membershipKeyOf(red, ada))).toEqual({
      team: red,
      address: ada,
      how: "founded",
      at: later,
      prefix: "k-1",
    });
  });

  test("settles one person of an addition, and leaves the call open for the others", () => {
    const open = openIntent("r1", "a", additionIntent("ada", "bo", "cy"));
    const state = resolved(open, { outcome: "done", people: [bo], prefix: "k-2" });
    expect([...state.memberships.values()]).toEqual([
      { team: science, address: bo, how: "added", at: later, prefix: "k-2" },
    ]);
    expect(state.open).toEqual([openIntent("r1", "a", additionIntent("ada", "cy"))]);
  });

  test("settles everybody of an addition", () => {
    const state = resolved(openIntent("r1", "a", additionIntent("ada", "bo")), { outcome: "done" });
    expect([...state.memberships.values()].map(({ address, how }) => [address, how])).toEqual([
      [ada, "added"],
      [bo, "added"],
    ]);
    expect(state.open).toEqual([]);
  });

  test("records the roles of a key", () => {
    const state = resolved(openIntent("r1", "k", rolesIntent("k-1", "DEVELOPER")), { outcome: "done" });
    expect(state.keys.get("k-1")).toEqual({ prefix: "k-1", put: ["DEVELOPER"], at: later });
    expect(state.open).toEqual([]);
  });
});

describe("a person's word that a call was not done", () => {
  test.each([
    ["a creation", openIntent("r1", "c", creationIntent("ada"))],
    ["an addition", openIntent("r1", "a", additionIntent("ada", "bo"))],
    ["a replacement of roles", openIntent("r1", "k", rolesIntent("k-1"))],
  ])("closes %s and records nothing", (_, open) => {
    expect(resolved(open, { outcome: "not-done" })).toEqual(emptyState("l"));
  });

  test("closes a creation with a team, until a read shows the user", () => {
    const open = openIntent("r1", "c", creationIntent("ada", "Red"));
    expect(resolved(open, { outcome: "not-done" })).toEqual({ ...emptyState("l"), presumedUndone: [open] });
  });

  test("settles one person of an addition, who is recorded nowhere", () => {
    const state = resolved(openIntent("r1", "a", additionIntent("ada", "bo")), { outcome: "not-done", people: [ada] });
    expect(state.memberships).toEqual(new Map());
    expect(state.open).toEqual([openIntent("r1", "a", additionIntent("bo"))]);
  });
});

describe("a word that cannot be", () => {
  const creation = openIntent("r1", "c", creationIntent("ada"));
  const addition = openIntent("r1", "a", additionIntent("ada", "bo"));
  const roles = openIntent("r1", "k", rolesIntent("k-1"));
  const done = { outcome: "done", people: [] } as const;
  const known: State = {
    ...emptyState("l"),
    users: new Map([[cy, { address: cy, email: emailOf("cy"), account: "acc-1", identifier: "u-3", key: "k-3" }]]),
    memberships: new Map([
      [membershipKeyOf(red, cy), { team: red, address: cy, how: "added", at: noon, prefix: "k-4" }],
    ]),
  };

  test.each<[string, OpenIntent, OperatorResolution, string]>([
    [
      "a prefix of what was not done",
      creation,
      { outcome: "not-done", people: [], prefix: "k-1" },
      "a call that was not done has no identifier and no prefix",
    ],
    [
      "an identifier of an addition",
      addition,
      { ...done, identifier: "u" },
      "--identifier is only for a call that creates a user",
    ],
    [
      "a team identifier of a creation without a team",
      creation,
      { ...done, teamIdentifier: "t" },
      "--team-identifier is only for a call that creates a team",
    ],
    [
      "a prefix of a replacement of roles",
      roles,
      { ...done, prefix: "k" },
      "--prefix is only for a call that creates a key",
    ],
    [
      "a person of a creation",
      creation,
      { ...done, people: [ada] },
      "--person is only for a call that adds several members",
    ],
    ["a person of whom the call is not", addition, { ...done, people: [cy] }, `the call does not name ${cy}`],
    [
      "one prefix for two",
      addition,
      { ...done, prefix: "k" },
      "--prefix is for one member only. Name the member with --person",
    ],
    [
      "somebody else's identifier",
      creation,
      { ...done, identifier: "u-3" },
      `the state has this identifier for ${emailOf("cy")}`,
    ],
    ["somebody else's own key", creation, { ...done, prefix: "k-3" }, `the state has this prefix for a key of ${cy}`],
    [
      "somebody else's team key",
      addition,
      { ...done, people: [bo], prefix: "k-4" },
      `the state has this prefix for a key of ${cy}`,
    ],
  ])("is refused: %s", (_, open, word, why) => {
    expect(resolveCall(open, word, known, later)).toEqual({ ok: false, error: why });
  });
});
