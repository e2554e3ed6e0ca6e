import { describe, expect, test } from "vitest";
import { formatSubject } from "../../../../src/model/subject.ts";
import { teamKeyOf } from "../../../../src/model/team.ts";
import { withGuards } from "../../../support/guards.ts";
import { deeds, planFor, troubles } from "../../../support/plan-words.ts";
import { aRoster, aTeam, aUser, type TeamWish } from "../../../support/roster-builders.ts";
import { aWorld, putTeam, putUser } from "../../../support/simulated-world.ts";
import { recordedAt, remembering } from "../../../support/state-builders.ts";

const policy = withGuards({});

/** `names` are there, and in the team Data as far as the state remembers. */
function remembered(names: readonly string[], identifier?: string) {
  const members = Object.fromEntries(names.map((name) => [`Data/${name}`, {}]));
  return remembering({ teams: { Data: { identifier } }, members });
}

function worldOf(names: readonly string[]) {
  const world = aWorld();
  const users = names.map((name) =>
    putUser(world, { email: `${name}@acme.example`, firstName: name, lastName: "Test" }),
  );
  return { world, users };
}

const there = ["ada", "bo", "cy"];

function roster(members: readonly string[], wish: TeamWish = {}) {
  const everybody = [...new Set([...there, ...members])];
  return aRoster({
    users: everybody.map((name) => aUser(name, { firstName: name })),
    teams: [aTeam("Data Science", { members, ...wish })],
  });
}

describe("a team is held", () => {
  test("whose members are mostly those of a recorded team that is in the roster no more", () => {
    const plan = planFor(worldOf(there).world, roster(["ada", "bo", "new", "other"]), {
      policy,
      state: remembered(there, "t-42"),
    });
    expect(deeds(plan)).toEqual(["create other"]);
    const [finding] = plan.findings;
    expect([finding?.code, finding && formatSubject(finding.subject), finding?.suggestedYaml]).toEqual([
      "renamed-team",
      "team acc-1/data science",
      "teams:\n  - name: Data Science\n    previously: [Data] # or identifier: t-42\n",
    ]);
    expect(finding?.message).toMatch(
      /^Data Science is not created: most of its members are in Data \(2 of 4\), which the roster no longer names\. If the team was only renamed, write `previously` or its `identifier`\. roster then uses the existing team\. Until then, roster does not create new@acme\.example\. The team needs a new user\. To allow it: `--allow renamed-team:data%20science#[0-9a-f]{12}`\.$/u,
    );
  });

  test("whose members are mostly those of a team that the service shows, and the other way round", () => {
    const { world, users } = worldOf(there);
    putTeam(world, { name: "Data", identifier: "t-42", members: users });
    expect(troubles(planFor(world, roster(["ada", "bo", "new"]), { policy }))).toEqual([
      "! renamed-team: team acc-1/data science",
    ]);
  });
});

describe("a team that was met, and never had a member added by us, is held", () => {
  test.each([
    ["by its identifier, under whatever name", "t-42", "Data of old"],
    ["by its name", undefined, "Data"],
  ])("%s", (_, identifier, shownName) => {
    const { world, users } = worldOf([...there, "d", "e", "f", "g"]);
    putTeam(world, { name: shownName, identifier: "t-42", members: users });
    const plan = planFor(world, roster(["ada", "bo", "new"]), { policy, state: remembered([], identifier) });
    expect(troubles(plan)).toEqual(["! renamed-team: team acc-1/data science"]);
  });
});

test("a team is held although the service does not show to which account its members belong", () => {
  const { world, users } = worldOf(there);
  putTeam(world, { name: "Data", identifier: "t-42", members: users });
  const wish = { policy, hides: ["account-members", "user-accounts"] } as const;
  expect(troubles(planFor(world, roster(["ada", "bo", "new"]), wish))).toEqual([
    "! renamed-team: team acc-1/data science",
  ]);
});

test.each([
  ["shows", remembered([])],
  ["has, and that the state remembers", remembered(there, "t-42")],
])("a team is held whose members are known by the former addresses that the service %s", (_, state) => {
  const { world, users } = worldOf(there);
  putTeam(world, { name: "Data", identifier: "t-42", members: users });
  const moved = there.map((name) => aUser(`${name}.new`, { firstName: name, previously: [`${name}@acme.example`] }));
  const wanted = aRoster({
    users: [...moved, aUser("new")],
    teams: [aTeam("Data Science", { members: [...there.map((name) => `${name}.new`), "new"] })],
  });
  const plan = planFor(world, wanted, { policy, state });
  expect({ deeds: deeds(plan), first: troubles(plan)[0] }).toEqual({
    deeds: [],
    first: "! renamed-team: team acc-1/data science",
  });
});

describe("a team is created", () => {
  test.each([
    ["of whose members only one was in the other team", ["ada", "new"]],
    ["of whose members less than half were in the other team", ["ada", "bo", "new", "newer", "newest"]],
  ])("%s", (_, members) => {
    const plan = planFor(worldOf(there).world, roster(members), { policy, state: remembered(there) });
    expect(deeds(plan)[0]).toBe("create new creating Data Science with TEAM_ROLE");
  });

  test("whose members are few of those of a team that only the service shows", () => {
    const { world, users } = worldOf([...there, "d", "e"]);
    putTeam(world, { name: "Everybody", identifier: "t-1", members: users });
    const plan = planFor(world, roster(["ada", "bo", "new"]), { policy });
    expect(deeds(plan)[0]).toBe("create new creating Data Science with TEAM_ROLE");
  });

  test("beside a team that is still in the roster", () => {
    const { world, users } = worldOf(there);
    putTeam(world, { name: "Data", identifier: "t-42", members: users });
    const both = roster(["ada", "bo", "new"]);
    const kept = aRoster({
      users: [...both.users.values()],
      teams: [...both.teams, aTeam("Data", { members: there })],
    });
    expect(deeds(planFor(world, kept, { policy, state: remembered(there) }))[0]).toBe(
      "create new creating Data Science with TEAM_ROLE",
    );
  });

  test("where the members were in a team of another account", () => {
    const world = aWorld({ accounts: ["acc-1", "acc-2"] });
    for (const name of there) putUser(world, { email: `${name}@acme.example`, firstName: name, lastName: "Test" });
    const team = teamKeyOf("acc-2", "Data");
    const record = { team, name: "Data", account: "acc-2", at: recordedAt };
    const state = { ...remembered(there), teams: new Map([[team, record]]) };
    const plan = planFor(world, roster(["ada", "bo", "new"]), { policy, state });
    expect(deeds(plan)[0]).toBe("create new creating Data Science with TEAM_ROLE");
  });
});

test("a team that nobody can found is told to be perhaps there under another name, before it is made by hand", () => {
  const { world, users } = worldOf(there);
  putTeam(world, { name: "Data", identifier: "t-42", members: users });
  const [finding] = planFor(world, roster(there), { policy, state: remembered(there, "t-42") }).findings;
  expect(finding).toMatchObject({
    code: "cannot-create-team",
    message:
      "Data Science may exist under another name: most of its members are in Data (3 of 3), which the " +
      "roster no longer names. If the team was only renamed, write `previously` or its `identifier`. " +
      "roster then uses the existing team. If it is new: roster cannot create Data Science: a new team " +
      "needs one newly created user of its account as its first member. That user must have no " +
      "`ownKeyRoles`. All its members already exist. Either create the team in the service and write " +
      "its `identifier`, or add a new user as its first member.",
    suggestedYaml: "teams:\n  - name: Data Science\n    previously: [Data] # or identifier: t-42\n",
  });
});

test("a team that is known by its former name is used as it is, and held by nothing", () => {
  const plan = planFor(worldOf(there).world, roster(["ada", "bo"], { previously: ["Data"] }), {
    policy,
    state: remembered(there, "t-42"),
    hides: ["keys"],
  });
  expect(plan.findings.map(({ code }) => code)).not.toContain("renamed-team");
});
