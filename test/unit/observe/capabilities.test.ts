import { expect, test } from "vitest";
import { foldAddress } from "../../../src/model/address.ts";
import type { ObservedKey } from "../../../src/model/key.ts";
import { emptyState } from "../../../src/model/state.ts";
import type { ObservedUser } from "../../../src/model/user.ts";
import { observedCapabilities, withListedAbsences } from "../../../src/observe/observe.ts";
import { addressOf, aRoster, aUser } from "../../support/roster-builders.ts";
import { snapshotOf } from "../../support/simulated-snapshot.ts";
import { aWorld, putUser } from "../../support/simulated-world.ts";

function holder(...keys: readonly ObservedKey[]): ObservedUser {
  return { email: "a@x.example", address: foldAddress("a@x.example"), by: "search 1", keys };
}

const paged = { totals: "shown", paging: { firstPage: "0-and-1-alike", largestPage: 20 } } as const;
const { keys: _, ...keyless } = holder();
const own: ObservedKey = { prefix: "k1", team: "none", roles: [] };
const data: ObservedKey = { prefix: "k2", kind: "team", team: { identifier: "t-1", name: "Data" } };

test.each([
  ["nobody was shown", [], ["unknown", "unknown", "unknown"]],
  ["nobody shows keys", [keyless], ["hidden", "unknown", "unknown"]],
  ["nobody has a key", [holder()], ["shown", "unknown", "unknown"]],
  ["a key names its team", [holder(data)], ["shown", "hidden", "shown"]],
  ["a key says that it has none", [holder(own)], ["shown", "shown", "shown"]],
  ["a key does not say", [holder({ prefix: "k" })], ["shown", "hidden", "hidden"]],
  ["a project's key need not say", [holder(data, { prefix: "k", kind: "project" })], ["shown", "hidden", "shown"]],
  ["a team's key does not say", [holder(data, { prefix: "k", kind: "team" })], ["shown", "hidden", "hidden"]],
  [
    "a team's key says that it has none",
    [holder(own, { prefix: "k", kind: "team", team: "none" })],
    ["shown", "shown", "hidden"],
  ],
  [
    "a deleted team's key says that it has none",
    [holder(own, { prefix: "k", kind: "team", team: "none", status: "Deleted" })],
    ["shown", "shown", "shown"],
  ],
  [
    "a team has an identifier alone",
    [holder(data, { prefix: "k", team: { identifier: "t-2" } })],
    ["shown", "hidden", "hidden"],
  ],
  ["one user's keys are hidden", [holder(data), keyless], ["shown", "hidden", "hidden"]],
  ["a deleted user's keys are hidden", [holder(data), { ...keyless, status: "deleted" }], ["shown", "hidden", "shown"]],
])("%s", (_name, users, [keysOnUsers, rolesOnKeys, teamsOnKeys]) => {
  expect(observedCapabilities(users, paged)).toMatchObject({ keysOnUsers, rolesOnKeys, teamsOnKeys });
});

test("how lists are paged and counted is told as the service has shown it", () => {
  expect(observedCapabilities([], paged)).toMatchObject(paged);
});

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
      { proven: false, why: 'the request "account acc-1" shows this address, but the list of users does not' },
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
