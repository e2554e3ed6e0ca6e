import { describe, expect, test } from "vitest";
import { observed, reasonAt } from "../../../../src/model/fact.ts";
import type { ObservedRole } from "../../../../src/model/snapshot.ts";
import { decodeSubject } from "../../../../src/model/subject.ts";
import { type Circumstances, deeds, planFor, troubles } from "../../../support/plan-words.ts";
import { addressOf, aKey, aRoster, aTeam, at, aUser } from "../../../support/roster-builders.ts";
import { aWorld, aWorldOf, giveTeamKey, newKey, putTeam, putUser } from "../../../support/simulated-world.ts";

const roles: readonly ObservedRole[] = [
  { identifier: "DEVELOPER", type: "user" },
  { identifier: "TEAM_ROLE", type: "user" },
  { identifier: "PROJECT", type: "user" },
  { identifier: "SYSTEM_OWNER", type: "System" },
];

/** ada's own key k2, her key k-team in Data and her project key k-project; roles as the service tells them. */
function planned(
  wants: { readonly own?: readonly string[]; readonly team?: readonly string[]; readonly project?: readonly string[] },
  offered: readonly ObservedRole[] = roles,
  teamKeyHas: readonly string[] = ["TEAM_ROLE"],
) {
  const world = aWorld();
  const ada = putUser(world, { email: "ada@acme.example", lastName: "Test" });
  putTeam(world, { name: "Data", identifier: "t-1" });
  giveTeamKey(world, ada, "t-1", teamKeyHas);
  ada.keys.push({ ...newKey(world, { kind: "project", roles: [], isDefault: false }), prefix: "k-project" });
  const roster = aRoster({
    users: [aUser("ada", { line: 2, ownKeyRoles: wants.own })],
    teams: [aTeam("Data", { members: ["ada"], line: 5, roles: wants.team })],
    keys: wants.project === undefined ? [] : [aKey("k-project", { roles: wants.project, line: 9 })],
  });
  const plan = planFor(world, roster, {
    seen: (snapshot) => ({ ...snapshot, roles: observed(offered, "roles") }),
  });
  return { deeds: deeds(plan), troubles: troubles(plan), findings: plan.findings };
}

describe("a role that does not fit a key", () => {
  test("is told once, with every place, and only what uses it is withheld", () => {
    const { findings, ...plan } = planned({ own: ["PROJECT"], team: ["DEVELOPER", "PROJECT"], project: ["PROJECT"] });
    expect(plan).toEqual({
      deeds: ["set k-project (observed) to PROJECT"],
      troubles: ["! unknown-role: role PROJECT"],
    });
    expect(findings[0]).toMatchObject({
      because: [
        reasonAt(at(2), "own-key-roles"),
        reasonAt(at(2), "user"),
        reasonAt(at(5), "member", { person: addressOf("ada") }),
      ],
      message:
        "The service does not offer the role PROJECT for a user's own key and a team key, but roster.yaml:2:3 " +
        "has it there. roster does not change these keys. Remove the role there, or list a key of the right " +
        "kind under `keys`.",
      restsOn: [
        { about: decodeSubject("role PROJECT"), fact: observed("not for a user's own key and a team key", "roles") },
      ],
    });
  });

  test("is one of the type system on a team key, and not on others", () => {
    const { findings: _, ...plan } = planned({ own: ["SYSTEM_OWNER"], team: ["SYSTEM_OWNER"] });
    expect(plan).toEqual({
      deeds: ["set k2 (observed) to SYSTEM_OWNER"],
      troubles: ["! unknown-role: role SYSTEM_OWNER"],
    });
  });

  test.each([
    ["every role has the type", roles.map((role) => ({ ...role, type: "system" })), ["TEAM_ROLE"]],
    ["a team key is shown with it", roles, ["SYSTEM_OWNER"]],
    ["the service tells no types", roles.map(({ identifier }) => ({ identifier })), ["TEAM_ROLE"]],
  ])("is none of the type system where %s", (_, offered, has) => {
    expect(planned({ team: ["DEVELOPER", "SYSTEM_OWNER"] }, offered, has)).toMatchObject({
      deeds: ["set k3 (observed) to DEVELOPER+SYSTEM_OWNER"],
      troubles: [],
    });
  });

  test("is never sent for a first member's key", () => {
    const roster = aRoster({
      users: [aUser("bo")],
      teams: [aTeam("New", { members: ["bo"], roles: ["PROJECT", "DEVELOPER"] })],
    });
    const world = aWorldOf({ users: { root: {} } });
    const circumstances: Circumstances = { seen: (snapshot) => ({ ...snapshot, roles: observed(roles, "roles") }) };
    expect(deeds(planFor(world, roster, circumstances))).toContain("create bo creating New with DEVELOPER");
  });
});

test("a role in the wrong letter case is told with the exact one", () => {
  const { findings, ...plan } = planned({ team: ["developer"] });
  expect(plan).toEqual({ deeds: [], troubles: ["! unknown-role: role developer"] });
  expect(findings[0]?.message).toContain("Did you mean DEVELOPER?");
});

test("a role that the service does not know rests on the read of the roles", () => {
  expect(planned({ team: ["DEVELOPR"] }).findings).toMatchObject([
    {
      code: "unknown-role",
      restsOn: [{ about: decodeSubject("role DEVELOPR"), fact: observed("not offered", "roles") }],
    },
  ]);
});
