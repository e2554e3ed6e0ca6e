import { expect, test } from "vitest";
import type { Roster } from "../../../src/model/roster.ts";
import { planFor } from "../../support/plan-words.ts";
import { aRoster, aTeam, aUser, type TeamWish, type UserWish } from "../../support/roster-builders.ts";
import { aWorld, putTeam, putUser } from "../../support/simulated-world.ts";

function roster({ ada = {}, bo = {}, data = {}, old = {} }: Record<string, UserWish & TeamWish>): Roster {
  return aRoster({
    users: [aUser("root", { lastName: "Lovelace", firstName: "Ada" }), aUser("ada", ada), aUser("bo", bo)],
    teams: [
      aTeam("Data", { admin: "ada", members: ["ada", "bo"], roles: ["DEVELOPER"], ...data }),
      aTeam("Old", { members: ["root"], roles: ["DEVELOPER"], ...old }),
    ],
  });
}

function idOf(wanted: Roster): string {
  const world = aWorld();
  const user = putUser(world, { email: "root@acme.example", identifier: "u-root" });
  putTeam(world, { name: "Old", identifier: "t-1", members: [user], roles: ["TEAM_ROLE"] });
  return planFor(world, wanted).id;
}

const changes: Readonly<Record<string, Parameters<typeof roster>[0]>> = {
  "a role of a key that is there": { old: { roles: ["AUDITOR"] } },
  "a role of a key that the plan gives": { data: { roles: ["AUDITOR", "DEVELOPER"] } },
  "a founder": { data: { founder: "bo" } },
  "an administrator": { data: { admin: "bo", founder: "ada" } },
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
