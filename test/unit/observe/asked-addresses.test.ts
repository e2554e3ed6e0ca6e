import { expect, test } from "vitest";
import { membershipKeyOf } from "../../../src/model/names.ts";
import { emptyState, type State } from "../../../src/model/state.ts";
import { askedAddresses } from "../../../src/observe/asked-addresses.ts";
import { noon } from "../../support/event-builders.ts";
import { addressOf, aRoster, aTeam, aUser } from "../../support/roster-builders.ts";

const roster = aRoster({ users: [aUser("bo")], teams: [aTeam("Red", { members: ["bo"], open: true })] });
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
  const asked = askedAddresses(roster, stateWhere(identifier)).map(({ address }) => address);
  expect(asked).toEqual(expected.map(addressOf));
});
