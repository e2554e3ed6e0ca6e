import { describe, expect, test } from "vitest";
import { applyEvents } from "../../../src/log/fold.ts";
import { type OperatorResolution, resolveCall } from "../../../src/log/operator-resolution.ts";
import { membershipKeyOf } from "../../../src/model/membership.ts";
import type { OpenIntent } from "../../../src/model/recorded.ts";
import { emptyState, type State } from "../../../src/model/state.ts";
import { teamKeyOf } from "../../../src/model/team.ts";
import { additionIntent, creationIntent, openIntent, rolesIntent, science } from "../../support/event-builders.ts";
import { addressOf, emailOf } from "../../support/roster-builders.ts";

const [ada, bo, cy] = [addressOf("ada"), addressOf("bo"), addressOf("cy")];
const later = "2026-11-20T13:00:00.000Z";
const red = teamKeyOf("acc-1", "Red");

function stateWith(open: OpenIntent): State {
  return { ...emptyState("l"), open: [open] };
}

function resolved(open: OpenIntent, word: Partial<OperatorResolution> & Pick<OperatorResolution, "outcome">): State {
  const state = stateWith(open);
  const events = resolveCall(open, { people: [], ...word }, later);
  if (!events.ok) throw new Error(events.error);
  return applyEvents(state, events.value);
}

describe("a person's word that a call was done", () => {
  test("makes a creation ours", () => {
    const state = resolved(openIntent("r1", "c", creationIntent("ada")), { outcome: "done" });
    expect(state.open).toEqual([]);
    expect([...state.users.values()]).toEqual([
      {
        address: ada,
        email: emailOf("ada"),
        account: "acc-1",
        createdAt: later,
        profile: { sent: { firstName: "ada", lastName: "Test" }, answered: {} },
      },
    ]);
  });

  test("makes a created team ours", () => {
    const open = openIntent("r1", "c", creationIntent("ada", "Red"));
    const state = resolved(open, { outcome: "done" });
    expect(state.teams.get(red)).toEqual({
      team: red,
      name: "Red",
      account: "acc-1",
      firstMember: ada,
      at: later,
    });
    expect(state.memberships.get(membershipKeyOf(red, ada))).toEqual({
      team: red,
      address: ada,
      how: "created",
      at: later,
    });
  });

  test("settles one person of an addition, and leaves the call open for the others", () => {
    const open = openIntent("r1", "a", additionIntent("ada", "bo", "cy"));
    const state = resolved(open, { outcome: "done", people: [bo] });
    expect([...state.memberships.values()]).toEqual([{ team: science, address: bo, how: "added", at: later }]);
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
    expect(state.keys.get("k-1")).toEqual({ prefix: "k-1", setRoles: ["DEVELOPER"], at: later });
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
  const done = { outcome: "done", people: [] } as const;

  test.each<[string, OpenIntent, OperatorResolution, string]>([
    [
      "a person of a creation",
      creation,
      { ...done, people: [ada] },
      "only a call that adds several members can be resolved for some of them",
    ],
    ["a person of whom the call is not", addition, { ...done, people: [cy] }, `the call does not name ${cy}`],
  ])("is refused: %s", (_, open, word, why) => {
    expect(resolveCall(open, word, later)).toEqual({ ok: false, error: why });
  });
});
