import { expect, test } from "vitest";
import { memberSubject, observed, reasonAt } from "../../../src/model/fact.ts";
import type { Action } from "../../../src/model/plan.ts";
import type { Roster } from "../../../src/model/roster.ts";
import { type PruneTarget, prune } from "../../../src/plan/actions.ts";
import {
  aCreation,
  addId,
  anAddition,
  aReplacement,
  createId,
  newPerson,
  newTeam,
  person,
  rolesId,
  rolesOfAdded,
  rolesOfFirstMember,
  rolesOfOwnKey,
  teamRef,
} from "../../support/action-builders.ts";
import { planned } from "../../support/plan-inputs.ts";
import { addressOf, aRoster, aTeam, at, aUser, type TeamWish, type UserWish } from "../../support/roster-builders.ts";
import { partsOf } from "../../support/scenes.ts";

function roster({ ada = {}, bo = {}, data = {}, old = {} }: Record<string, UserWish & TeamWish>): Roster {
  return aRoster({
    users: [aUser("root"), aUser("ada", ada), aUser("bo", bo)],
    teams: [
      aTeam("Data", { admin: "ada", members: ["ada", "bo"], roles: ["DEVELOPER"], ...data }),
      aTeam("Old", { members: ["root"], roles: ["DEVELOPER"], ...old }),
    ],
  });
}

function idOf(wanted: Roster): string {
  const { snapshot } = partsOf("{there: {root: {in: {Old}}}, users: {ada, bo}}");
  return planned({ snapshot, roster: wanted }).id;
}

const changes: Readonly<Record<string, Parameters<typeof roster>[0]>> = {
  "a role of a key that is there": { old: { roles: ["AUDITOR"] } },
  "a role of a key that the plan gives": { data: { roles: ["AUDITOR", "DEVELOPER"] } },
  "a first member": { data: { firstMember: "bo" } },
  "an administrator": { data: { admin: "bo", firstMember: "ada" } },
  "the name of a team as it is sent": { data: {} },
  "a title": { ada: { title: "Boss" } },
  "an optional field for another": { ada: { externalIdentifier: "Boss" } },
  "one member less": { data: { members: ["ada"] } },
  "one member more": { old: { members: ["root", "bo"] } },
  "the letters of an address as it is sent": {},
};

test("the identifier of a plan changes with whatever is done", () => {
  const ids = Object.entries(changes).map(([what, change]) => {
    const wanted = roster(change);
    if (what.startsWith("the name"))
      return idOf({ ...wanted, teams: wanted.teams.map((team) => ({ ...team, name: team.name.toUpperCase() })) });
    if (!what.startsWith("the letters")) return idOf(wanted);
    return idOf({
      ...wanted,
      users: new Map([...wanted.users].map(([key, user]) => [key, { ...user, email: user.email.toUpperCase() }])),
    });
  });
  expect(new Set([...ids, idOf(roster({}))]).size).toBe(ids.length + 1);
});

test("the identifier of a plan stays where only places and lines move", () => {
  expect(idOf(roster({ ada: { line: 40 }, data: { line: 99 } }))).toBe(idOf(roster({})));
});

const red = newTeam("Red", "ada");
const blue = teamRef("Blue", "t-1");

/** Ada creates Red; Bo is new and joins both teams; Cy was there and joins both; everybody's keys get roles. */
const plan: readonly Action[] = [
  aCreation("ada", { createsTeam: "Red" }),
  aCreation("bo", { after: [createId("ada")] }),
  aCreation("dee"),
  anAddition(red, [newPerson("bo"), person("cy", "u-cy")]),
  anAddition(blue, [newPerson("bo"), person("cy", "u-cy"), newPerson("dee")]),
  rolesOfFirstMember("ada", red, ["DEVELOPER"]),
  rolesOfAdded("bo", red, ["DEVELOPER"]),
  rolesOfAdded("cy", blue, ["DEVELOPER"]),
  rolesOfOwnKey("dee", ["DEVELOPER"]),
  aReplacement("replace-roles:k1", { of: "prefix", prefix: observed("k1", "search 1") }, ["DEVELOPER"]),
];

function left(targets: readonly Omit<PruneTarget<string>, "cause">[]) {
  const { actions, pruned } = prune(
    plan,
    targets.map((target, index) => ({ ...target, cause: `cause ${index + 1}` })),
  );
  const kept = actions.map((action) =>
    action.kind === "add-members"
      ? `${action.id}: ${action.members.map(({ address }) => address).join(", ")} after ${action.dependsOn.join(", ")}`
      : action.id,
  );
  return { kept, withheld: pruned.map(({ action, address, cause }) => [action, address ?? "", cause].join(" ")) };
}

test("a first member takes along the team, and whoever waits to found it in their place", () => {
  expect(left([{ action: createId("ada") }])).toEqual({
    kept: [
      createId("dee"),
      `${addId("Blue")}: cy@acme.example, dee@acme.example after ${createId("dee")}`,
      rolesId("cy", "Blue"),
      rolesId("dee"),
      "replace-roles:k1",
    ],
    withheld: [
      `${createId("ada")}  cause 1`,
      `${createId("bo")}  cause 1`,
      `${addId("Red")}  cause 1`,
      `${addId("Blue")} bo@acme.example cause 1`,
      `${rolesId("ada", "Red")}  cause 1`,
      `${rolesId("bo", "Red")}  cause 1`,
    ],
  });
});

test("one person is taken out of an addition, with the roles of the key that it would have given", () => {
  expect(left([{ action: addId("Red"), address: addressOf("bo") }]).withheld).toEqual([
    `${addId("Red")} bo@acme.example cause 1`,
    `${rolesId("bo", "Red")}  cause 1`,
  ]);
});

test("an addition rests on nothing about those who are taken out of it", () => {
  const about = (name: string) => ({
    about: memberSubject(addressOf(name), blue.team),
    fact: observed("no member", "list"),
  });
  const addition = {
    ...anAddition(blue, [person("bo", "u-bo"), person("cy", "u-cy")]),
    restsOn: [about("bo"), about("cy")],
  };
  const { actions } = prune([addition], [{ action: addition.id, address: addressOf("bo"), cause: "a guard" }]);
  expect(actions).toEqual([{ ...addition, members: [{ address: addressOf("cy") }], restsOn: [about("cy")] }]);
});

test("the reasons of whoever is left out of an addition go with them", () => {
  const team = reasonAt(at(1), "team", { name: "Blue" });
  const links = ["bo", "cy"].map((name) => reasonAt(at(2), "group-member", { name: "all", person: addressOf(name) }));
  const whole = { ...anAddition(blue, [person("bo", "u-bo"), person("cy", "u-cy")]), because: [team, ...links] };
  const { actions } = prune([whole], [{ action: whole.id, address: addressOf("bo"), cause: "" }]);
  expect(actions.map(({ because }) => because)).toEqual([[team, links[1]]]);
});
