import { expect, test } from "vitest";
import { reasonAt } from "../../../../src/model/fact.ts";
import { decodeSubject } from "../../../../src/model/subject.ts";
import { planFor, troubles } from "../../../support/plan-words.ts";
import { addressOf, aKey, aRoster, aTeam, at, aUser, emailOf } from "../../../support/roster-builders.ts";
import { aWorld, putTeam, putUser } from "../../../support/simulated-world.ts";
import { remembering } from "../../../support/state-builders.ts";

interface Scene {
  readonly ownRoles?: readonly string[];
  readonly teamRoles?: readonly string[];
  readonly ownKeyRoles?: readonly string[];
  readonly roles?: readonly string[];
  readonly put?: readonly string[];
  readonly listed?: readonly string[];
}

/** Ada was a leaver whose keys were emptied, and is a user and a member of Data again. */
function comeBack(scene: Scene = {}) {
  const { ownRoles = [], teamRoles = [], ownKeyRoles, roles, put = [], listed } = scene;
  const world = aWorld();
  const ada = putUser(world, { email: emailOf("ada"), lastName: "Test" });
  putTeam(world, { name: "Data", identifier: "t-1", members: [ada], roles: teamRoles });
  const [own, inTeam] = ada.keys;
  if (own === undefined || inTeam === undefined) throw new Error("no keys");
  own.roles = ownRoles;
  const records = Object.fromEntries(ada.keys.map(({ prefix }) => [prefix, put]));
  const keys = listed === undefined ? [] : [aKey(own.prefix, { roles: listed })];
  const roster = aRoster({
    users: [aUser("ada", { line: 4, ownKeyRoles })],
    teams: [aTeam("Data", { identifier: "t-1", members: ["ada"], line: 9, roles })],
    keys,
  });
  return {
    plan: planFor(world, roster, { state: remembering({ keys: records }) }),
    own: own.prefix,
    team: inTeam.prefix,
  };
}

test("a key that an earlier run emptied, and whose roles the roster does not say, is told with what to write", () => {
  const { plan, own, team } = comeBack();
  expect(plan.actions).toEqual([]);
  expect(plan.findings).toMatchObject([
    {
      code: "key-without-roles",
      kind: "notice",
      subject: decodeSubject(`key ${own}`),
      message:
        `${own} (the own key of ada@acme.example) has no roles. An earlier run removed them all ` +
        "(2026-11-01T00:00:00.000Z), and the roster gives none now. Write `ownKeyRoles` of the user. Write " +
        "`[]` for no roles.",
      because: [reasonAt(at(4), "user")],
      restsOn: [
        {
          about: decodeSubject(`roles of key ${own}`),
          fact: { known: "recorded", value: "no roles", at: "2026-11-01T00:00:00.000Z" },
        },
      ],
      suggestedYaml: "users:\n  - email: ada@acme.example\n    ownKeyRoles: [ROLE]\n",
    },
    {
      code: "key-without-roles",
      subject: decodeSubject(`key ${team}`),
      message: expect.stringContaining(
        "k3 (the key of ada@acme.example in team Data) has no roles. An earlier run removed them all " +
          "(2026-11-01T00:00:00.000Z), and the roster gives none now. Write `roles` of the member or of the " +
          "team. Write `[]` for no roles.",
      ),
      because: [reasonAt(at(9), "member", { person: addressOf("ada") })],
      suggestedYaml: "teams:\n  - name: Data\n    members:\n      - { user: ada@acme.example, roles: [ROLE] }\n",
    },
  ]);
});

test.each<[string, Scene]>([
  ["the roster says that they have none", { ownKeyRoles: [], roles: [] }],
  ["the roster says which roles they have", { ownKeyRoles: ["TEAM_ROLE"], roles: ["DEVELOPER"] }],
  ["the list of keys and the team do", { listed: [], roles: [] }],
  ["somebody gave them roles since", { ownRoles: ["AUDITOR"], teamRoles: ["AUDITOR"] }],
  ["what the last run put on them was not nothing", { put: ["AUDITOR"] }],
])("nothing is told where %s", (_, scene) => {
  expect(troubles(comeBack(scene).plan)).toEqual([]);
});
