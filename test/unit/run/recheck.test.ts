import { describe, expect, test } from "vitest";
import { decodeSubject, observed, unknown } from "../../../src/model/fact.ts";
import type { Action } from "../../../src/model/plan.ts";
import { success } from "../../../src/model/result.ts";
import { membershipKeyOf, teamKeyOf } from "../../../src/model/team.ts";
import {
  aCreation,
  addId,
  anAddition,
  aReplacement,
  createId,
  newPerson,
  person,
  rolesOfAdded,
  teamRef,
} from "../../support/action-builders.ts";
import { runPlan, type Scene } from "../../support/apply-run.ts";
import { noon } from "../../support/event-builders.ts";
import { clockAt } from "../../support/fixed-ports.ts";
import { addressOf } from "../../support/roster-builders.ts";
import { aFailure, on } from "../../support/simulated-service.ts";
import { aWorldOf, putUser } from "../../support/simulated-world.ts";

const old = { factsAt: "2026-11-20T11:58:59.000Z" };
const [ada, bo] = [aCreation("ada"), aCreation("bo")];
const ops = teamRef("Ops", "t-ops");
const addsAda = anAddition(ops, [person("ada", "u-ada")]);
const adaIs = (parts: object = {}, members: readonly string[] = []) =>
  aWorldOf({ users: { ada: { identifier: "u-ada", ...parts } }, teams: { Ops: { members } } });
/** What was recorded of an addition, person by person. */
const ends = (...members: readonly (readonly [name: string, why: string | undefined])[]) => ({
  is: "succeeded",
  learned: {
    members: members.map(([name, code]) => ({
      address: addressOf(name),
      outcome: code === undefined ? { added: true } : { added: false, failure: { code } },
    })),
  },
});

describe("facts that have become old", () => {
  test("are checked again in one search for the people of the whole plan", async () => {
    const { calls } = await runPlan([ada, bo, aCreation("cy")], old);
    expect(calls.filter((call) => call.startsWith("search"))).toEqual(["search ada bo cy", "search ada bo cy"]);
    expect(calls[0]).toBe("search ada bo cy");
  });

  test("are not checked again within a minute", async () => {
    const { calls } = await runPlan([ada], { factsAt: "2026-11-20T11:59:00.000Z" });
    expect(calls).toEqual(["create ada", "search ada"]);
  });

  test.each([
    ["that another run has read are checked again, however new they are", { factsAt: "another run" }],
    ["and have moved make their own action stale, and no other", old],
  ])("%s", async (_, scene) => {
    const { about } = await runPlan([ada, bo], { world: adaIs(), ...scene });
    expect([about(), about(bo.id)]).toEqual(["stale: ada@acme.example exists now", "intended, succeeded"]);
  });

  test("of a member who was added by somebody else, or is gone, shrink the call", async () => {
    const users = { ada: { identifier: "u-ada" }, bo: { identifier: "u-bo" } };
    const world = aWorldOf({ users, teams: { Ops: { members: ["ada"] } } });
    const members = [person("ada", "u-ada"), person("bo", "u-bo"), person("cy", "u-gone")];
    const { mails, outcome, events } = await runPlan([anAddition(ops, members)], { world, ...old });
    expect(mails).toEqual(["bo"]);
    const intent = { addresses: [addressOf("bo")] };
    expect(events.find((event) => event.type === "intended")).toMatchObject({ intent });
    expect(outcome(addId("Ops"))).toMatchObject(ends(["bo", undefined], ["ada", "conflict"], ["cy", "not-found"]));
  });

  test.each([
    ["is deleted", { status: "Deleted" }, "ada@acme.example was deleted"],
    ["is barred", { status: "Inactive" }, "ada@acme.example is Inactive now"],
    ["is somebody else", { identifier: "u-other" }, "another user has the address ada@acme.example now"],
    ["was added by somebody else", undefined, "ada@acme.example is already a member of Ops"],
  ])("of every member make the whole call stale: each %s", async (_, now, why) => {
    const world = now === undefined ? adaIs({}, ["ada"]) : adaIs(now);
    const { about, mails } = await runPlan([addsAda], { world, ...old });
    expect([about(addsAda.id), mails]).toEqual([`stale: ${why}`, []]);
  });

  test.each([
    ["one of whom is the one who was meant", "u-ada", "intended, succeeded"],
    ["none of whom is the one who was meant", "u-gone", "stale: several users have the address ada@acme.example now"],
  ])("of a member whose address two users share, %s", async (_, meant, outcome) => {
    const world = adaIs();
    putUser(world, { email: "ada@acme.example", identifier: "u-twin" });
    const action = anAddition(ops, [person("ada", meant)]);
    expect((await runPlan([action], { world, ...old })).about(action.id)).toBe(outcome);
  });

  test.each([
    [
      "that somebody else has replaced",
      ["AUDITOR"],
      "stale: others changed the key k1 after the plan. It has TEAM_ROLE now",
    ],
    ["that are as they were", ["TEAM_ROLE"], "intended, succeeded"],
  ])("of a key: roles %s", async (_, before, told) => {
    const action = aReplacement("p", { of: "prefix", prefix: observed("k1", "search 1") }, ["DEVELOPER"], {
      before: observed(before, "search 1"),
      owner: person("ada", "u-ada"),
    });
    expect((await runPlan([action], { world: adaIs(), ...old })).about("p")).toBe(told);
  });

  test("that cannot be read again keep their action from running, and only theirs", async () => {
    const { lines } = await runPlan([ada], {
      ...old,
      before: on("search-users", { failure: aFailure("service-error") }),
    });
    expect(lines).toEqual(["run-started", `failed ${ada.id}: service-error`, "finished completed"]);
  });

  test("become too old in a long run, and are then checked once for all who still wait", async () => {
    const clock = clockAt(noon);
    const before: Scene["before"] = ({ route }) => {
      if (route === "create-user") clock.move(25_000);
      return undefined;
    };
    const people = Array.from({ length: 6 }, (_, index) => aCreation(`p${index}`));
    const { calls } = await runPlan(people, { clock, before, parallelism: 1 });
    expect(calls.map((call) => call.charAt(0)).join("")).toBe("cccscccs");
  });

  describe("of a team that is to be created", () => {
    const science = aCreation("ada", { createsTeam: "Science" });
    const both = [science, aCreation("bo", { createsTeam: "Ops" })];

    test("are checked again in one list for all of them", async () => {
      const { calls, simulated } = await runPlan(both, old);
      expect(calls.filter((call) => call === "list-users")).toHaveLength(1);
      expect(simulated.world.teams.size).toBe(2);
    });

    test("and is there by now make its creation of a team stale", async () => {
      const world = aWorldOf({ users: { cy: {} }, teams: { SCIENCE: { members: ["cy"] } } });
      const { about } = await runPlan(both, { world, ...old });
      expect([about(), about(bo.id)]).toEqual(["stale: the team Science exists now", "intended, succeeded"]);
    });

    test("whose administrator is gone by now make its creation of a team stale", async () => {
      const withAdmin = aCreation("ada", { createsTeam: "Science", admin: person("chief", "u-chief") });
      expect((await runPlan([withAdmin], old)).about()).toBe("stale: chief@acme.example does not exist any more");
    });

    test("on a list that is incomplete are not proven any more", async () => {
      const complete = { yes: false, why: "page 7 failed" } as const;
      const service = () => ({ listUsers: async () => success({ users: [], complete }) });
      const { about, sent } = await runPlan(both, { ...old, service });
      expect([about(), sent]).toEqual(["failed: stale", []]);
    });

    test("by a person's word need no list", async () => {
      const fact = unknown<string>("a person says that it is absent");
      const restsOn = [{ about: decodeSubject("team acc-1/science"), ...fact }];
      const { calls } = await runPlan([{ ...science, restsOn }], old);
      expect(calls).not.toContain("list-users");
    });
  });

  test("of a person who is there under a former address by now are stale", async () => {
    const world = aWorldOf({ users: { "ada@old.example": {} } });
    const { about } = await runPlan([{ ...ada, formerly: [addressOf("ada@old.example")] }], { world, ...old });
    expect(about()).toBe("stale: ada@old.example, a former address of ada@acme.example, exists now");
  });

  test.each<[string, Action]>([
    ["a creation", ada],
    ["an addition", addsAda],
    [
      "a replacement",
      aReplacement("p", { of: "prefix", prefix: observed("k-1", "search 1") }, ["DEVELOPER"], {
        before: observed(["TEAM_ROLE"], "search 1"),
        owner: person("ada", "u-ada"),
      }),
    ],
  ])("that a read does not prove any more keep %s from being sent, and are never taken for gone", async (_, action) => {
    const absences = new Map([[addressOf("ada"), { proven: false, why: "the control was not found" } as const]]);
    const people = { read: async () => success({ users: [], absences }) };
    const { about, sent } = await runPlan([action], { ...old, people });
    expect([about(action.id), sent]).toEqual(["failed: stale", []]);
  });
});

describe("what does not fit any more", () => {
  const why = "what is recorded of them has moved";
  const staleFor = (actions: readonly string[], members: readonly string[] = []): Scene => ({
    stale: {
      actions: new Map(actions.map((action) => [action, why])),
      members: new Map(
        members.map((name) => [membershipKeyOf(teamKeyOf("acc-1", "Ops"), addressOf(name)), `${name}: ${why}`]),
      ),
    },
  });
  const addsBoth = anAddition(ops, [person("ada", "u-ada"), person("bo", "u-bo")]);
  const world = () =>
    aWorldOf({ users: { ada: { identifier: "u-ada" }, bo: { identifier: "u-bo" } }, teams: { Ops: {} } });

  test("is stale without a read or a call, and what depends on it is skipped", async () => {
    const addition = anAddition(ops, [newPerson("cy")]);
    const scene = { world: world(), ...staleFor([createId("cy")]) };
    const { about, calls } = await runPlan([aCreation("cy"), addition], scene);
    expect([about(createId("cy")), calls]).toEqual([`stale: ${why}`, []]);
    expect(about(addition.id)).toContain(`skipped because of ${createId("cy")}`);
  });

  test("of an addition is one person: the others are added, and their keys alone are replaced", async () => {
    const roles = ["ada", "bo"].map((name) => rolesOfAdded(name, ops, ["DEVELOPER"]));
    const run = await runPlan([addsBoth, ...roles], { world: world(), ...staleFor([], ["ada"]) });
    expect(run.mails).toEqual(["bo"]);
    expect(run.outcome(addsBoth.id)).toMatchObject(ends(["bo", undefined], ["ada", "stale"]));
    expect(JSON.stringify(run.outcome(addsBoth.id))).toContain(`ada: ${why}`);
    expect(roles.map(({ id }) => run.outcome(id)?.is)).toEqual(["skipped", "succeeded"]);
  });

  test("of an addition is everybody: the whole of it is stale, for the reasons of each", async () => {
    const { about, calls } = await runPlan([addsBoth], { world: world(), ...staleFor([], ["ada", "bo"]) });
    expect([about(addsBoth.id), calls]).toEqual([`stale: ada: ${why}; bo: ${why}`, []]);
  });
});
