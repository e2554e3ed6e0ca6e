import { describe, expect, test } from "vitest";
import { problem, success } from "../../../src/model/failure.ts";
import type { AddressedUser } from "../../../src/model/user.ts";
import { peopleReader } from "../../../src/observe/read-users.ts";
import { addressOf, emailOf } from "../../support/roster-builders.ts";
import { aFailure, type SimulationOptions, simulatedService } from "../../support/simulated-service.ts";
import { aWorld, putUser } from "../../support/simulated-world.ts";

function reading(present: readonly string[], known: readonly string[], options: Partial<SimulationOptions> = {}) {
  const world = aWorld();
  for (const name of present) putUser(world, { email: emailOf(name) });
  const service = simulatedService({ world, ...options });
  const reader = peopleReader({ service, parallelism: 2, known: known.map(sought) });
  const asked = () => service.calls.map((call) => (call.route === "search-users" ? call.identifiers : call.route));
  return { world, service, reader, asked };
}

function sought(name: string): AddressedUser {
  return { address: addressOf(name), email: emailOf(name) };
}

describe("people are read again as carefully as for a plan", () => {
  test("whoever is found is told by the name of the read, whoever is not with what proves it", async () => {
    const { reader, asked } = reading(["admin", "ada"], ["admin"]);
    const read = await reader.read([sought("ada"), sought("bo")], "recheck");
    expect(read.ok && read.value.users.map(({ email, by }) => [email, by])).toEqual([
      ["ada@acme.example", "recheck 1"],
    ]);
    expect(read.ok && read.value.absences).toEqual(new Map([[addressOf("bo"), { proven: true, by: "recheck 2" }]]));
    expect(asked()).toEqual([
      ["ada@acme.example", "bo@acme.example", "admin@acme.example"],
      ["bo@acme.example", "admin@acme.example"],
    ]);
  });

  test("whoever was found once is a probe from then on, and the names go on", async () => {
    const { reader, asked } = reading(["ada"], []);
    await reader.read([sought("ada")], "check");
    const read = await reader.read([sought("bo")], "check");
    expect(read.ok && read.value.absences).toEqual(new Map([[addressOf("bo"), { proven: true, by: "check 1" }]]));
    expect(asked()).toEqual(["list-users", ["bo@acme.example", "ada@acme.example"]]);
  });

  test("two users of one address are both told", async () => {
    const { reader, world } = reading(["admin", "ada"], ["admin"]);
    putUser(world, { email: "ADA@acme.example" });
    const read = await reader.read([sought("ada")], "check");
    expect(read.ok && read.value.users.map(({ email }) => email)).toEqual(["ada@acme.example", "ADA@acme.example"]);
  });

  test.each([
    ["by the complete list of nobody, where nobody is known at all", [], { yes: true }, true],
    ["not by a list of nobody that is incomplete", [], { yes: false, why: "page 2 failed" }, false],
    ["not by a search that finds nobody", ["admin"], { yes: true }, false],
  ] as const)("an absence is proven %s", async (_, known, complete, proven) => {
    const listUsers = async () => success({ users: [], complete });
    const service = { ...reading([], []).service, listUsers };
    const read = await peopleReader({ service, parallelism: 2, known: known.map(sought) }).read(
      [sought("ada")],
      "check",
    );
    expect(read.ok && read.value.absences.get(addressOf("ada"))?.proven).toBe(proven);
  });

  test("a search that fails is a failure, and nobody is asked for where nobody is sought", async () => {
    const failure = aFailure("service-error");
    const { reader, service } = reading(["ada"], ["ada"], { before: () => ({ failure }) });
    expect(await reader.read([sought("bo")], "check")).toEqual(problem(failure));
    expect(await reader.read([], "check")).toEqual({ ok: true, value: { users: [], absences: new Map() } });
    expect(service.calls.length).toBe(1);
  });
});
