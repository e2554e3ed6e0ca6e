import { describe, expect, test } from "vitest";
import { rosterApplied } from "../../../src/journal/roster-applied.ts";
import { noon } from "../../support/event-builders.ts";
import { aState } from "../../support/plan-inputs.ts";
import { addressOf, aLeaver, aRoster, aUser, emailOf } from "../../support/roster-builders.ts";
import { aShownUser, aSnapshot } from "../../support/snapshot-builders.ts";

const said = { at: noon, digest: "d-2", released: [] };
const roster = aRoster({
  users: [aUser("ada"), aUser("bo", { previously: ["bo.old"] })],
  leavers: [aLeaver("cy")],
});

function applied(names: readonly string[], digest = "d-1") {
  const people = new Map(names.map((name) => [addressOf(name), { email: emailOf(name) }]));
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
    ["is released by a person", { users: [aShownUser("dee")] }, [addressOf("dee")], ["ada", "bo"]],
  ])("and, or not, somebody dropped who %s", (_, shown, released, people) => {
    const event = rosterApplied(roster, aSnapshot(shown), applied(["ada", "dee"]), { ...said, released });
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
