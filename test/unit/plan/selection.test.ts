import { describe, expect, test } from "vitest";
import { aPlanInput, aPolicy, refused, selector } from "../../support/plan-inputs.ts";
import { deeds, planFor, troubles } from "../../support/plan-words.ts";
import { aKey, aRoster, aTeam, aUser, type TeamWish, type UserWish } from "../../support/roster-builders.ts";
import { snapshotOf } from "../../support/simulated-snapshot.ts";
import { aWorld, putTeam, putUser } from "../../support/simulated-world.ts";

interface Case {
  readonly users: Readonly<Record<string, UserWish>>;
  readonly teams: Readonly<Record<string, TeamWish>>;
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
}

/** In every world there is root, with a different last name, and a team Old of root with other roles. */
function input({ users, teams, include = [], exclude = [] }: Case) {
  const world = aWorld();
  const root = putUser(world, { email: "root@acme.example", firstName: "Root", lastName: "Other" });
  putTeam(world, { name: "Old", identifier: "t-old", members: [root], roles: ["AUDITOR"] });
  const roster = aRoster({
    users: [aUser("root"), ...Object.entries(users).map(([name, wish]) => aUser(name, wish))],
    teams: Object.entries(teams).map(([name, wish]) => aTeam(name, wish)),
  });
  return { world, roster, policy: aPolicy({ include: include.map(selector), exclude: exclude.map(selector) }) };
}

const old: TeamWish = { members: ["root", "ada"], roles: ["DEVELOPER"] };

const cases: Readonly<Record<string, Case & { readonly plans: readonly string[] }>> = {
  "keeps everything where nothing is selected": {
    users: { ada: {} },
    teams: { Old: old },
    plans: [
      "add ada to Old after create-user:ada@acme.example",
      "create ada",
      "set k3 (observed) to DEVELOPER",
      "set key of ada in Old to DEVELOPER after add-members:acc-1/old",
      "! profile-differs: user root@acme.example",
    ],
  },
  "including a user keeps what is about them": {
    users: { ada: {} },
    teams: { Old: old },
    include: ["user:ada"],
    plans: [
      "add ada to Old after create-user:ada@acme.example",
      "create ada",
      "set key of ada in Old to DEVELOPER after add-members:acc-1/old",
    ],
  },
  "excluding a user drops what is about them": {
    users: { ada: {} },
    teams: { Old: old },
    exclude: ["user:root"],
    plans: [
      "add ada to Old after create-user:ada@acme.example",
      "create ada",
      "set key of ada in Old to DEVELOPER after add-members:acc-1/old",
    ],
  },
  "including a team keeps the creation of its members": {
    users: { ada: {}, bo: {} },
    teams: { Old: old },
    include: ["team:OLD"],
    plans: [
      "add ada to Old after create-user:ada@acme.example",
      "create ada",
      "set k3 (observed) to DEVELOPER",
      "set key of ada in Old to DEVELOPER after add-members:acc-1/old",
    ],
  },
  "excluding wins over including": {
    users: { ada: {} },
    teams: { Old: old },
    include: ["team:Old"],
    exclude: ["user:ada"],
    plans: ["set k3 (observed) to DEVELOPER"],
  },
  "excluding a team that is there keeps the creation of its members": {
    users: { ada: {} },
    teams: { Old: old },
    exclude: ["team:Old"],
    plans: ["create ada", "! profile-differs: user root@acme.example"],
  },
  "including a first member creates the team": {
    users: { ada: {}, bo: {} },
    teams: { New: { members: ["ada", "bo"] } },
    include: ["user:ada"],
    plans: [
      "create ada creating New with TEAM_ROLE",
      "set key of ada in New to TEAM_ROLE after create-user:ada@acme.example",
    ],
  },
  "including another new member creates them alone, where the first member is left for the team": {
    users: { ada: {}, bo: {} },
    teams: { New: { members: ["ada", "bo"] } },
    include: ["user:bo"],
    plans: ["create bo", "not-selected: additions to team acc-1/new"],
  },
  "excluding a first member leaves the team unfounded, and the first member for it": {
    users: { ada: {}, bo: {} },
    teams: { New: { members: ["ada", "bo", "root"] } },
    exclude: ["user:ada"],
    plans: ["create bo", "! profile-differs: user root@acme.example", "not-selected: additions to team acc-1/new"],
  },
  "a first member whose administrator is not selected waits": {
    users: { ada: {}, bo: { ownKeyRoles: [] } },
    teams: { New: { admin: "bo", members: ["ada", "bo"] } },
    include: ["user:ada"],
    plans: ["not-selected: team acc-1/new", "not-selected: additions to team acc-1/new"],
  },
  "including a team does not found another one with a member of it": {
    users: { ada: {} },
    teams: { Old: old, New: { members: ["ada"] } },
    include: ["team:Old"],
    plans: ["set k3 (observed) to DEVELOPER", "not-selected: additions to team acc-1/old"],
  },
  "excluding a new team and enough of its people is no harm": {
    users: { ada: {}, bo: {} },
    teams: { New: { members: ["ada", "bo"] } },
    exclude: ["team:New", "user:bo"],
    plans: ["create ada", "! profile-differs: user root@acme.example"],
  },
};

describe("a selection", () => {
  test.each(Object.entries(cases))("%s", (_sentence, { plans, ...rest }) => {
    const { world, roster, policy } = input(rest);
    const plan = planFor(world, roster, { policy });
    expect([...deeds(plan).toSorted(), ...troubles(plan)]).toEqual(plans);
  });

  const stranding: Readonly<Record<string, Case>> = {
    "excludes a new team and would create all of its new people": {
      users: { ada: {}, bo: {} },
      teams: { New: { members: ["ada", "bo"] } },
      exclude: ["team:New"],
    },
    "excludes one of two new teams that need each of their people": {
      users: { ada: {}, bo: {}, cy: {} },
      teams: { New: { members: ["ada", "bo"] }, Next: { members: ["ada", "bo"] } },
      exclude: ["team:New"],
    },
    "includes a first member and excludes the team, which has nobody else": {
      users: { ada: {} },
      teams: { New: { members: ["ada"] } },
      include: ["user:ada"],
      exclude: ["team:New"],
    },
  };

  test.each(Object.entries(stranding))("that %s is refused", (_sentence, situation) => {
    const { world, roster, policy } = input(situation);
    expect(refused({ roster, policy, snapshot: snapshotOf(world, { roster }) })).toEqual({
      code: "not-selected",
      message:
        "The selection creates the new users that New needs later: a new team needs one newly created user as " +
        "its first member",
      hint: "Select the team together with its users, or exclude one of its new users as well.",
    });
  });

  test.each(["user:nobody", "team:Nothing"])("of %s, whom the roster does not know, is refused", (written) => {
    const { world, roster } = input({ users: {}, teams: { Old: old } });
    const policy = aPolicy({ exclude: [selector(written)] });
    expect(refused({ roster, policy, snapshot: snapshotOf(world, { roster }) })).toMatchObject({
      code: "unknown-selector",
      message: expect.stringContaining(written),
    });
  });

  test("keeps findings about accounts, and drops keys of nobody selected", () => {
    const roster = aRoster({
      users: [aUser("ada"), aUser("bo", { account: "acc-9" })],
      keys: [aKey("k-1", { roles: [] }), aKey("k-2", { owner: "ada", roles: [] })],
    });
    const { snapshot } = aPlanInput({ roster });
    const policy = aPolicy({ include: [selector("user:ada")] });
    expect(troubles(planFor(aWorld(), roster, { policy, seen: () => snapshot }))).toEqual([
      "! account-unavailable: account acc-9",
      "! unknown-key: key k-2",
    ]);
  });
});
