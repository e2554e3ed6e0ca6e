import { describe, expect, test } from "vitest";
import { judged, stopsOf, withGuards } from "../../../support/guards.ts";
import { planned } from "../../../support/plan-inputs.ts";
import { troubles } from "../../../support/plan-words.ts";
import { aKey, aLeaver, aRoster, aTeam, aUser } from "../../../support/roster-builders.ts";
import { snapshotOf } from "../../../support/simulated-snapshot.ts";
import { aWorld, giveTeamKey, putTeam, putUser } from "../../../support/simulated-world.ts";
import type { Hidden } from "../../../support/visibility.ts";

const admin = ["ACCOUNT_ADMIN"];
const policy = withGuards({ maxHolders: new Map([["ACCOUNT_ADMIN", 2]]) });
const everyone = { read: "complete", by: "list" } as const;

/** Four people in the team Red; so many of them are administrators. */
function company(admins: number) {
  const world = aWorld();
  const people = ["p1", "p2", "p3", "p4"].map((name) =>
    putUser(world, { email: `${name}@acme.example`, lastName: "Test" }),
  );
  putTeam(world, { name: "Red", identifier: "t-red", members: [] });
  for (const [index, person] of people.entries()) {
    giveTeamKey(world, person, "t-red", index < admins ? admin : ["DEVELOPER"]);
  }
  return { world, people };
}

/** Those who are named are to be administrators, and the roster names nobody else of these. */
function rosterOf(admins: readonly string[], others: readonly string[] = []) {
  const names = [...admins, ...others];
  const roles = (user: string) => (admins.includes(user) ? admin : ["DEVELOPER"]);
  return aRoster({
    users: names.map((name) => aUser(name, { firstName: "Ada" })),
    teams: [aTeam("Red", { open: true, members: names.map((user) => ({ user, roles: roles(user) })) })],
  });
}

function parts(admins: number, roster = rosterOf([]), hides: readonly Hidden[] = []) {
  return { roster, snapshot: snapshotOf(company(admins).world, { roster, hides, everyone }), policy };
}

describe("a plan that gives the role", () => {
  test("is refused where too many would have it then, wherever they have it", () => {
    expect(stopsOf(parts(2, rosterOf(["p4"])))).toEqual([
      "max-holders: The plan gives ACCOUNT_ADMIN to p4@acme.example. Then 3 users would have it: p1@acme.example, " +
        "p2@acme.example and p4@acme.example. At most 2 are allowed.",
    ]);
  });

  test("is refused where too many have it before", () => {
    expect(stopsOf(parts(3, rosterOf(["p4"], ["p1"])))).toEqual([
      "max-holders: The plan gives ACCOUNT_ADMIN to p4@acme.example. Then 3 users would have it: p2@acme.example, " +
        "p3@acme.example and p4@acme.example. At most 2 are allowed.",
    ]);
  });

  test.each([
    ["where as many have it then", parts(1, rosterOf(["p4"]))],
    ["where somebody else loses it", parts(2, rosterOf(["p4"], ["p1"]))],
    [
      "to whoever has it on another key",
      parts(2, { ...rosterOf(["p1"]), keys: [aKey("k2", { owner: "p1", roles: admin })] }),
    ],
    [
      "where a leaver has it",
      parts(2, { ...rosterOf(["p4"]), leavers: aRoster({ leavers: [aLeaver("p1")] }).leavers }),
    ],
    ["where it is off", { ...parts(3, rosterOf(["p4"])), policy: withGuards({}) }],
  ])("passes %s", (_, given) => {
    expect(stopsOf(given)).toEqual([]);
  });

  test("is refused for a key of nobody known, who counts as one more", () => {
    const roster = aRoster({ keys: ["p8", "p9"].map((prefix) => aKey(prefix, { roles: admin })) });
    const snapshot = snapshotOf(aWorld(), { roster, everyone: { read: "not-read" } });
    const one = withGuards({ maxHolders: new Map([["ACCOUNT_ADMIN", 1]]) });
    const both = "the holder of the key p8 and the holder of the key p9";
    expect(stopsOf({ roster, snapshot, policy: one })).toEqual([
      `max-holders: The plan gives ACCOUNT_ADMIN to ${both}. Then 2 users would have it: ${both}. At most 1 is allowed.`,
    ]);
  });

  test("passes where a person allows it; then the finding says what the plan leads to", () => {
    const given = { ...parts(2, rosterOf(["p4"])), allows: ["max-holders"] };
    const { plan, refusal } = judged(given);
    expect([refusal, troubles(plan)]).toEqual([undefined, ["! max-holders-exceeded: role ACCOUNT_ADMIN"]]);
    expect(plan.findings[0]?.message).toContain("3 users will have ACCOUNT_ADMIN: p1@acme.example, p2@acme.example");
  });
});

test("too many have it already: that blocks, and the plan is not refused", () => {
  const { plan, refusal } = judged(parts(3, rosterOf([], ["p4"])));
  expect([refusal, troubles(plan)]).toEqual([undefined, ["! max-holders-exceeded: role ACCOUNT_ADMIN"]]);
  expect(plan.findings[0]?.message).toBe(
    "3 users have ACCOUNT_ADMIN: p1@acme.example, p2@acme.example and p3@acme.example. At most 2 are allowed. " +
      "Remove the role in the roster. If roster does not manage the key, remove the role in the service.",
  );
});

test("too many have it, and the plan takes it from enough of them", () => {
  expect(troubles(planned(parts(3, rosterOf([], ["p1"]))))).toEqual([]);
});

describe("what was not seen is said", () => {
  const says = (given: Parameters<typeof planned>[0]) =>
    planned(given).findings.flatMap(({ code, message }) => (code === "limited-roles-unknown" ? [message] : []));

  test("where the service shows no roles", () => {
    expect(says(parts(3, rosterOf([]), ["roles"]))).toEqual([
      "roster could not check `guards.max-holders` completely. The service does not show all roles of 4 users: " +
        "p1@acme.example, p2@acme.example, p3@acme.example and p4@acme.example. Check these roles in the service.",
    ]);
  });

  test("where the plan read some users only", () => {
    const roster = rosterOf([]);
    const snapshot = snapshotOf(company(1).world, { roster, everyone: { read: "not-read" } });
    expect(says({ roster, snapshot, policy })).toEqual([
      "roster could not check `guards.max-holders` completely. This plan did not read all users. Check these roles in the service.",
    ]);
  });

  test("where the list of users is incomplete", () => {
    const roster = rosterOf([]);
    const snapshot = snapshotOf(company(1).world, {
      roster,
      everyone: { read: "incomplete", why: "page 2 is missing" },
    });
    expect(says({ roster, snapshot, policy })).toEqual([
      "roster could not check `guards.max-holders` completely. The list of users is incomplete: page 2 is missing. " +
        "Check these roles in the service.",
    ]);
  });
});
