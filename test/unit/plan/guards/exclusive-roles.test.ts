import { describe, expect, test } from "vitest";
import type { Finding } from "../../../../src/model/finding.ts";
import type { Plan } from "../../../../src/model/plan.ts";
import { membershipKeyOf, teamKeyOf } from "../../../../src/model/team.ts";
import { withGuards } from "../../../support/guards.ts";
import { aState } from "../../../support/plan-inputs.ts";
import { deeds, planFor, troubles } from "../../../support/plan-words.ts";
import { addressOf, aKey, aLeaver, aRoster, aTeam, aUser } from "../../../support/roster-builders.ts";
import { aWorld, giveTeamKey, putTeam, putUser } from "../../../support/simulated-world.ts";

const lists = [
  ["APPROVER", "PAYER"],
  ["AUDITOR", "BUILDER", "DEVELOPER"],
];
const policy = withGuards({ exclusiveRoles: lists });
const roles = ["TEAM_ROLE", "APPROVER", "PAYER", "AUDITOR", "BUILDER", "DEVELOPER", "ACCOUNT_ADMIN"];
const at = "2026-11-01T00:00:00.000Z";

/** Bo is in Red with these roles; Blue is there without Bo. */
function scene(inRed: readonly string[], inBlue?: readonly string[]) {
  const world = aWorld({ roles });
  const root = putUser(world, { email: "root@acme.example", lastName: "Test" });
  const bo = putUser(world, { email: "bo@acme.example", lastName: "Test" });
  putTeam(world, { name: "Red", identifier: "t-red", members: [root] });
  putTeam(world, { name: "Blue", identifier: "t-blue", members: [root] });
  const red = giveTeamKey(world, bo, "t-red", inRed).prefix;
  const blue = inBlue === undefined ? undefined : giveTeamKey(world, bo, "t-blue", inBlue).prefix;
  return { world, bo, red, blue };
}

const users = [aUser("root", { firstName: "Ada" }), aUser("bo", { firstName: "Ada" })];

function team(name: "Red" | "Blue", boRoles: readonly string[], line: number) {
  return aTeam(name, { members: ["root", { user: "bo", roles: boRoles }], line });
}

/** What Bo is to have in Red and, where given, in Blue. */
function rosterOf(inRed: readonly string[], inBlue?: readonly string[]) {
  return aRoster({ users, teams: [team("Red", inRed, 5), ...(inBlue === undefined ? [] : [team("Blue", inBlue, 9)])] });
}

function told({ findings }: Plan, code: Finding["code"]) {
  return findings
    .filter((finding) => finding.code === code)
    .map(({ message, because }) => ({
      says: message.replace(/@[0-9a-f]{16}/u, "@ID"),
      lines: because.map(({ line }) => line),
    }));
}

describe("a second role is held", () => {
  test("on a key that is there, with the person, both keys and both lines", () => {
    const { world, red, blue } = scene(["APPROVER"], ["TEAM_ROLE"]);
    const plan = planFor(world, rosterOf(["APPROVER"], ["PAYER"]), { policy });
    expect([deeds(plan), troubles(plan)]).toEqual([[], ["! exclusive-roles: user bo@acme.example"]]);
    expect(told(plan, "exclusive-roles")).toEqual([
      {
        says:
          `bo@acme.example would get PAYER on the key ${blue} in Blue, next to APPROVER on the key ${red} in Red. ` +
          "One person may have only one of APPROVER and PAYER. The guard holds this change. " +
          "Remove one of the roles from the roster. To allow it for this plan only: `--allow exclusive-roles@ID`.",
        lines: [9, 5],
      },
    ]);
  });

  test("on the key of a new member, who is added all the same", () => {
    const { world } = scene(["APPROVER"]);
    const plan = planFor(world, rosterOf(["APPROVER"], ["PAYER"]), { policy });
    expect([deeds(plan), troubles(plan)]).toEqual([["add bo to Blue"], ["! exclusive-roles: user bo@acme.example"]]);
  });

  test("where the same plan gives the first one, which is given", () => {
    const { world, red, blue } = scene([], []);
    const plan = planFor(world, rosterOf(["AUDITOR"], ["BUILDER"]), { policy });
    expect(deeds(plan)).toEqual([`set ${red} (observed) to AUDITOR`]);
    expect(told(plan, "exclusive-roles").map(({ says }) => says)).toEqual([
      expect.stringContaining(
        `would get BUILDER on the key ${blue} in Blue, next to AUDITOR on the key ${red} in Red. One person may have only one of AUDITOR, BUILDER and DEVELOPER.`,
      ),
    ]);
  });

  test("where one key would get both", () => {
    const { world, red } = scene([]);
    const plan = planFor(world, rosterOf(["APPROVER", "PAYER", "AUDITOR"]), { policy });
    expect(deeds(plan)).toEqual([]);
    expect(told(plan, "exclusive-roles")[0]?.says).toContain(
      `bo@acme.example would get APPROVER on the key ${red} in Red, next to PAYER on the same key. One person`,
    );
  });

  test("until the call is done that takes the first one from another key", () => {
    const { world, red, blue } = scene(["APPROVER"], []);
    const plan = planFor(world, rosterOf([], ["PAYER"]), { policy });
    expect(deeds(plan)).toEqual([`set ${red} (observed) to nothing`]);
    expect(told(plan, "exclusive-roles")[0]?.says).toContain(
      `would get PAYER on the key ${blue} in Blue, next to APPROVER on the key ${red} in Red. One person may have only one of APPROVER and PAYER. ` +
        `The guard holds this change. This plan removes APPROVER from the key ${red} in Red. After that, the next plan can give the other role.`,
    );
  });

  test("on a listed key", () => {
    const { world, bo } = scene(["APPROVER"]);
    const own = bo.keys[0]?.prefix ?? "";
    const keys = [aKey(own, { owner: "bo", roles: ["PAYER"] })];
    const plan = planFor(world, aRoster({ users, keys }), { policy });
    expect([deeds(plan), troubles(plan)]).toEqual([[], ["! exclusive-roles: user bo@acme.example"]]);
  });

  test("on a listed key, of which only the roster says whose it is", () => {
    const keys = [
      aKey("p1", { owner: "bo", roles: ["APPROVER"] }),
      aKey("p2", { owner: "bo", roles: ["PAYER"] }),
      aKey("p3", { owner: "root", roles: ["PAYER"] }),
    ];
    const plan = planFor(aWorld({ roles }), aRoster({ keys }), { policy, everyone: { read: "not-read" } });
    expect(deeds(plan)).toEqual(["set p1 (declared) to APPROVER", "set p3 (declared) to PAYER"]);
    expect(troubles(plan)).toEqual(["! exclusive-roles: user bo@acme.example"]);
  });

  test("where our last replacement gave the first one, and the service shows no keys", () => {
    const { world, red, blue } = scene(["APPROVER"], ["TEAM_ROLE"]);
    const places = [
      { name: "Red", prefix: red },
      { name: "Blue", prefix: blue ?? "" },
    ];
    const memberships = new Map(
      places.map(({ name, prefix }) => {
        const place = { team: teamKeyOf("acc-1", name), address: addressOf("bo") };
        return [membershipKeyOf(place.team, place.address), { ...place, how: "added", at, prefix } as const];
      }),
    );
    const teams = new Map(
      places.map(({ name }) => {
        const key = teamKeyOf("acc-1", name);
        return [key, { team: key, name, account: "acc-1", identifier: `t-${name.toLowerCase()}`, at }];
      }),
    );
    const keys = new Map([[red, { prefix: red, put: ["APPROVER"], at }]]);
    const open = rosterOf(["APPROVER"], ["PAYER"]);
    const roster = {
      ...open,
      teams: open.teams.map((one) => ({ ...one, open: true, members: one.members.slice(1) })),
    };
    const plan = planFor(world, roster, { policy, hides: ["keys"], state: aState({ memberships, teams, keys }) });
    expect(deeds(plan)).toEqual([]);
    expect(troubles(plan)).toContain("! exclusive-roles: user bo@acme.example");
  });

  test("under a former address of the same person", () => {
    const { world, bo } = scene(["APPROVER"]);
    const own = bo.keys[0]?.prefix ?? "";
    const roster = aRoster({
      users: [aUser("bob", { previously: ["bo"] })],
      keys: [aKey(own, { roles: ["PAYER"] })],
    });
    const plan = planFor(world, roster, { policy });
    expect(deeds(plan)).toEqual([]);
    expect(troubles(plan)).toContain("! exclusive-roles: user bob@acme.example");
  });

  test("from a founder, who founds without both", () => {
    const roster = aRoster({
      users: [aUser("cy")],
      teams: [aTeam("Green", { members: ["cy"], roles: ["APPROVER", "PAYER"] })],
    });
    const world = aWorld({ roles });
    putUser(world, { email: "root@acme.example" });
    const plan = planFor(world, roster, { policy });
    expect([deeds(plan), troubles(plan)]).toEqual([
      ["create cy founding Green with TEAM_ROLE"],
      ["! exclusive-roles: user cy@acme.example"],
    ]);
  });
});

describe("nothing is held", () => {
  test.each([
    ["where another person has the other role", ["TEAM_ROLE"], [], ["PAYER"]],
    ["where a key has one role in place of another", ["APPROVER"], undefined, undefined],
    ["where the roles are of different lists", ["APPROVER"], [], ["AUDITOR"]],
    ["where two keys have the same role", ["PAYER"], [], ["PAYER"]],
  ])("%s", (_, has, inBlue, wantsInBlue) => {
    const { world } = scene(has, inBlue);
    const wants = wantsInBlue === undefined ? ["PAYER"] : has;
    const plan = planFor(world, rosterOf(wants, wantsInBlue), { policy });
    expect([deeds(plan).length, troubles(plan)]).toEqual([1, []]);
  });

  test("where the guard is off", () => {
    const { world } = scene(["APPROVER"], []);
    expect(deeds(planFor(world, rosterOf(["APPROVER"], ["PAYER"]), { policy: withGuards({}) }))).toHaveLength(1);
  });

  test("where a person allows it; then the finding says what the plan leads to", () => {
    const { world, red, blue } = scene(["APPROVER"], []);
    const plan = planFor(world, rosterOf(["APPROVER"], ["PAYER"]), { policy, allows: ["exclusive-roles"] });
    expect([deeds(plan), troubles(plan)]).toEqual([
      [`set ${blue} (observed) to PAYER`],
      ["! exclusive-roles-held: user bo@acme.example"],
    ]);
    expect(told(plan, "exclusive-roles-held")[0]?.says).toContain(
      `bo@acme.example will have APPROVER on the key ${red} in Red and PAYER on the key ${blue} in Blue.`,
    );
  });
});

describe("both roles are held already", () => {
  test("the finding blocks, with the person, both keys and both lines", () => {
    const { world, red, blue } = scene(["APPROVER"], ["PAYER"]);
    const plan = planFor(world, rosterOf(["APPROVER"], ["PAYER"]), { policy });
    expect([deeds(plan), troubles(plan)]).toEqual([[], ["! exclusive-roles-held: user bo@acme.example"]]);
    expect(told(plan, "exclusive-roles-held")).toEqual([
      {
        says:
          `bo@acme.example has APPROVER on the key ${red} in Red and PAYER on the key ${blue} in Blue. ` +
          "One person may have only one of APPROVER and PAYER. " +
          "Remove a role from the roster. If roster does not manage the key, remove the role in the service.",
        lines: [5, 9],
      },
    ]);
  });

  test("by somebody whom the roster does not name", () => {
    const { world } = scene(["APPROVER"], ["PAYER"]);
    expect(troubles(planFor(world, aRoster({}), { policy }))).toEqual(["! exclusive-roles-held: user bo@acme.example"]);
  });

  test.each([
    ["the plan ends it", rosterOf(["APPROVER"], [])],
    ["the person is a leaver", aRoster({ leavers: [aLeaver("bo")] })],
  ])("not where %s", (_, roster) => {
    const { world } = scene(["APPROVER"], ["PAYER"]);
    expect(troubles(planFor(world, roster, { policy })).filter((one) => one.includes("exclusive"))).toEqual([]);
  });

  test.each([
    ["the person is deleted", "deleted", "active"],
    ["one of the keys is deleted", "active", "deleted"],
  ])("not where %s", (_, status, keyStatus) => {
    const { world, bo } = scene(["APPROVER"], ["PAYER"]);
    bo.status = status;
    for (const key of bo.keys.slice(1, 2)) key.status = keyStatus;
    expect(troubles(planFor(world, aRoster({}), { policy }))).toEqual([]);
  });

  test("by a barred person, who may come back", () => {
    const { world, bo } = scene(["APPROVER"], ["PAYER"]);
    bo.status = "disabled";
    expect(troubles(planFor(world, aRoster({}), { policy }))).toEqual(["! exclusive-roles-held: user bo@acme.example"]);
  });
});

test.each(["keys", "roles"] as const)("that the service hides %s is said", (hidden) => {
  const { world } = scene(["APPROVER"], ["PAYER"]);
  const plan = planFor(world, aRoster({}), { policy, hides: [hidden] });
  expect(plan.findings.map(({ code, blocking, message }) => [code, blocking, message])).toEqual([
    [
      "limited-roles-unknown",
      false,
      "roster could not check `guards.exclusive-roles` completely. The service does not show all roles of 2 users: " +
        "bo@acme.example and root@acme.example. Check these roles in the service.",
    ],
  ]);
});
