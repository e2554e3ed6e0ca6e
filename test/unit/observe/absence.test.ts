import { expect, test } from "vitest";
import { emptyState } from "../../../src/model/state.ts";
import { withListedAbsences } from "../../../src/observe/observe.ts";
import { addressOf, aRoster, aUser } from "../../support/roster-builders.ts";
import { snapshotOf } from "../../support/simulated-snapshot.ts";
import { aWorld, putUser } from "../../support/simulated-world.ts";

const roster = aRoster({ users: ["ada", "bo", "cy", "dara"].map((name) => aUser(name)) });

function scene() {
  const world = aWorld({ accounts: ["acc-1"] });
  putUser(world, { email: "ada@acme.example" });
  const snapshot = snapshotOf(world, { roster: aRoster({}) });
  const doubt = { proven: false, why: "the service refuses to search for it" } as const;
  const account = { identifier: "acc-1", members: [addressOf("ada"), addressOf("cy")], by: "account acc-1" };
  return { ...snapshot, accounts: new Map([["acc-1", account]]), absences: new Map([[addressOf("dara"), doubt]]) };
}

test("whom the complete list lacks is absent, unless another read shows the address or a search has left a doubt", () => {
  const { snapshot, unsearched } = withListedAbsences(scene(), roster, emptyState(""));
  expect([...snapshot.absences]).toEqual([
    [addressOf("dara"), { proven: false, why: "the service refuses to search for it" }],
    [addressOf("bo"), { proven: true, by: "list" }],
    [
      addressOf("cy"),
      { proven: false, why: 'the read "account acc-1" shows this address, but the list of users does not' },
    ],
  ]);
  expect([...unsearched]).toEqual([addressOf("bo")]);
});

test("nobody is absent of a list that is not complete", () => {
  const cut = { ...scene(), everyone: { read: "incomplete", why: "it was cut" } as const };
  const { snapshot, unsearched } = withListedAbsences(cut, roster, emptyState(""));
  expect([...snapshot.absences.values()].map(({ proven }) => proven)).toEqual([false, false, false]);
  expect(unsearched.size).toBe(0);
});
