import { describe, expect, test } from "vitest";
import { observed } from "../../../src/model/fact.ts";
import { roleSet } from "../../../src/model/values.ts";
import { aCreation, aReplacement, person, rolesId, rolesOfOwnKey } from "../../support/action-builders.ts";
import { runPlan, type Scene } from "../../support/apply-run.ts";
import { noon } from "../../support/event-builders.ts";
import { clockAt } from "../../support/fixed-ports.ts";
import { aFailure, on } from "../../support/simulated-service.ts";
import { aWorldOf, worldUser } from "../../support/simulated-world.ts";

describe("a key that was given a moment ago", () => {
  const wanted = [aCreation("ada"), rolesOfOwnKey("ada", ["DEVELOPER"])];
  const [unknown, bad] = [{ failure: aFailure("not-found") }, { failure: { ...aFailure("refused"), status: 400 } }];

  test.each([
    ["not found", unknown],
    ["refused with 400", bad],
  ])("and is %s is tried again within seconds, with the reason shown", async (_, told) => {
    const clock = clockAt(noon);
    const before: Scene["before"] = ({ route }) =>
      route === "replace-roles" && clock.now() - Date.parse(noon) < 3000 ? told : undefined;
    const { about, waits, events } = await runPlan(wanted, { clock, before });
    expect(about(rolesId("ada"))).toMatch(/succeeded$/u);
    expect(waits).toEqual([500, 1000, 2000]);
    const why = "the service does not know the new key k2 yet";
    expect(events.find(({ type }) => type === "waiting")).toMatchObject({ why });
  });

  test("and stays unknown has failed after some seconds", async () => {
    const { about, waits } = await runPlan(wanted, { before: on("replace-roles", unknown) });
    expect(about(rolesId("ada"))).toMatch(/failed: not-found$/u);
    expect(waits.slice(0, 4)).toEqual([500, 1000, 2000, 4000]);
  });

  test("and becomes known right after it was refused loses what it is to lose", async () => {
    const { about, simulated } = await runPlan(wanted, { before: on("replace-roles", bad, undefined) });
    expect(about(rolesId("ada"))).toMatch(/succeeded$/u);
    expect(simulated.world.users.flatMap(({ keys }) => keys.map(({ roles }) => roles))).toEqual([["DEVELOPER"]]);
  });

  test("is not waited for where it was there before the run", async () => {
    const action = aReplacement("p", { of: "prefix", prefix: observed("k-9", "search 1") }, ["DEVELOPER"]);
    const { about, waits } = await runPlan([action]);
    expect([about("p"), waits]).toEqual(["intended, failed: not-found", []]);
  });
});

/** The roles of ada's own key, k2, are replaced, which has these. */
async function replaced(had: readonly string[], scene: Scene = {}) {
  const world = aWorldOf({ users: { ada: {} } });
  const [key] = worldUser(world, "ada").keys;
  if (key !== undefined) key.roles = had;
  const owner = person("ada", worldUser(world, "ada").identifier);
  const named = { of: "prefix", prefix: observed("k2", "search 1") } as const;
  const action = aReplacement("p", named, ["DEVELOPER"], { before: observed(had, "search 1"), owner });
  const run = await runPlan([action], { world, ...scene });
  const { setRoles, observedRoles } = run.saved.keys.get("k2") ?? {};
  const verified = run.events.find((event) => event.type === "verified")?.result;
  const reads = run.calls.filter((call) => call.startsWith("search")).length;
  return { about: run.about("p"), sent: run.sent, waits: run.waits, setRoles, observedRoles, verified, reads };
}

describe("a service that takes a role away from no key", () => {
  /** Refuses every replacement without TEAM_ROLE. */
  const before: Scene["before"] = (call) =>
    call.route === "replace-roles" && !call.roles.includes("TEAM_ROLE")
      ? { failure: { ...aFailure("refused", "TEAM_ROLE must stay"), status: 400 } }
      : undefined;

  test("is asked once more with the harmless roles kept, and what it made of it is remembered", async () => {
    expect(await replaced(["AUDITOR", "TEAM_ROLE"], { before })).toMatchObject({
      about: "intended, intended, succeeded",
      sent: ["set k2 to DEVELOPER", "set k2 to AUDITOR,DEVELOPER,TEAM_ROLE"],
      setRoles: ["DEVELOPER"],
      observedRoles: ["AUDITOR", "DEVELOPER", "TEAM_ROLE"],
    });
  });

  test("remembers what was sent where the answer does not show roles", async () => {
    const { observedRoles } = await replaced(["TEAM_ROLE"], { before, hides: ["replaced-roles"] });
    expect(observedRoles).toEqual(["DEVELOPER", "TEAM_ROLE"]);
  });

  test("never gets a privileged role to keep", async () => {
    const { about, sent } = await replaced(["ACCOUNT_ADMIN"], {
      before: on("replace-roles", { failure: aFailure("refused") }),
    });
    expect([about, sent.length]).toEqual(["intended, failed: refused", 1]);
  });
});

describe("a replacement of unknown outcome", () => {
  const lost = { outcome: "unknown", failure: aFailure("unreachable") } as const;
  const unknown = "intended, unknown-outcome: unreachable";

  test.each([
    ["whose answer was lost", lost],
    ["that was taken for later", { ...lost, accepted: {} }],
  ])("%s is resolved by the read that shows it, and not sent again", async (_, told) => {
    const { about, sent } = await replaced(["TEAM_ROLE"], { after: on("replace-roles", told) });
    expect([about, sent.length]).toEqual([`${unknown}, resolved`, 1]);
  });

  test.each([
    ["after one read", lost, 0],
    ["after half a minute where it was taken for later", { ...lost, accepted: {} }, 30_000],
  ])("that reads do not show is left to the next plan %s", async (_, told, time) => {
    const { about, waits } = await replaced(["TEAM_ROLE"], { before: on("replace-roles", told) });
    expect([about, waits.reduce((sum, wait) => sum + wait, 0)]).toEqual([unknown, time]);
  });
});

describe("an answer with other roles than were sent", () => {
  const answering = (...roles: readonly string[]): NonNullable<Scene["service"]> => {
    return () => ({ replaceRoles: async () => ({ outcome: "done", value: { roles: roleSet(roles) } }) });
  };
  const nothing = { setRoles: undefined, observedRoles: undefined };

  test.each<[string, Scene, object]>([
    [
      "counts, and is remembered, once a read shows the same",
      { sticky: ["TEAM_ROLE"] },
      { about: "intended, succeeded", observedRoles: ["DEVELOPER", "TEAM_ROLE"], reads: 2 },
    ],
    [
      "leaves the outcome unknown where it shows fewer, and reads show that nothing was done",
      { service: answering("AUDITOR") },
      { about: "intended, unknown-outcome: misunderstood", ...nothing },
    ],
    [
      "leaves the outcome unknown where it shows more, and reads show that nothing was done",
      { service: answering("DEVELOPER", "ACCOUNT_ADMIN") },
      { about: "intended, unknown-outcome: stale", ...nothing },
    ],
    [
      "counts where it shows more and no read shows roles, and nothing is learned of the service",
      { hides: ["roles"], service: answering("DEVELOPER", "TEAM_ROLE") },
      { about: "intended, succeeded", setRoles: ["DEVELOPER"], observedRoles: undefined },
    ],
    [
      "does not count where it shows fewer and no read shows roles",
      { hides: ["roles"], service: answering("TEAM_ROLE") },
      { about: "intended, unknown-outcome: misunderstood", ...nothing },
    ],
  ])("%s", async (_, scene, expected) => {
    expect(await replaced(["AUDITOR", "TEAM_ROLE"], scene)).toMatchObject(expected);
  });
});

describe("an answer without roles", () => {
  const idle: Scene = { service: () => ({ replaceRoles: async () => ({ outcome: "done", value: {} }) }) };
  /** Reads show the roles of before until the run is so old. */
  const late = (lag: number): Scene => ({
    searches: (users, age) =>
      age >= lag
        ? users
        : users.map((user) => ({ ...user, keys: user.keys?.map((key) => ({ ...key, roles: ["TEAM_ROLE"] })) ?? [] })),
  });
  const shown = {
    about: "intended, succeeded",
    setRoles: ["DEVELOPER"],
    observedRoles: ["DEVELOPER"],
    verified: "converged",
  };
  const hidden = { ...shown, observedRoles: undefined, verified: "unverified" };
  const unknown = {
    about: "intended, unknown-outcome: stale",
    setRoles: undefined,
    observedRoles: undefined,
    verified: undefined,
  };

  test.each<[string, Scene, object]>([
    ["counts once a read shows what was sent", {}, shown],
    ["counts once a later read shows it", late(5000), shown],
    [
      "counts where a read shows more, which the service may keep",
      { sticky: ["TEAM_ROLE"] },
      { ...shown, observedRoles: ["DEVELOPER", "TEAM_ROLE"], verified: "diverged" },
    ],
    ["leaves the outcome unknown where reads show that nothing was done", idle, unknown],
    ["leaves the outcome unknown where reads are late", late(60_000), unknown],
    ["counts where reads do not show roles", { ...idle, hides: ["roles"] }, hidden],
    ["counts where reads do not show keys", { ...idle, hides: ["keys"] }, hidden],
  ])("%s", async (_, { hides = [], ...scene }, expected) => {
    expect(await replaced(["TEAM_ROLE"], { ...scene, hides: ["replaced-roles", ...hides] })).toMatchObject(expected);
  });
});
