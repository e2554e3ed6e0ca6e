import { describe, expect, test } from "vitest";
import { aCreation, anAddition, aReplacement, createId, person, teamRef } from "../../support/action-builders.ts";
import { aboutAction, applied, brief, emptyService } from "../../support/apply-run.ts";
import { noon } from "../../support/event-builders.ts";
import { clockAt } from "../../support/fixed-ports.ts";
import { addressOf } from "../../support/roster-builders.ts";
import { founding } from "../../support/science-plan.ts";
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

  test("and have moved make their own action stale, and no other", async () => {
    const world = aWorld();
    putUser(world, { email: "ada@acme.example" });
    const simulated = emptyService({ world });
    const events = await applied([aCreation("ada"), aCreation("bo")], simulated, { factsAt: old });
    expect(aboutAction(events, founding)).toEqual([`stale ${founding}: ada@acme.example is in the service by now`]);
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

  test("of every member make the whole call stale", async () => {
    const world = aWorld();
    const ada = putUser(world, { email: "ada@acme.example" });
    const team = teamRef("Ops", putTeam(world, { name: "Ops", members: [ada] }).identifier);
    const action = anAddition(team, [person("ada", ada.identifier)]);
    const events = await applied([action], emptyService({ world }), { factsAt: old });
    expect(aboutAction(events, action.id)).toEqual([`stale ${action.id}: ada@acme.example is a member of Ops by now`]);
  });

  test.each([
    ["roles that somebody else has replaced", ["AUDITOR"], "has other roles by now: TEAM_ROLE", "stale"],
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
    expect(brief(events)).toEqual(["run-started", `failed ${founding}: service-error`, "finished completed"]);
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
});
