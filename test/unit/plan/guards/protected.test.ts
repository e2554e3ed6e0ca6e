import { expect, test } from "vitest";
import { withGuards } from "../../../support/guards.ts";
import { deeds, planFor, troubles } from "../../../support/plan-words.ts";
import { addressOf, aKey, aRoster, aTeam, aUser } from "../../../support/roster-builders.ts";
import { aWorld, putTeam, putUser } from "../../../support/simulated-world.ts";
import { remembering } from "../../../support/state-builders.ts";

function scene() {
  const world = aWorld();
  const [root, bo] = ["root", "bo"].map((name) => putUser(world, { email: `${name}@acme.example`, lastName: "Test" }));
  if (root === undefined || bo === undefined) throw new Error("nobody");
  putTeam(world, { name: "Red", identifier: "t-red", members: [root, bo], roles: ["DEVELOPER"] });
  putTeam(world, { name: "Blue", identifier: "t-blue", members: [bo], roles: ["TEAM_ROLE"] });
  return { world, rootKey: root.keys.at(-1)?.prefix ?? "", boKey: bo.keys.at(1)?.prefix ?? "" };
}

const users = [aUser("root", { firstName: "Ada" }), aUser("bo", { firstName: "Ada" }), aUser("cy")];
const roster = aRoster({
  users,
  teams: [
    aTeam("Red", { members: ["root", "bo"], roles: ["AUDITOR"] }),
    aTeam("Blue", { members: ["root", "bo", "cy"], admin: "root" }),
  ],
});

test("no action touches a person who is protected, and everybody else gets what is theirs", () => {
  const { world, boKey } = scene();
  const plan = planFor(world, roster, { policy: withGuards({ protected: { users: [addressOf("root")], keys: [] } }) });
  expect(deeds(plan)).toEqual([
    "create cy",
    "add cy to Blue after create-user:cy@acme.example",
    `set ${boKey} (observed) to AUDITOR`,
  ]);
  expect(troubles(plan)).toEqual(["! protected: user root@acme.example"]);
});

test("nobody who is protected is created", () => {
  const { world } = scene();
  const plan = planFor(world, roster, { policy: withGuards({ protected: { users: [addressOf("cy")], keys: [] } }) });
  expect(deeds(plan)).toHaveLength(3);
  expect(deeds(plan)[0]).toBe("add root to Blue");
  expect(plan.findings[0]?.message).toMatch(
    /^The settings protect cy@acme\.example\. The guard holds these actions: create the user and add the user to team Blue\. Make the roster match the service here\. Or remove the entry from `protect` in the settings \(in CI: outside the checkout\)\./u,
  );
});

test("no roles of a protected key are replaced", () => {
  const { world, rootKey, boKey } = scene();
  const plan = planFor(world, roster, { policy: withGuards({ protected: { users: [], keys: [boKey] } }) });
  expect(deeds(plan)).toContain(`set ${rootKey} (observed) to AUDITOR`);
  expect(deeds(plan).filter((deed) => deed.includes(boKey))).toEqual([]);
  expect(troubles(plan)).toEqual([`! protected: key ${boKey}`]);
});

test("a key is a person's where only our records say so", () => {
  const state = remembering({ users: { root: { key: "p1" } } });
  const policy = withGuards({ protected: { users: [addressOf("root")], keys: [] } });
  const keys = aRoster({ users: [aUser("bo")], keys: [aKey("p1", { roles: ["DEVELOPER"] })] });
  const plan = planFor(aWorld(), keys, { policy, state, everyone: { read: "not-read" } });
  expect(troubles(plan)).toContain("! protected: user root@acme.example");
});

test("whoever is protected may be named as a new team's administrator", () => {
  const world = aWorld();
  putUser(world, { email: "root@acme.example", lastName: "Test" });
  const policy = withGuards({ protected: { users: [addressOf("root")], keys: [] } });
  const named = aRoster({
    users: [users[0] ?? aUser("root"), aUser("cy")],
    teams: [aTeam("Green", { admin: "root", members: ["root", "cy"] })],
  });
  expect(deeds(planFor(world, named, { policy }))[0]).toBe("create cy creating Green for root with TEAM_ROLE");
});
