import { expect, test } from "vitest";
import { withGuards } from "../../../support/guards.ts";
import { deeds, outcome, planFor, troubles } from "../../../support/plan-words.ts";
import { addressOf, aKey, aRoster, aTeam, aUser } from "../../../support/roster-builders.ts";
import { aWorld, aWorldOf } from "../../../support/simulated-world.ts";
import { remembering } from "../../../support/state-builders.ts";

/** The keys of Red are k3 of root and k4 of bo. */
const company = () =>
  aWorldOf({
    users: { root: { identifier: "u-root" }, bo: { identifier: "u-bo" } },
    teams: { Red: { members: ["root", "bo"], roles: ["DEVELOPER"] }, Blue: { members: ["bo"] } },
  });

const roster = aRoster({
  users: [aUser("root"), aUser("bo"), aUser("cy")],
  teams: [
    aTeam("Red", { members: ["root", "bo"], roles: ["AUDITOR"] }),
    aTeam("Blue", { members: ["root", "bo", "cy"], admin: "root" }),
  ],
});

const protecting = (users: readonly string[], keys: readonly string[] = []) =>
  withGuards({ protected: { users: users.map(addressOf), keys } });

test("no action touches a person who is protected, and everybody else gets what is theirs", () => {
  expect(outcome(planFor(company(), roster, { policy: protecting(["root"]) }))).toEqual([
    "create cy",
    "add cy to Blue after create-user:cy@acme.example",
    "set k4 (observed) to AUDITOR",
    "! protected: user root@acme.example",
  ]);
});

test("nobody who is protected is created", () => {
  const plan = planFor(company(), roster, { policy: protecting(["cy"]) });
  expect(deeds(plan)).toEqual(["add root to Blue", "set k4 (observed) to AUDITOR", "set k3 (observed) to AUDITOR"]);
  expect(plan.findings[0]?.message).toBe(
    "The settings protect cy@acme.example. The guard holds these actions: create the user and add the user to team Blue. " +
      "Make the roster match the service here. Or remove the entry from `protect` in the settings (in CI: outside the checkout).",
  );
});

test("no roles of a protected key are replaced", () => {
  const plan = planFor(company(), roster, { policy: protecting([], ["k4"]) });
  expect(deeds(plan).filter((deed) => deed.startsWith("set"))).toEqual(["set k3 (observed) to AUDITOR"]);
  expect(troubles(plan)).toEqual(["! protected: key k4"]);
});

test("a key is a person's where only our records say so", () => {
  const keys = aRoster({ users: [aUser("bo")], keys: [aKey("p1", { roles: ["DEVELOPER"] })] });
  const state = remembering({ users: { root: { key: "p1" } } });
  const circumstances = { policy: protecting(["root"]), state, everyone: { read: "not-read" } } as const;
  expect(troubles(planFor(aWorld(), keys, circumstances))).toContain("! protected: user root@acme.example");
});

test("whoever is protected may be named as a new team's administrator", () => {
  const named = aRoster({
    users: [aUser("root"), aUser("cy")],
    teams: [aTeam("Green", { admin: "root", members: ["root", "cy"] })],
  });
  const plan = planFor(aWorldOf({ users: { root: {} } }), named, { policy: protecting(["root"]) });
  expect(deeds(plan)[0]).toBe("create cy creating Green for root with TEAM_ROLE");
});
