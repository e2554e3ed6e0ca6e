import { describe, expect, test } from "vitest";
import type { Policy } from "../../../../src/model/policy.ts";
import { withGuards } from "../../../support/guards.ts";
import { type Circumstances, deeds, outcome, planFor } from "../../../support/plan-words.ts";
import { addressOf, aKey, aRoster, aTeam, aUser, type TeamWish } from "../../../support/roster-builders.ts";
import { aWorld, aWorldOf, giveTeamKey, worldUser } from "../../../support/simulated-world.ts";
import { remembering } from "../../../support/state-builders.ts";

const privileging = (...people: readonly string[]) =>
  withGuards({ privilegedRoles: { roles: ["ACCOUNT_ADMIN"], people: people.map(addressOf) } });
const policy = privileging("root");

/** Root leads Red, and bo is in it with the key k6, which has these roles. */
function redWith(rolesOfBo: readonly string[] = ["DEVELOPER"]) {
  const world = aWorldOf({
    users: { root: {}, bo: {} },
    teams: { Red: { identifier: "t-red", members: ["root"], roles: ["ACCOUNT_ADMIN"] } },
  });
  giveTeamKey(world, worldUser(world, "bo"), "t-red", rolesOfBo);
  return world;
}

const users = [aUser("root"), aUser("bo")];

function red(boRoles: readonly string[], more: readonly string[] = []) {
  return aTeam("Red", { members: ["root", { user: "bo", roles: boRoles }, ...more], roles: ["ACCOUNT_ADMIN"] });
}

const wanted = (...boRoles: readonly string[]) => aRoster({ users, teams: [red(boRoles)] });

test("nobody is given a privileged role on a key that is there, and the finding says on which", () => {
  const plan = planFor(redWith(), wanted("ACCOUNT_ADMIN", "AUDITOR"), { policy });
  expect(outcome(plan)).toEqual(["! privileged-roles: user bo@acme.example"]);
  expect(plan.findings[0]?.message.replace(/#[0-9a-f]{12}/u, "#DIGITS")).toBe(
    "bo@acme.example would gain ACCOUNT_ADMIN on the key k6 in Red. The guard holds this change by default. Remove the " +
      "role from the roster, or list the user under `guards.privileged-roles.people` in the settings (in CI: outside " +
      "the checkout). To allow it: `--allow privileged-roles:bo@acme.example#DIGITS --reason TEXT`.",
  );
});

describe("nothing is gained", () => {
  const hidden = { hides: ["roles"], state: remembering({ keys: { k6: ["ACCOUNT_ADMIN"] } }) } as const;
  const openRed = aTeam("Red", { open: true, members: [{ user: "bo", roles: ["ACCOUNT_ADMIN", "AUDITOR"] }] });
  const withOwnKey = redWith();
  for (const key of worldUser(withOwnKey, "bo").keys.slice(0, 1)) key.roles = ["ACCOUNT_ADMIN"];

  test.each<[string, ReturnType<typeof redWith>, ReturnType<typeof aRoster>, Circumstances?]>([
    ["by whoever has the role on this key", redWith(["ACCOUNT_ADMIN"]), wanted("ACCOUNT_ADMIN", "AUDITOR")],
    ["by roles that are not privileged", redWith(), wanted("AUDITOR")],
    ["by losing the role", redWith(["ACCOUNT_ADMIN"]), wanted("AUDITOR")],
    ["by whoever has the role on another key", withOwnKey, wanted("ACCOUNT_ADMIN")],
    [
      "by whoever was given the role by our last replacement, where the service shows no roles",
      redWith(),
      aRoster({ users: users.slice(1), teams: [openRed] }),
      hidden,
    ],
    ["where the guard is off", redWith(), wanted("ACCOUNT_ADMIN"), { policy: withGuards({}) }],
    ["by people whom the settings list", redWith(), wanted("ACCOUNT_ADMIN"), { policy: privileging("bo") }],
  ])("%s", (_, world, roster, circumstances) => {
    const plan = planFor(world, roster, { policy, ...circumstances });
    expect(outcome(plan)).toEqual([expect.stringMatching(/^set k6 \(observed\) to /u)]);
  });
});

test("a new member is added, and gets no privileged role", () => {
  const roster = aRoster({ users: [...users, aUser("cy")], teams: [red(["DEVELOPER"], ["cy"])] });
  expect(outcome(planFor(redWith(), roster, { policy }))).toEqual([
    "create cy",
    "add cy to Red after create-user:cy@acme.example",
    "! privileged-roles: user cy@acme.example",
  ]);
});

describe("a first member", () => {
  const blue = (names: readonly string[], team: TeamWish) =>
    aRoster({ users: names.map((name) => aUser(name)), teams: [aTeam("Blue", team)] });

  test("creates without the role, and the others of the team are as they are to be", () => {
    const members = [
      { user: "cy", roles: ["ACCOUNT_ADMIN", "DEVELOPER"] },
      { user: "dee", roles: ["AUDITOR"] },
    ];
    const plan = planFor(redWith(), blue(["cy", "dee"], { admin: "cy", members }), { policy });
    expect(outcome(plan)).toEqual([
      "create cy creating Blue with DEVELOPER",
      "create dee after create-user:cy@acme.example",
      "add dee to Blue after create-user:cy@acme.example, create-user:dee@acme.example",
      "set key of dee in Blue to AUDITOR after add-members:acc-1/blue",
      "! privileged-roles: user cy@acme.example",
    ]);
    expect(plan.findings[0]?.message).toContain(
      "cy@acme.example would gain ACCOUNT_ADMIN when team Blue is created and on the team key in Blue. The " +
        "guard holds this change by default. Remove the role from the roster, or list the user under " +
        "`guards.privileged-roles.people` in the settings (in CI: outside the checkout). To allow it: `--allow " +
        "privileged-roles:cy@acme.example#",
    );
  });

  test("who is to have nothing else creates with a harmless role", () => {
    const roster = blue(["cy"], { members: ["cy"], roles: ["ACCOUNT_ADMIN"] });
    expect(deeds(planFor(redWith(), roster, { policy }))).toEqual(["create cy creating Blue with TEAM_ROLE"]);
  });

  describe("where the settings call the default role privileged", () => {
    const planned = (people: readonly string[]) => {
      const world = aWorldOf({ roles: ["ACCOUNT_ADMIN", "TEAM_ROLE"], users: { root: {} } });
      const guards = { privilegedRoles: { roles: ["TEAM_ROLE"], people: people.map(addressOf) } };
      const inForce: Policy = withGuards(guards, { privilegedRoles: ["TEAM_ROLE"] });
      return planFor(world, blue(["cy", "dee", "eli"], { members: ["cy", "dee"] }), { policy: inForce });
    };

    test("creates no team and is kept for it, and everybody else is created", () => {
      const plan = planned([]);
      expect(outcome(plan)).toEqual(["create dee", "create eli", "! privileged-roles: user cy@acme.example"]);
      expect(plan.findings[0]?.message).toContain(
        "cy@acme.example would gain TEAM_ROLE when team Blue is created, for a short time. The guard " +
          "holds this change by default. Remove the role from the roster, or list the user under " +
          "`guards.privileged-roles.people` in the settings (in CI: outside the checkout). Until then, roster does not create " +
          "cy@acme.example. The team needs a new user. To allow it: `--allow " +
          "privileged-roles:cy@acme.example#",
      );
    });

    test("creates it where the settings list them", () => {
      expect(deeds(planned(["cy"]))[0]).toBe("create cy creating Blue with TEAM_ROLE");
    });
  });
});

test("a key of nobody known is told by its prefix", () => {
  const roster = aRoster({ keys: [aKey("p1", { roles: ["ACCOUNT_ADMIN"] })] });
  const plan = planFor(aWorld(), roster, { policy, everyone: { read: "not-read" } });
  expect(outcome(plan)).toEqual(["! privileged-roles: key p1"]);
});
