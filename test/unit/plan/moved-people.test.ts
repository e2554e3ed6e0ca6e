import { describe, expect, test } from "vitest";
import { applyEvents } from "../../../src/log/fold.ts";
import { recordsMoved } from "../../../src/log/moved-records.ts";
import { observed } from "../../../src/model/fact.ts";
import type { Roster } from "../../../src/model/roster.ts";
import type { State } from "../../../src/model/state.ts";
import { decodeSubject, formatSubject } from "../../../src/model/subject.ts";
import { type Circumstances, deeds, outcome, planFor, troubles } from "../../support/plan-words.ts";
import { aLeaver, aRoster, aTeam, aUser, emailOf } from "../../support/roster-builders.ts";
import { snapshotOf } from "../../support/simulated-snapshot.ts";
import { aWorld, aWorldOf, newKey, putTeam, putUser, type World } from "../../support/simulated-world.ts";
import { recordedAt, remembering } from "../../support/state-builders.ts";

/** We created ada under this address and added her to Data, where her key is k-team. */
function createdAs(name: string, keys: Parameters<typeof remembering>[0]["keys"] = {}): State {
  return remembering({
    users: { [name]: { identifier: "u-ada", createdAt: recordedAt, key: "k1" } },
    members: { [`Data/${name}`]: { prefix: "k-team" } },
    keys,
  });
}

function worldWith(name: string, parts: Partial<Parameters<typeof putUser>[1]> = {}): World {
  const world = aWorld();
  const shown = putUser(world, { email: emailOf(name), lastName: "Test", identifier: "u-ada", ...parts });
  const key = { ...newKey(world, { kind: "team", roles: ["TEAM_ROLE"], isDefault: false }), prefix: "k-team" };
  shown.keys.push({ ...key, team: "t-1" });
  putTeam(world, { name: "Data", identifier: "t-1" });
  return world;
}

function rosterOf(user: ReturnType<typeof aUser>, more: Partial<Parameters<typeof aRoster>[0]> = {}): Roster {
  const { address } = user;
  const team = aTeam("Data", { identifier: "t-1", members: [address], roles: ["DEVELOPER"] });
  return aRoster({ teams: [team], ...more, users: [user, ...(more.users ?? [])] });
}

/** The plan that an apply would make: records follow those whom the service shows under another address. */
function planAfterMoving(world: World, roster: Roster, state: State, circumstances: Omit<Circumstances, "state"> = {}) {
  const snapshot = snapshotOf(world, { roster, hides: circumstances.hides ?? [] });
  const moved = recordsMoved(roster, snapshot, state, recordedAt);
  return planFor(world, roster, { ...circumstances, state: applyEvents(state, moved === undefined ? [] : [moved]) });
}

describe("an address that was changed in the service first", () => {
  test("is told with the YAML that says so too, and nobody is created", () => {
    const plan = planFor(worldWith("ada.new"), rosterOf(aUser("ada")), { state: createdAs("ada") });
    expect(outcome(plan)).toEqual([
      "! user-missing: user ada@acme.example",
      `! extra-member: member ada.new@acme.example of team acc-1/data`,
    ]);
    expect(plan.findings[0]).toMatchObject({
      message:
        "ada@acme.example was created at 2026-11-01T00:00:00.000Z. The service shows that user as " +
        "ada.new@acme.example now, so the address was changed there. roster does not create the user again. " +
        "Write ada.new@acme.example as the `email`, and ada@acme.example under `previously`. If they are two " +
        `different people, allow a new user. To allow it: \`--allow ${plan.findings[0]?.allow?.[0]}\`.`,
      allow: [expect.stringMatching(/^user-missing:ada@acme\.example#[0-9a-f]{12}$/u)],
      suggestedYaml: "users:\n  - email: ada.new@acme.example\n    previously: [ada@acme.example]\n",
    });
  });

  test.each([
    [
      "the roster names both",
      rosterOf(aUser("ada"), { users: [aUser("ada.new", { firstName: "Ada" })] }),
      "ada.new",
      "active",
    ],
    ["the other is a leaver", rosterOf(aUser("ada"), { leavers: [aLeaver("ada.new")] }), "ada.new", "active"],
    ["that user is deleted", rosterOf(aUser("ada")), "ada.new", "deleted"],
  ])("is told without YAML where %s", (_, roster, shownAs, status) => {
    const plan = planAfterMoving(worldWith(shownAs, { status }), roster, createdAs("ada"));
    const finding = plan.findings.find(({ subject }) => formatSubject(subject) === "user ada@acme.example");
    expect({ code: finding?.code, yaml: finding?.suggestedYaml }).toEqual({ code: "user-missing", yaml: undefined });
    expect(deeds(plan).filter((deed) => deed.startsWith("create"))).toEqual([]);
  });

  test("once the roster says so, all that was recorded counts: nobody is mailed, and no prefix is lost", () => {
    const roster = rosterOf(aUser("ada.new", { firstName: "Ada", previously: ["ada"] }));
    for (const hides of [[], ["keys"]] as const) {
      const plan = planAfterMoving(worldWith("ada.new"), roster, createdAs("ada"), { hides });
      expect(outcome(plan)).toEqual([`set k-team (${hides.length === 0 ? "observed" : "recorded"}) to DEVELOPER`]);
    }
  });
});

describe("an address that was changed in the roster first", () => {
  test("is told, and never a second account", () => {
    const roster = rosterOf(aUser("ada.new", { previously: ["ada"] }));
    const plan = planAfterMoving(worldWith("ada"), roster, createdAs("ada"));
    expect(outcome(plan)).toEqual(["! former-address: user ada.new@acme.example"]);
  });
});

describe("a leaver who is back among the users", () => {
  const emptied = { "k-team": { setRoles: [], observedRoles: [] } };

  test("and still there gets their roles back, and no second mail", () => {
    const world = worldWith("ada");
    for (const key of world.users[0]?.keys ?? []) key.roles = [];
    const roster = rosterOf(aUser("ada", { firstName: "Ada" }));
    for (const hides of [[], ["keys"], ["roles"]] as const) {
      expect(deeds(planAfterMoving(world, roster, createdAs("ada", emptied), { hides }))).toEqual([
        `set k-team (${hides[0] === "keys" ? "recorded" : "observed"}) to DEVELOPER`,
      ]);
    }
  });

  test("and gone has vanished, until a person wants them created again", () => {
    const world = aWorldOf({ users: { root: {} }, teams: { Data: { identifier: "t-1" } } });
    const roster = rosterOf(aUser("ada"));
    expect(troubles(planFor(world, roster, { state: createdAs("ada", emptied) }))).toEqual([
      "! user-missing: user ada@acme.example",
    ]);
    expect(planFor(world, roster, { state: createdAs("ada", emptied) }).findings[0]?.restsOn).toEqual([
      {
        about: decodeSubject("user ada@acme.example"),
        fact: expect.objectContaining({ known: "recorded", value: "present" }),
      },
      { about: decodeSubject("user ada@acme.example"), fact: observed("absent", "list") },
    ]);
    expect(
      deeds(planFor(world, roster, { state: createdAs("ada", emptied), allows: ["user-missing:ada@acme.example"] }))[0],
    ).toBe("create ada");
  });
});
