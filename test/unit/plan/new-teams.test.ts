import { describe, expect, test } from "vitest";
import { reasonAt } from "../../../src/model/fact.ts";
import { decodeSubject, formatSubject } from "../../../src/model/subject.ts";
import { type Circumstances, deeds, planFor, troubles } from "../../support/plan-words.ts";
import { aRoster, aTeam, at, aUser, type TeamWish, type UserWish } from "../../support/roster-builders.ts";
import { aWorldOf, putUser, type World } from "../../support/simulated-world.ts";

interface Case {
  /** Everybody in the roster; who is not in the world is new. */
  readonly users: Readonly<Record<string, UserWish>>;
  readonly teams: Readonly<Record<string, TeamWish>>;
  readonly world?: (world: World) => void;
  readonly circumstances?: Circumstances;
  /** Who is created, in order, with what they found and wait for. */
  readonly created: readonly string[];
  readonly troubles?: readonly string[];
}

const cases: Readonly<Record<string, Case>> = {
  "the administrator creates the team, and others wait for that": {
    users: { ada: {}, bo: {} },
    teams: { T: { admin: "bo", members: ["ada", "bo"] } },
    created: ["create bo creating T with TEAM_ROLE", "create ada after bo"],
  },
  "the first new member by address creates a team without administrator": {
    users: { bo: {}, ada: {} },
    teams: { T: { members: ["bo", "ada"] } },
    created: ["create ada creating T with TEAM_ROLE", "create bo after ada"],
  },
  "a named first member creates, after the administrator is created": {
    users: { ada: {}, bo: {} },
    teams: { T: { admin: "bo", firstMember: "ada", members: ["ada", "bo"] } },
    created: ["create bo", "create ada creating T for bo with TEAM_ROLE after bo"],
  },
  "an administrator who is there is waited for by nobody": {
    users: { ada: {}, root: {} },
    teams: { T: { admin: "root", members: ["ada", "root"] } },
    created: ["create ada creating T for root with TEAM_ROLE"],
  },
  "whoever has ownKeyRoles creates nothing": {
    users: { ada: { ownKeyRoles: ["DEVELOPER"] }, bo: {} },
    teams: { T: { admin: "ada", members: ["ada", "bo"] } },
    created: ["create ada", "create bo creating T for ada with TEAM_ROLE after ada"],
  },
  "somebody of another account creates nothing": {
    users: { ada: { account: "acc-2" }, bo: {} },
    teams: { T: { members: ["ada", "bo"] } },
    created: ["create bo creating T with TEAM_ROLE", "create ada after bo"],
  },
  "first members are moved so that every team has one": {
    users: { ada: {}, bo: {}, cy: {} },
    teams: { A: { members: ["ada", "bo"] }, B: { members: ["bo", "cy"] }, C: { members: ["ada"] } },
    created: [
      "create ada creating C with TEAM_ROLE",
      "create bo creating A with TEAM_ROLE",
      "create cy creating B with TEAM_ROLE",
    ],
  },
  "one administrator of two new teams creates one of them": {
    users: { ada: {}, bo: {} },
    teams: { A: { admin: "ada", members: ["ada", "bo"] }, B: { admin: "ada", members: ["ada", "bo"] } },
    created: ["create ada creating A with TEAM_ROLE", "create bo creating B for ada with TEAM_ROLE after ada"],
  },
  "a cycle of administrators is rotated: each team to its own": {
    users: { ada: {}, bo: {}, cy: {} },
    teams: {
      A: { admin: "bo", members: ["ada", "bo"] },
      B: { admin: "cy", members: ["bo", "cy"] },
      C: { admin: "ada", members: ["cy", "ada"] },
    },
    created: [
      "create ada creating C with TEAM_ROLE",
      "create bo creating A with TEAM_ROLE",
      "create cy creating B with TEAM_ROLE",
    ],
  },
  "a cycle that named first members hold leaves out the last of their teams": {
    users: { ada: {}, bo: {} },
    teams: {
      A: { admin: "bo", firstMember: "ada", members: ["ada", "bo"] },
      B: { admin: "ada", firstMember: "bo", members: ["ada", "bo"] },
    },
    created: ["create bo", "create ada creating A for bo with TEAM_ROLE after bo"],
    troubles: ["! cannot-create-team: team acc-1/b"],
  },
  "a cycle through a named first member is broken by another first member where there is one": {
    users: { ada: {}, bo: {}, cy: {} },
    teams: {
      A: { admin: "bo", members: ["ada", "bo", "cy"] },
      B: { admin: "ada", firstMember: "bo", members: ["ada", "bo"] },
    },
    created: [
      "create ada",
      "create bo creating B for ada with TEAM_ROLE after ada",
      "create cy creating A for bo with TEAM_ROLE after bo",
    ],
  },
  "too few new users: the first team is created, the other is told": {
    users: { ada: {}, root: {} },
    teams: { A: { members: ["ada", "root"] }, B: { members: ["ada"] } },
    created: ["create ada creating A with TEAM_ROLE"],
    troubles: ["! cannot-create-team: team acc-1/b"],
  },
  "a team without any new member is told": {
    users: { root: {} },
    teams: { A: { members: ["root"] } },
    created: [],
    troubles: ["! cannot-create-team: team acc-1/a"],
  },
  "a named first member who is there already leaves the team unfounded and its new members uncreated": {
    users: { ada: {}, root: {} },
    teams: { A: { firstMember: "root", members: ["ada", "root"] } },
    created: [],
    troubles: ["! cannot-create-team: team acc-1/a"],
  },
  "a named first member is nobody else's": {
    users: { ada: {}, root: {} },
    teams: { A: { members: ["ada", "root"] }, B: { firstMember: "ada", members: ["ada"] } },
    created: ["create ada creating B with TEAM_ROLE"],
    troubles: ["! cannot-create-team: team acc-1/a"],
  },
  "a team whose administrator cannot be had is left out first, and its new people wait": {
    users: { dead: {}, ada: {}, bo: {} },
    teams: { A: { admin: "dead", members: ["dead", "ada", "bo"] }, B: { members: ["ada"] } },
    world: (world) => putUser(world, { email: "dead@acme.example", status: "Deleted" }),
    created: ["create ada creating B with TEAM_ROLE"],
    troubles: ["! inactive-user: user dead@acme.example", "! cannot-create-team: team acc-1/a"],
  },
  "an unproven team keeps its first member and its other new members": {
    users: { ada: {}, bo: {}, cy: {} },
    teams: { A: { members: ["ada", "bo"] }, B: { members: ["cy"] } },
    circumstances: { hides: ["teams"], allows: ["unproven-absence:B"] },
    created: ["create cy creating B with TEAM_ROLE"],
    troubles: ["! unproven-absence: team acc-1/a"],
  },
  "an unproven team lets go of a member whom another team is created with or administered by": {
    users: { ada: {}, bo: {}, cy: {} },
    teams: {
      A: { members: ["ada", "bo", "cy"] },
      B: { admin: "cy", firstMember: "bo", members: ["bo", "cy"] },
    },
    circumstances: { hides: ["teams"], allows: ["unproven-absence:B"] },
    created: ["create cy", "create bo creating B for cy with TEAM_ROLE after cy"],
    troubles: ["! unproven-absence: team acc-1/a"],
  },
  "a team whose administrator is kept for an unproven team waits, and its first member with it": {
    users: { ada: {}, bo: {} },
    teams: { A: { members: ["ada"] }, B: { admin: "ada", members: ["ada", "bo"] } },
    circumstances: { hides: ["teams"], allows: ["unproven-absence:B"] },
    created: [],
    troubles: ["! unproven-absence: team acc-1/a", "! cannot-create-team: team acc-1/b"],
  },
};

describe("team-creation", () => {
  test.each(Object.entries(cases))("%s", (_sentence, { users, teams, world: change, circumstances, ...expected }) => {
    const world = aWorldOf({ accounts: ["acc-1", "acc-2"], users: { root: {} } });
    change?.(world);
    const plan = planFor(
      world,
      aRoster({
        users: Object.entries(users).map(([name, wish]) => aUser(name, wish)),
        teams: Object.entries(teams).map(([name, wish]) => aTeam(name, wish)),
      }),
      circumstances,
    );
    const creations = deeds({ ...plan, actions: plan.actions.filter(({ kind }) => kind === "create-user") });
    expect({
      created: creations.map((line) => line.replace(/create-user:(\w+)@acme\.example/gu, "$1")).sort(),
      troubles: troubles(plan),
    }).toEqual({ created: [...expected.created].sort(), troubles: expected.troubles ?? [] });
  });

  test("tells of teams that compete for too few new users with all of them, the places and what to add", () => {
    const world = aWorldOf({ users: { root: {} } });
    const users = [
      aUser("ada", { line: 1 }),
      aUser("bo", { line: 2 }),
      aUser("cy", { line: 3 }),
      aUser("root", { line: 4 }),
    ];
    const teams = [
      aTeam("A", { members: ["ada", "bo"], line: 10 }),
      aTeam("B", { members: ["ada", "bo", "root"], line: 20 }),
      aTeam("C", { members: ["bo"], line: 30 }),
      aTeam("D", { members: ["cy"], line: 40 }),
    ];
    const finding = planFor(world, aRoster({ users, teams })).findings.find(
      ({ subject }) => formatSubject(subject) === "team acc-1/c",
    );
    expect(finding).toEqual({
      accept: { code: "cannot-create-team:c#078cc8420dfe", until: "2026-12-20" },
      kind: "task",
      code: "cannot-create-team",
      fingerprint: finding?.fingerprint,
      subject: decodeSubject("team acc-1/c"),
      message:
        "roster cannot create C: a new team needs one newly created user of its account as its first member. " +
        "That user must have no `ownKeyRoles`. 3 teams (C, B and A) have only 2 such users: bo@acme.example " +
        "and ada@acme.example. Either create the team in the service and write its `identifier`, or add a " +
        "new user as its first member.",
      because: [
        reasonAt(at(30), "team", { name: "C" }),
        reasonAt(at(20), "team", { name: "B" }),
        reasonAt(at(10), "team", { name: "A" }),
        reasonAt(at(2), "user"),
        reasonAt(at(1), "user"),
      ],
      restsOn: [{ about: decodeSubject("team acc-1/c"), fact: { known: "observed", value: "absent", by: "list" } }],
      suggestedYaml:
        "account: acc-1\nusers:\n  - { email: NEW@EXAMPLE.ORG, firstName: FIRST, lastName: LAST }\nteams:\n  - name: C\n" +
        "    firstMember: NEW@EXAMPLE.ORG\n    members:\n      - { user: NEW@EXAMPLE.ORG }\n",
    });
  });

  test("names the people who wait with a team that is not proven absent", () => {
    const world = aWorldOf({ users: { root: {} } });
    const roster = aRoster({ users: [aUser("ada"), aUser("bo")], teams: [aTeam("A b", { members: ["ada", "bo"] })] });
    const { findings } = planFor(world, roster, { hides: ["teams"] });
    expect(findings.map(({ message }) => message.replace(/#[0-9a-f]{12}/u, "#DIGITS"))).toEqual([
      "roster cannot prove that the team A b is absent: the service does not show the teams of keys. If the " +
        "team exists, write its `identifier` into the roster. If you know that it does not, allow roster to " +
        "create it. Until then, roster does not create ada@acme.example and bo@acme.example. The team needs " +
        "a new user. To allow it: `--allow unproven-absence:a%20b#DIGITS`.",
    ]);
  });
});
