import { expect, test } from "vitest";
import { reasonAt } from "../../../../src/model/fact.ts";
import { outcome, planFor, troubles } from "../../../support/plan-words.ts";
import { addressOf, aRoster, aTeam, at, aUser } from "../../../support/roster-builders.ts";
import { aWorld, putTeam, putUser } from "../../../support/simulated-world.ts";
import { remembering } from "../../../support/state-builders.ts";

/** ada (k4), bo (k5) and cy (k6) in one team whose keys carry `has`, and were asked for DEVELOPER before. */
function plannedWith(
  has: readonly string[],
  observedRoles: readonly string[],
  setRoles: readonly string[] = ["DEVELOPER"],
) {
  const world = aWorld();
  const names = ["ada", "bo", "cy"];
  const people = names.map((name) =>
    putUser(world, { email: `${name}@acme.example`, firstName: `${name}`, lastName: "Test" }),
  );
  putTeam(world, { name: "Data", identifier: "t-1" });
  world.handedOut = 3;
  putTeam(world, { name: "Data", identifier: "t-1", members: people, roles: has });
  const keys = Object.fromEntries(["k4", "k5", "k6"].map((prefix) => [prefix, { setRoles, observedRoles }]));
  const users = names.map((name) => aUser(name, { firstName: name }));
  const roster = aRoster({ users, teams: [aTeam("Data", { members: names, roles: ["DEVELOPER"], line: 7 })] });
  return planFor(world, roster, { state: remembering({ keys }) });
}

test("what the service keeps on every key is one notice of the service, with every place", () => {
  const plan = plannedWith(["DEVELOPER", "TEAM_ROLE"], ["DEVELOPER", "TEAM_ROLE"]);
  expect(outcome(plan)).toEqual(["roles-kept-by-service: service https://simulated.example"]);
  expect(plan.findings[0]).toMatchObject({
    kind: "notice",
    because: ["ada", "bo", "cy"].map((name) => reasonAt(at(7), "member", { person: addressOf(name) })),
    message:
      "The service keeps TEAM_ROLE on keys: 3 keys read the same as after the last apply. roster does not " +
      "send the change again. To hide this notice, add these roles to the roster.",
  });
  expect(plan.findings[0]?.restsOn).toHaveLength(3);
});

test("a privileged role that the service keeps blocks, key by key", () => {
  const roles = ["ACCOUNT_ADMIN", "DEVELOPER"];
  const plan = plannedWith(roles, roles);
  expect(outcome(plan)).toEqual([
    "! roles-kept-by-service: key k4",
    "! roles-kept-by-service: key k5",
    "! roles-kept-by-service: key k6",
  ]);
  expect(plan.findings[0]).toMatchObject({ kind: "task", message: expect.stringContaining("ACCOUNT_ADMIN") });
});

test("a reading that lacks what was asked for tells nothing of the service: it is asked again", () => {
  const plan = plannedWith(["TEAM_ROLE"], ["TEAM_ROLE"]);
  expect(troubles(plan)).toEqual([]);
  expect(plan.actions).toHaveLength(3);
});
