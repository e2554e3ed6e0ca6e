import { expect, test } from "vitest";
import { aPolicy, aState } from "../../support/plan-inputs.ts";
import { deeds, planFor, troubles } from "../../support/plan-words.ts";
import { addressOf, aRoster, aUser, emailOf } from "../../support/roster-builders.ts";
import { aWorld, putUser } from "../../support/simulated-world.ts";

/** Ada is there, bo was created and is gone, cy was never there; nobody else is in the roster. */
function planSaying(...names: readonly string[]) {
  const world = aWorld();
  putUser(world, { email: emailOf("ada"), lastName: "Test" });
  const bo = {
    address: addressOf("bo"),
    email: emailOf("bo"),
    account: "acc-1",
    createdAt: "2026-11-01T00:00:00.000Z",
  };
  const state = aState({ users: new Map([[bo.address, bo]]) });
  const policy = aPolicy({ recreate: names.map(addressOf) });
  return planFor(world, aRoster({ users: ["ada", "bo", "cy"].map((name) => aUser(name)) }), { state, policy });
}

const vanished = "! vanished: user bo@acme.example";

test.each([
  ["somebody who is gone is of use", ["bo"], []],
  ["somebody who is there is idle", ["ada"], [vanished, "idle-recreation: recreation of ada@acme.example"]],
  ["somebody who is created anyway is idle", ["cy"], [vanished, "idle-recreation: recreation of cy@acme.example"]],
  [
    "nobody of the roster is idle, and told once",
    ["boo", "boo", "bo"],
    ["idle-recreation: recreation of boo@acme.example"],
  ],
])("a word to create again %s", (_, names, expected) => {
  expect(troubles(planSaying(...names))).toEqual(expected);
});

test("an idle word is a notice that says why, and changes nothing", () => {
  const { findings } = planSaying("ada", "boo", "cy");
  expect(
    findings
      .filter(({ code }) => code === "idle-recreation")
      .map(({ blocking, message }) => [blocking, message.split(". ")[0]]),
  ).toEqual([
    [false, "`--recreate ada@acme.example` changes nothing about this plan: the service shows this person"],
    [false, "`--recreate boo@acme.example` changes nothing about this plan: no user of the roster has this address"],
    [
      false,
      "`--recreate cy@acme.example` changes nothing about this plan: nothing keeps this person from being created",
    ],
  ]);
  expect(deeds(planSaying("boo"))).toEqual(deeds(planSaying()));
});
