import { describe, expect, test } from "vitest";
import { observed, unknown } from "../../../src/model/fact.ts";
import { membershipKeyOf } from "../../../src/model/membership.ts";
import { success } from "../../../src/model/result.ts";
import { decodeSubject } from "../../../src/model/subject.ts";
import { teamKeyOf } from "../../../src/model/team.ts";
import type { AccountService, UserReader } from "../../../src/ports/account-service.ts";
import type { StaleActions } from "../../../src/run/apply-input.ts";
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
import { aboutAction, applied, brief, emptyService } from "../../support/apply-run.ts";
import { noon } from "../../support/event-builders.ts";
import { clockAt } from "../../support/fixed-ports.ts";
import { addressOf } from "../../support/roster-builders.ts";
import { teamCreation } from "../../support/science-plan.ts";
import { aFailure } from "../../support/simulated-service.ts";
import { aWorld, putTeam, putUser } from "../../support/simulated-world.ts";

describe("facts that have become old", () => {
  const old = "2026-11-20T11:58:59.000Z";

  test("are checked again in one search for the people of the whole plan", async () => {
    const simulated = emptyService();
    await applied([aCreation("ada"), aCreation("bo"), aCreation("cy")], simulated, { factsAt: old });
    expect(simulated.calls[0]).toEqual({
      route: "search-users",
      identifiers: ["ada@acme.example", "bo@acme.example", "cy@acme.example"],
    });
    expect(simulated.requests.reads).toBe(2);
  });

  test("are not checked again within a minute", async () => {
    const simulated = emptyService();
    await applied([aCreation("ada")], simulated, { factsAt: "2026-11-20T11:59:00.000Z" });
    expect(simulated.requests.reads).toBe(1);
  });

  test("that another run has read are checked again, however new they are", async () => {
    const world = aWorld();
    putUser(world, { email: "ada@acme.example" });
    const simulated = emptyService({ world });
    const events = await applied([aCreation("ada"), aCreation("bo")], simulated, { factsAt: "another run" });
    expect(aboutAction(events, teamCreation)).toEqual([`stale ${teamCreation}: ada@acme.example exists now`]);
    expect(aboutAction(events, createId("bo"))).toContain(`succeeded ${createId("bo")}`);
  });

  test("and have moved make their own action stale, and no other", async () => {
    const world = aWorld();
    putUser(world, { email: "ada@acme.example" });
    const simulated = emptyService({ world });
    const events = await applied([aCreation("ada"), aCreation("bo")], simulated, { factsAt: old });
    expect(aboutAction(events, teamCreation)).toEqual([`stale ${teamCreation}: ada@acme.example exists now`]);
    expect(aboutAction(events, createId("bo"))).toContain(`succeeded ${createId("bo")}`);
  });

  test("of a member who was added by somebody else, or is gone, shrink the call", async () => {
    const world = aWorld();
    const [ada, bo] = [putUser(world, { email: "ada@acme.example" }), putUser(world, { email: "bo@acme.example" })];
    const team = teamRef("Ops", putTeam(world, { name: "Ops", members: [ada] }).identifier);
    const members = [person("ada", ada.identifier), person("bo", bo.identifier), person("cy", "u-gone")];
    const simulated = emptyService({ world });
    const events = await applied([anAddition(team, members)], simulated, { factsAt: old });
    expect(simulated.outbox).toEqual([
      { email: "bo@acme.example", team: team.identifier.known === "observed" ? team.identifier.value : "" },
    ]);
    expect(events.find((event) => event.type === "intended")).toMatchObject({
      intent: { addresses: [addressOf("bo")] },
    });
    expect(events.find((event) => event.type === "succeeded")).toMatchObject({
      learned: {
        members: [
          { address: addressOf("bo"), outcome: { added: true } },
          { address: addressOf("ada"), outcome: { added: false, failure: { code: "conflict" } } },
          { address: addressOf("cy"), outcome: { added: false, failure: { code: "not-found" } } },
        ],
      },
    });
  });

  test.each([
    ["deleted", { status: "Deleted" }, "ada@acme.example was deleted"],
    ["barred", { status: "Inactive" }, "ada@acme.example is Inactive now"],
    ["somebody else", { identifier: "u-other" }, "another user has the address ada@acme.example now"],
  ])("of a member who is %s keep them from being added", async (_, now, why) => {
    const world = aWorld();
    putUser(world, { email: "ada@acme.example", identifier: "u-ada", ...now });
    const action = anAddition(teamRef("Ops", putTeam(world, { name: "Ops" }).identifier), [person("ada", "u-ada")]);
    const simulated = emptyService({ world });
    const events = await applied([action], simulated, { factsAt: old });
    expect(aboutAction(events, action.id)).toEqual([`stale ${action.id}: ${why}`]);
    expect(simulated.outbox).toEqual([]);
  });

  test.each([
    ["one of whom is the one who was meant", "u-ada", `succeeded ${addId("Ops")}`],
    [
      "none of whom is the one who was meant",
      "u-gone",
      `stale ${addId("Ops")}: several users have the address ada@acme.example now`,
    ],
  ])("of a member whose address two users share, %s", async (_, meant, outcome) => {
    const world = aWorld();
    for (const identifier of ["u-ada", "u-twin"]) putUser(world, { email: "ada@acme.example", identifier });
    const action = anAddition(teamRef("Ops", putTeam(world, { name: "Ops" }).identifier), [person("ada", meant)]);
    const events = await applied([action], emptyService({ world }), { factsAt: old });
    expect(aboutAction(events, action.id).at(-1)).toBe(outcome);
  });

  test("of every member make the whole call stale", async () => {
    const world = aWorld();
    const ada = putUser(world, { email: "ada@acme.example" });
    const team = teamRef("Ops", putTeam(world, { name: "Ops", members: [ada] }).identifier);
    const action = anAddition(team, [person("ada", ada.identifier)]);
    const events = await applied([action], emptyService({ world }), { factsAt: old });
    expect(aboutAction(events, action.id)).toEqual([`stale ${action.id}: ada@acme.example is already a member of Ops`]);
  });

  test.each([
    ["roles that somebody else has replaced", ["AUDITOR"], "has other roles now: TEAM_ROLE", "stale"],
    ["roles that are as they were", ["TEAM_ROLE"], "", "succeeded"],
  ])("of a key: %s", async (_, before, why, outcome) => {
    const world = aWorld();
    const ada = putUser(world, { email: "ada@acme.example" });
    const prefix = ada.keys[0]?.prefix ?? "";
    const key = { of: "prefix", prefix: { known: "observed", value: prefix, by: "search 1" } } as const;
    const action = aReplacement("p", key, ["DEVELOPER"], {
      before: { known: "observed", value: before, by: "search 1" },
      owner: person("ada", ada.identifier),
    });
    const told = aboutAction(await applied([action], emptyService({ world }), { factsAt: old }), "p").at(-1);
    expect(told).toBe(outcome === "stale" ? `stale p: the key ${prefix} ${why}` : "succeeded p");
  });

  test("that cannot be read again keep their action from running, and only theirs", async () => {
    const simulated = emptyService({
      before: (call) => (call.route === "search-users" ? { failure: aFailure("service-error") } : undefined),
    });
    const events = await applied([aCreation("ada")], simulated, { factsAt: old });
    expect(brief(events)).toEqual(["run-started", `failed ${teamCreation}: service-error`, "finished completed"]);
  });

  test("become too old in a long run, and are then checked once for all who still wait", async () => {
    const clock = clockAt(noon);
    const people = Array.from({ length: 6 }, (_, index) => aCreation(`p${index}`));
    const simulated = emptyService({
      before: (call) => {
        if (call.route === "create-user") clock.move(25_000);
        return undefined;
      },
    });
    await applied(people, simulated, { clock, parallelism: 1 });
    expect(simulated.world.users).toHaveLength(6);
    expect(simulated.calls.map(({ route }) => (route === "create-user" ? "c" : "s")).join("")).toBe("cccscccs");
  });

  describe("of a team that is to be created", () => {
    const firstMembers = [aCreation("ada", { createsTeam: "Science" }), aCreation("bo", { createsTeam: "Ops" })];

    test("are checked again in one list for all of them", async () => {
      const simulated = emptyService();
      await applied(firstMembers, simulated, { factsAt: old });
      expect(simulated.calls.filter(({ route }) => route === "list-users")).toHaveLength(1);
      expect(simulated.world.teams.size).toBe(2);
    });

    test("and is there by now make its creation of a team stale", async () => {
      const world = aWorld();
      putTeam(world, { name: "SCIENCE", members: [putUser(world, { email: "cy@acme.example" })] });
      const events = await applied(firstMembers, emptyService({ world }), { factsAt: old });
      expect(aboutAction(events, teamCreation)).toEqual([`stale ${teamCreation}: the team Science exists now`]);
      expect(aboutAction(events, createId("bo"))).toContain(`succeeded ${createId("bo")}`);
    });

    test("whose administrator is gone by now make its creation of a team stale", async () => {
      const admin = person("chief", "u-chief");
      const events = await applied([aCreation("ada", { createsTeam: "Science", admin })], emptyService(), {
        factsAt: old,
      });
      expect(aboutAction(events, teamCreation)).toEqual([
        `stale ${teamCreation}: chief@acme.example does not exist any more`,
      ]);
    });

    test("on a list that is incomplete are not proven any more", async () => {
      const simulated = emptyService();
      const incomplete: AccountService = {
        ...simulated,
        listUsers: async () => success({ users: [], complete: { yes: false, why: "page 7 failed" } }),
      };
      const events = await applied(firstMembers, incomplete, { factsAt: old });
      expect(aboutAction(events, teamCreation)).toEqual([`failed ${teamCreation}: stale`]);
      expect(simulated.requests.writes).toBe(0);
    });

    test("by a person's word need no list", async () => {
      const simulated = emptyService();
      const restsOn = [
        { about: decodeSubject("team acc-1/science"), fact: unknown<string>("a person says that it is absent") },
      ];
      await applied([{ ...aCreation("ada", { createsTeam: "Science" }), restsOn }], simulated, { factsAt: old });
      expect(simulated.calls.filter(({ route }) => route === "list-users")).toEqual([]);
    });
  });

  test("of a person who is there under a former address by now are stale", async () => {
    const world = aWorld();
    putUser(world, { email: "ada@old.example" });
    const action = { ...aCreation("ada"), formerly: [addressOf("ada@old.example")] };
    const events = await applied([action], emptyService({ world }), { factsAt: old });
    expect(aboutAction(events, teamCreation)).toEqual([
      `stale ${teamCreation}: ada@old.example, a former address of ada@acme.example, exists now`,
    ]);
  });

  test.each([
    ["a creation", aCreation("ada")],
    ["an addition", anAddition(teamRef("Ops", "t-1"), [person("ada", "u-ada")])],
    [
      "a replacement",
      aReplacement("p", { of: "prefix", prefix: observed("k-1", "search 1") }, ["DEVELOPER"], {
        before: observed(["TEAM_ROLE"], "search 1"),
        owner: person("ada", "u-ada"),
      }),
    ],
  ])("that a read does not prove any more keep %s from being sent, and are never taken for gone", async (_, action) => {
    const simulated = emptyService();
    const unproven = { proven: false, why: "the control was not found" } as const;
    const absences = new Map([[addressOf("ada"), unproven]]);
    const people: UserReader = { read: async () => success({ users: [], absences }) };
    const events = await applied([action], simulated, { factsAt: old, people });
    expect(aboutAction(events, action.id)).toEqual([`failed ${action.id}: stale`]);
    expect(simulated.requests.writes).toBe(0);
  });
});

const why = "what is recorded of them has moved";

function staleFor({
  actions = [],
  members = [],
}: {
  actions?: readonly string[];
  members?: readonly string[];
}): StaleActions {
  const team = teamKeyOf("acc-1", "Ops");
  return {
    actions: new Map(actions.map((action) => [action, why])),
    members: new Map(members.map((name) => [membershipKeyOf(team, addressOf(name)), `${name}: ${why}`])),
  };
}

function ops() {
  const world = aWorld();
  const [ada, bo] = [putUser(world, { email: "ada@acme.example" }), putUser(world, { email: "bo@acme.example" })];
  const { identifier } = putTeam(world, { name: "Ops" });
  const team = teamRef("Ops", identifier);
  const members = [person("ada", ada.identifier), person("bo", bo.identifier)];
  return { service: emptyService({ world }), team, members, identifier };
}

describe("what does not fit any more", () => {
  test("is stale without a read or a call, and what depends on it is skipped", async () => {
    const { service, team } = ops();
    const addition = anAddition(team, [newPerson("cy")]);
    const stale = staleFor({ actions: [createId("cy")] });
    const events = await applied([aCreation("cy"), addition], service, { stale });
    expect(aboutAction(events, createId("cy"))).toEqual([`stale ${createId("cy")}: ${why}`]);
    expect(aboutAction(events, addition.id)[0]).toContain(`skipped ${addition.id} because of ${createId("cy")}`);
    expect(service.calls).toEqual([]);
  });

  test("of an addition is one person: the others are added, and their keys alone are replaced", async () => {
    const { service, team, members, identifier } = ops();
    const actions = [
      anAddition(team, members),
      ...["ada", "bo"].map((name) => rolesOfAdded(name, team, ["DEVELOPER"])),
    ];
    const events = await applied(actions, service, { stale: staleFor({ members: ["ada"] }) });
    expect(service.outbox).toEqual([{ email: "bo@acme.example", team: identifier }]);
    expect(events.find((event) => event.type === "succeeded")).toMatchObject({
      learned: {
        members: [
          { address: addressOf("bo"), outcome: { added: true } },
          {
            address: addressOf("ada"),
            outcome: { added: false, failure: { code: "stale", message: `ada: ${why}` } },
          },
        ],
      },
    });
    expect(actions.slice(1).map(({ id }) => aboutAction(events, id).at(-1)?.split(" ")[0])).toEqual([
      "skipped",
      "succeeded",
    ]);
  });

  test("of an addition is everybody: the whole of it is stale, for the reasons of each", async () => {
    const { service, team, members } = ops();
    const stale = staleFor({ members: ["ada", "bo"] });
    const events = await applied([anAddition(team, members)], service, { stale });
    const id = addId("Ops");
    expect(aboutAction(events, id)).toEqual([`stale ${id}: ada: ${why}; bo: ${why}`]);
    expect(service.calls).toEqual([]);
  });
});
