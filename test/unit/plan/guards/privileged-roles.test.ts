import { describe, expect, test } from "vitest";
import type { Policy } from "../../../../src/model/policy.ts";
import { withGuards } from "../../../support/guards.ts";
import { deeds, planFor, troubles } from "../../../support/plan-words.ts";
import { addressOf, aKey, aRoster, aTeam, aUser } from "../../../support/roster-builders.ts";
import { aWorld, giveTeamKey, putTeam, putUser } from "../../../support/simulated-world.ts";
import { remembering } from "../../../support/state-builders.ts";

const policy = withGuards({ privilegedRoles: { roles: ["ACCOUNT_ADMIN"], people: [addressOf("root")] } });

function scene(rolesOfBo: readonly string[] = ["DEVELOPER"]) {
  const world = aWorld();
  const [root, bo] = ["root", "bo"].map((name) => putUser(world, { email: `${name}@acme.example`, lastName: "Test" }));
  if (root === undefined || bo === undefined) throw new Error("nobody");
  putTeam(world, { name: "Red", identifier: "t-red", members: [root], roles: ["ACCOUNT_ADMIN"] });
  const { prefix } = giveTeamKey(world, bo, "t-red", rolesOfBo);
  return { world, prefix, bo };
}

const users = [aUser("root", { firstName: "Ada" }), aUser("bo", { firstName: "Ada" })];

function red(boRoles: readonly string[], more: readonly string[] = []) {
  return aTeam("Red", { members: ["root", { user: "bo", roles: boRoles }, ...more], roles: ["ACCOUNT_ADMIN"] });
}

test("nobody is given a privileged role on a key that is there, and the finding says on which", () => {
  const { world, prefix } = scene();
  const plan = planFor(world, aRoster({ users, teams: [red(["ACCOUNT_ADMIN", "AUDITOR"])] }), { policy });
  expect(deeds(plan)).toEqual([]);
  expect(troubles(plan)).toEqual(["! privileged-roles: user bo@acme.example"]);
  expect(plan.findings[0]?.message).toMatch(
    new RegExp(
      `^bo@acme\\.example would gain ACCOUNT_ADMIN on the key ${prefix} in Red\\. The guard holds this change by default\\. Remove the role from the roster, or list the user under \`guards\\.privileged-roles\\.people\` in the settings \\(in CI: outside the checkout\\)\\. To allow it: \`--allow privileged-roles:bo@acme.example#[0-9a-f]{12} --reason TEXT\`\\.$`,
      "u",
    ),
  );
});

describe("nothing is gained", () => {
  test.each([
    ["by whoever has the role on this key", ["ACCOUNT_ADMIN"], ["ACCOUNT_ADMIN", "AUDITOR"]],
    ["by roles that are not privileged", ["DEVELOPER"], ["AUDITOR"]],
    ["by losing the role", ["ACCOUNT_ADMIN"], ["AUDITOR"]],
  ])("%s", (_, has, wants) => {
    const { world } = scene(has);
    const plan = planFor(world, aRoster({ users, teams: [red(wants)] }), { policy });
    expect([deeds(plan).length, troubles(plan)]).toEqual([1, []]);
  });

  test("by whoever has the role on another key", () => {
    const { world, bo } = scene();
    const [own] = bo.keys;
    if (own !== undefined) own.roles = ["ACCOUNT_ADMIN"];
    expect(troubles(planFor(world, aRoster({ users, teams: [red(["ACCOUNT_ADMIN"])] }), { policy }))).toEqual([]);
  });

  test("by whoever was given the role by our last replacement, where the service shows no roles", () => {
    const { world, prefix } = scene();
    const roster = aRoster({
      users: users.slice(1),
      teams: [aTeam("Red", { open: true, members: [{ user: "bo", roles: ["ACCOUNT_ADMIN", "AUDITOR"] }] })],
    });
    const plan = planFor(world, roster, {
      policy,
      hides: ["roles"],
      state: remembering({ keys: { [prefix]: ["ACCOUNT_ADMIN"] } }),
    });
    expect(deeds(plan)).toHaveLength(1);
  });

  test("where the guard is off", () => {
    const { world } = scene();
    const roster = aRoster({ users, teams: [red(["ACCOUNT_ADMIN"])] });
    expect(deeds(planFor(world, roster, { policy: withGuards({}) }))).toHaveLength(1);
  });

  test("by people whom the settings list", () => {
    const { world } = scene();
    const listed = withGuards({ privilegedRoles: { roles: ["ACCOUNT_ADMIN"], people: [addressOf("bo")] } });
    const roster = aRoster({ users, teams: [red(["ACCOUNT_ADMIN"])] });
    expect(deeds(planFor(world, roster, { policy: listed }))).toHaveLength(1);
  });
});

test("a new member is added, and gets no privileged role", () => {
  const { world } = scene();
  const roster = aRoster({ users: [...users, aUser("cy")], teams: [red(["DEVELOPER"], ["cy"])] });
  const plan = planFor(world, roster, { policy });
  expect(deeds(plan)).toEqual(["create cy", "add cy to Red after create-user:cy@acme.example"]);
  expect(troubles(plan)).toEqual(["! privileged-roles: user cy@acme.example"]);
});

test("a first member creates without the role, and the others of the team are as they are to be", () => {
  const { world } = scene();
  const roster = aRoster({
    users: [aUser("cy"), aUser("dee")],
    teams: [
      aTeam("Blue", {
        admin: "cy",
        members: [
          { user: "cy", roles: ["ACCOUNT_ADMIN", "DEVELOPER"] },
          { user: "dee", roles: ["AUDITOR"] },
        ],
      }),
    ],
  });
  const plan = planFor(world, roster, { policy });
  expect(deeds(plan)).toEqual([
    "create cy creating Blue with DEVELOPER",
    "create dee after create-user:cy@acme.example",
    "add dee to Blue after create-user:cy@acme.example, create-user:dee@acme.example",
    "set key of dee in Blue to AUDITOR after add-members:acc-1/blue",
  ]);
  expect(troubles(plan)).toEqual(["! privileged-roles: user cy@acme.example"]);
  expect(plan.findings[0]?.message).toContain(
    "cy@acme.example would gain ACCOUNT_ADMIN when team Blue is created and on the team key in Blue. The " +
      "guard holds this change by default. Remove the role from the roster, or list the user under " +
      "`guards.privileged-roles.people` in the settings (in CI: outside the checkout). To allow it: `--allow " +
      "privileged-roles:cy@acme.example#",
  );
});

test("a first member who is to have nothing else creates with a harmless role", () => {
  const { world } = scene();
  const roster = aRoster({
    users: [aUser("cy")],
    teams: [aTeam("Blue", { members: ["cy"], roles: ["ACCOUNT_ADMIN"] })],
  });
  expect(deeds(planFor(world, roster, { policy }))).toEqual(["create cy creating Blue with TEAM_ROLE"]);
});

describe("where the settings call the default role privileged", () => {
  const roster = aRoster({
    users: [aUser("cy"), aUser("dee"), aUser("eli")],
    teams: [aTeam("Blue", { members: ["cy", "dee"] })],
  });
  function planned(policyInForce: Policy) {
    const world = aWorld({ roles: ["ACCOUNT_ADMIN", "TEAM_ROLE"] });
    putUser(world, { email: "root@acme.example" });
    return planFor(world, roster, { policy: { ...policyInForce, privilegedRoles: ["TEAM_ROLE"] } });
  }

  test("no team is created, its first member is kept for it, and everybody else is created", () => {
    const plan = planned(withGuards({ privilegedRoles: { roles: ["TEAM_ROLE"], people: [] } }));
    expect(deeds(plan)).toEqual(["create dee", "create eli"]);
    expect(troubles(plan)).toEqual(["! privileged-roles: user cy@acme.example"]);
    expect(plan.findings[0]?.message).toContain(
      "cy@acme.example would gain TEAM_ROLE when team Blue is created, for a short time. The guard " +
        "holds this change by default. Remove the role from the roster, or list the user under " +
        "`guards.privileged-roles.people` in the settings (in CI: outside the checkout). Until then, roster does not create " +
        "cy@acme.example. The team needs a new user. To allow it: `--allow " +
        "privileged-roles:cy@acme.example#",
    );
  });

  test("a first member whom the settings list creates it", () => {
    const listed = withGuards({ privilegedRoles: { roles: ["TEAM_ROLE"], people: [addressOf("cy")] } });
    expect(deeds(planned(listed))[0]).toBe("create cy creating Blue with TEAM_ROLE");
  });
});

test("a key of nobody known is told by its prefix", () => {
  const roster = aRoster({ keys: [aKey("p1", { roles: ["ACCOUNT_ADMIN"] })] });
  const plan = planFor(aWorld(), roster, { policy, everyone: { read: "not-read" } });
  expect(troubles(plan)).toEqual(["! privileged-roles: key p1"]);
});
