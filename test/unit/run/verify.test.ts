import { describe, expect, test } from "vitest";
import type { ObservedKey } from "../../../src/model/key.ts";
import type { ObservedUser } from "../../../src/model/user.ts";
import { roleSet } from "../../../src/model/values.ts";
import { aCreation, rolesOfOwnKey } from "../../support/action-builders.ts";
import { runPlan, type Scene } from "../../support/apply-run.ts";
import { noon } from "../../support/event-builders.ts";
import { clockAt } from "../../support/fixed-ports.ts";
import { everything } from "../../support/science-plan.ts";
import { aFailure, on } from "../../support/simulated-service.ts";

const ada = [aCreation("ada")];
const wanted = [...ada, rolesOfOwnKey("ada", ["DEVELOPER"])];
const finished = "finished completed";

/** The same people, each of whose keys is shown so. */
const withKeys = (users: readonly ObservedUser[], as: (key: ObservedKey) => ObservedKey) =>
  users.map((user) => ({ ...user, keys: (user.keys ?? []).map(as) }));
/** Searches that show the roles of keys as they were, until so long after noon. */
const oldRoles = (until: number): Pick<Scene, "searches"> => ({
  searches: (users, age) =>
    age >= until ? users : withKeys(users, (key) => ({ ...key, roles: ["ACCOUNT_ADMIN", "DEVELOPER"] })),
});

describe("what was touched, read again", () => {
  test("is diverged where a role stays in place, which is remembered", async () => {
    const { lines, saved } = await runPlan(wanted, { sticky: ["TEAM_ROLE"] });
    expect(lines.slice(-3)).toEqual([
      "key-read k2 as DEVELOPER,TEAM_ROLE",
      "verified diverged: the key k2 of ada@acme.example has DEVELOPER, TEAM_ROLE instead of DEVELOPER",
      finished,
    ]);
    const observedRoles = ["DEVELOPER", "TEAM_ROLE"];
    expect(saved.keys.get("k2")).toEqual({ prefix: "k2", setRoles: ["DEVELOPER"], at: noon, observedRoles });
  });

  test("is settling where it does not show within the settling time, and each matter is told once", async () => {
    const { lines, waits } = await runPlan([aCreation("ada", { createsTeam: "Science" })], { searches: () => [] });
    expect(lines.slice(-2)).toEqual(["verified pending: the service does not show ada@acme.example yet", finished]);
    expect(waits).toEqual([500, 1500, 3000]);
  });

  test("is remembered as seen where it shows, users and members alike, and is not where it does not", async () => {
    const seen = async (scene: Scene) => {
      const { users, memberships } = (await runPlan(everything, scene)).saved;
      return [...users.values(), ...memberships.values()].flatMap(({ seenAt }) => seenAt ?? []);
    };
    expect([await seen({}), await seen({ searches: () => [] })]).toEqual([Array(4).fill(noon), []]);
  });

  test("is converged where it shows a moment later", async () => {
    const { lines } = await runPlan(ada, { searches: (users, age) => (age < 2000 ? [] : users) });
    expect(lines.slice(-2)).toEqual(["verified converged", finished]);
  });

  test.each<[string, Parameters<typeof runPlan>[0], Scene, string]>([
    [
      "the service hides it",
      everything,
      { hides: ["keys", "replaced-roles"] },
      "check in the web interface of the service: the membership of ada@acme.example in Science, the roles of ada@acme.example's key k3, the membership of bo@acme.example in Science, the roles of bo@acme.example's key k5 and the roles of bo@acme.example's key k6",
    ],
    [
      "it cannot be read",
      ada,
      { before: on("search-users", { failure: aFailure("service-error") }) },
      "roster could not read the service again: service-error",
    ],
    [
      "a read shows no roles: the answer that repeats what was sent verifies nothing",
      wanted,
      { searches: (users) => withKeys(users, ({ roles: _hidden, ...key }) => key) },
      "check in the web interface of the service: the roles of ada@acme.example's key k2",
    ],
  ])("is unverified where %s", async (_, actions, scene, why) => {
    const { lines } = await runPlan(actions, scene);
    expect(lines.slice(-2)).toEqual([`verified unverified: ${why}`, finished]);
    expect(lines.filter((told) => told.startsWith("key-read"))).toEqual([]);
  });

  test("that shows otherwise than the answer is read until it agrees, and never remembered before", async () => {
    const { lines, saved } = await runPlan(wanted, oldRoles(2000));
    expect(lines.slice(-6)).toEqual([
      "waiting 500",
      "waiting 1500",
      "access-seen",
      "key-read k2 as DEVELOPER",
      "verified converged",
      finished,
    ]);
    expect(saved.keys.get("k2")?.observedRoles).toEqual(["DEVELOPER"]);
  });

  const others = "the key k2 of ada@acme.example has ACCOUNT_ADMIN, DEVELOPER instead of DEVELOPER";

  test("that shows otherwise than the answer to the end of the wait is remembered, since it has had its time", async () => {
    const { lines, waits } = await runPlan(wanted, oldRoles(60_000));
    expect(waits).toEqual([500, 1500, 3000]);
    expect(lines.slice(-4)).toEqual([
      "key-read k2 as ACCOUNT_ADMIN,DEVELOPER",
      "found roles-kept-by-service for key k2",
      `verified diverged: ${others}`,
      finished,
    ]);
  });

  /** By a machine whose clock was behind. */
  const earlier = (...roles: readonly string[]): Scene => ({
    state: { keys: new Map([["k2", { prefix: "k2", setRoles: roleSet(roles), at: "2020-01-01T00:00:00.000Z" }]]) },
    consistency: 60_000,
  });

  test.each<[string, Scene]>([
    ["that may be what an earlier run asked for, however long the wait", earlier("ACCOUNT_ADMIN", "DEVELOPER")],
    ["that may be what was before an earlier run, however long the wait", earlier("AUDITOR")],
    ["that cannot wait", { clock: { ...clockAt(noon), wait: async () => undefined } }],
  ])("%s is settling, and remembered as read too early", async (_, scene) => {
    const { lines } = await runPlan(wanted, { ...scene, ...oldRoles(60_000) });
    expect(lines).toContain("key-read k2 as ACCOUNT_ADMIN,DEVELOPER, provisional");
    expect(lines.slice(-2)).toEqual([`verified pending: ${others}`, finished]);
  });

  test("of a service that does not answer with roles is remembered after its time: one write, then stable", async () => {
    const { lines, waits } = await runPlan(wanted, { hides: ["replaced-roles"], sticky: ["TEAM_ROLE"] });
    expect(waits).toEqual([500, 1500, 3000]);
    expect(lines).toContain("key-read k2 as DEVELOPER,TEAM_ROLE");
  });
});
