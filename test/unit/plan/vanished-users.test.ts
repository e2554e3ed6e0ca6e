import { expect, test } from "vitest";
import { unknown } from "../../../src/model/fact.ts";
import { decodeSubject, formatSubject } from "../../../src/model/subject.ts";
import { planFor } from "../../support/plan-words.ts";
import { addressOf, aRoster, aTeam, aUser, emailOf } from "../../support/roster-builders.ts";
import { aWorld, aWorldOf, putTeam, putUser } from "../../support/simulated-world.ts";
import { remembering } from "../../support/state-builders.ts";

const seenAt = "2026-11-01T00:00:00.000Z";

const absent = {
  about: decodeSubject("user bo@acme.example"),
  fact: { known: "observed", value: "absent", by: "list" },
};
const here = {
  about: decodeSubject("user bo@acme.example"),
  fact: { known: "recorded", value: "present", at: seenAt },
};
const word = {
  about: decodeSubject("user bo@acme.example"),
  fact: unknown("you allowed a second creation"),
};

/** Ada is there, bo was created and is gone, unless it says otherwise. */
function creationOfBo(scene: { readonly teams?: readonly string[]; readonly gone?: boolean; readonly word?: boolean }) {
  const world = aWorldOf({ users: { ada: { identifier: "u-ada" } } });
  const roster = aRoster({
    users: ["ada", "bo"].map((name) => aUser(name)),
    teams: (scene.teams ?? []).map((name) => aTeam(name, { admin: "ada", members: ["bo"] })),
  });
  const state = remembering({ users: scene.gone === false ? {} : { bo: { createdAt: seenAt } } });
  const allows = scene.word === false ? [] : ["user-missing:bo@acme.example"];
  const { id, actions } = planFor(world, roster, { state, allows });
  const action = actions.find(({ kind }) => kind === "create-user");
  return { id, rule: action?.rule, restsOn: action?.restsOn };
}

test("a creation that only a word allows rests on the absence, on who was here and on the word", () => {
  expect(creationOfBo({})).toMatchObject({ rule: "recreated-user", restsOn: [absent, here, word] });
});

test("a creation of a team that only a word allows stays a creation of a team, and rests on the word as well", () => {
  const { rule, restsOn } = creationOfBo({ teams: ["Red"] });
  expect(rule).toBe("creates-team");
  expect(restsOn?.slice(0, 3)).toEqual([absent, here, word]);
  expect(restsOn?.slice(3).map(({ about }) => formatSubject(about))).toEqual([
    "team acc-1/red",
    "user ada@acme.example",
  ]);
});

test("a word that nothing waited for is no reason, and the plan is the same by its id", () => {
  const idle = creationOfBo({ gone: false });
  expect(idle).toMatchObject({ rule: "absent-user", restsOn: [absent] });
  expect(creationOfBo({}).id).toBe(idle.id);
});

test("without the word nothing is created", () => {
  expect(creationOfBo({ word: false }).rule).toBeUndefined();
});

test("what is done for another user at the address rests on the word that they are meant, and nothing else does", () => {
  const world = aWorld();
  const [ada, bo, cy] = ["ada", "bo", "cy"].map((name) =>
    putUser(world, { email: emailOf(name), lastName: "Test", identifier: `u-${name}` }),
  );
  if (ada === undefined || bo === undefined || cy === undefined) throw new Error("nobody");
  putTeam(world, { name: "Red", identifier: "t-red", members: [ada] });
  putTeam(world, { name: "Blue", identifier: "t-blue", members: [bo] });
  const roster = aRoster({
    users: [aUser("ada"), aUser("bo", { ownKeyRoles: ["AUDITOR"] }), aUser("cy")],
    teams: [
      aTeam("Red", { identifier: "t-red", members: ["ada", "bo", "cy"] }),
      aTeam("Blue", { identifier: "t-blue", members: [{ user: "bo", roles: ["DEVELOPER"] }] }),
    ],
  });
  const state = remembering({
    users: { bo: { identifier: "u-of-before", seenAt }, cy: { identifier: "u-cy", seenAt } },
  });
  const allows = ["bo", "cy"].map((name) => `user-missing:${addressOf(name)}`);
  const meant = unknown("you allowed roster to use the user who has the address now");
  const { actions } = planFor(world, roster, { state, allows });
  const onWord = actions.map(({ kind, restsOn }) => [
    kind,
    restsOn.flatMap(({ about, fact }) => (fact.known === "unknown" ? [[formatSubject(about), fact]] : [])),
  ]);
  expect(onWord).toEqual([
    ["add-members", [["member bo@acme.example of team acc-1/red", meant]]],
    ["replace-roles", [["user bo@acme.example", meant]]],
    ["replace-roles", [["user bo@acme.example", meant]]],
  ]);
});
