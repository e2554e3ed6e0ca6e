import { expect, test } from "vitest";
import { emptyState, type State } from "../../../src/model/state.ts";
import { membershipKeyOf } from "../../../src/model/team.ts";
import { addressesToRead } from "../../../src/observe/asked-addresses.ts";
import { noon } from "../../support/event-builders.ts";
import { addressOf, aKey, aLeaver, aRoster, aTeam, aUser } from "../../support/roster-builders.ts";

const roster = aRoster({ users: [aUser("bo")], teams: [aTeam("Red", { members: ["bo"], open: true })] });
const member = { user: "bo", roles: ["DEVELOPER"], key: "p" };
const red = roster.teams[0]?.key ?? aTeam("Red").key;

/** Ada founded Red, and is in the roster no more. */
function stateWhere(identifier: { readonly identifier?: string }): State {
  const ada = addressOf("ada");
  return {
    ...emptyState("l"),
    teams: new Map([[red, { team: red, name: "Red", account: "acc-1", at: noon, ...identifier }]]),
    memberships: new Map([[membershipKeyOf(red, ada), { team: red, address: ada, how: "founded", at: noon }]]),
  };
}

test.each([
  ["was never learned, since they show it", {}, ["bo", "ada"]],
  ["is known, not", { identifier: "t-1" }, ["bo"]],
])("whoever left an open team is asked for where its identifier %s", (_, identifier, expected) => {
  const asked = addressesToRead(roster, stateWhere(identifier)).map(({ address }) => address);
  expect(asked).toEqual(expected.map(addressOf));
});

test.each([
  ["a user's own key", aRoster({ users: [aUser("bo", { key: "p", ownKeyRoles: ["DEVELOPER"] })] })],
  ["a member's key", aRoster({ users: [aUser("bo")], teams: [aTeam("Red", { open: true, members: [member] })] })],
  ["a listed key", aRoster({ users: [aUser("bo")], keys: [aKey("p", { owner: "bo", roles: ["DEVELOPER"] })] })],
  ["a leaver's key", aRoster({ leavers: [aLeaver("bo", { key: "p" })] })],
])("whoever holds a declared prefix by record is asked for beside the one whom the roster names: %s", (_, named) => {
  const ada = { address: addressOf("ada"), email: "Ada@acme.example", account: "acc-1", key: "p" };
  const state = { ...emptyState("l"), users: new Map([[ada.address, ada]]) };
  expect(addressesToRead(named, state).map(({ address }) => address)).toEqual(["bo", "ada"].map(addressOf));
});
