import { describe, expect, test } from "vitest";
import { aFailure, simulatedService } from "../../support/simulated-service.ts";
import { aWorld, putTeam, putUser } from "../../support/simulated-world.ts";

const ada = { email: "ada@acme.example", firstName: "Ada", lastName: "L" };

describe("the simulated service", () => {
  test("refuses a second user with a folded address", async () => {
    const service = simulatedService({ world: aWorld() });
    await service.createUser("acc-1", ada, undefined);
    const again = await service.createUser("acc-1", { ...ada, email: "ADA@acme.example" }, undefined);
    expect(again).toEqual({
      outcome: "failed",
      failure: { code: "conflict", message: "there is a user ADA@acme.example already" },
    });
  });

  test("creates a team with appended, validated roles and names it in the answer", async () => {
    const service = simulatedService({ world: aWorld() });
    const team = { name: "Data", accessKeyRoles: ["DEVELOPER"] };
    expect(await service.createUser("acc-1", ada, team)).toMatchObject({
      outcome: "done",
      value: {
        key: { kind: "team", roles: ["DEVELOPER", "TEAM_ROLE"], team: { name: "Data" } },
        team: { name: "Data" },
      },
    });
  });

  test.each([
    ["an unknown administrator", { name: "T", adminUserIdentifier: "bo@acme.example", accessKeyRoles: ["DEVELOPER"] }],
    ["an unknown role", { name: "T", accessKeyRoles: ["NOBODY"] }],
  ])("refuses %s", async (_what, team) => {
    const service = simulatedService({ world: aWorld() });
    expect(await service.createUser("acc-1", ada, team)).toMatchObject({ outcome: "failed" });
    expect(service.world.users).toEqual([]);
  });

  test("grants ACCOUNT_ADMIN where no roles are asked for", async () => {
    const service = simulatedService({ world: aWorld() });
    await service.createUser("acc-1", ada, { name: "T", accessKeyRoles: [] });
    expect(service.world.users[0]?.keys[0]?.roles).toEqual(["ACCOUNT_ADMIN", "TEAM_ROLE"]);
  });

  test("adds members once, mails them, and refuses who is a member or not there", async () => {
    const world = aWorld();
    const bo = putUser(world, { email: "bo@acme.example" });
    const cy = putUser(world, { email: "cy@acme.example" });
    const team = putTeam(world, { name: "T", members: [bo] });
    const service = simulatedService({ world });
    expect(await service.addMembers(team.identifier, [bo.identifier, cy.identifier])).toMatchObject({
      outcome: "failed",
      failure: { code: "conflict" },
    });
    expect(await service.addMembers(team.identifier, ["nobody"])).toMatchObject({ failure: { code: "not-found" } });
    await service.addMembers(team.identifier, [cy.identifier]);
    expect(service.outbox).toEqual([{ email: "cy@acme.example", team: team.identifier }]);
    expect(service.requests).toEqual({ reads: 0, writes: 3 });
  });

  test("hooks stop a call before its effect, or throw its answer away after it", async () => {
    const failure = aFailure("unreachable");
    const stopped = simulatedService({ world: aWorld(), before: () => ({ outcome: "unknown", failure }) });
    expect(await stopped.createUser("acc-1", ada, undefined)).toEqual({ outcome: "unknown", failure });
    expect(stopped.world.users).toEqual([]);
    const lost = simulatedService({ world: aWorld(), after: () => ({ failure }) });
    expect(await lost.createUser("acc-1", ada, undefined)).toEqual({ outcome: "unknown", failure });
    expect(lost.world.users).toHaveLength(1);
  });
});
