import { describe, expect, test } from "vitest";
import type { Seed } from "../../../src/reference-server/seed.ts";
import { startReferenceServer } from "../../../src/reference-server/server.ts";
import { runningServer } from "./running-server.ts";

const ada = { email: "ada@acme.example", firstName: "Ada", lastName: "L" };

describe("the key of a new server", () => {
  const reference = "reference0admin0key0.dIm9rSnW3yEo7BtKuX2aQz5LcVh8PfGj";
  test.each<[string, Seed, string]>([
    ["is the documented one without a seed", {}, reference],
    [
      "is the documented one where the seed gives no secret",
      { users: [ada], keys: [{ prefix: "p", owner: ada.email, roles: ["SYSTEM_OWNER"] }] },
      reference,
    ],
    [
      "is the documented one where the seed's keys are no administrator's",
      { users: [ada], keys: [{ prefix: "p", secret: "s", owner: ada.email, roles: ["DEVELOPER"] }] },
      reference,
    ],
    [
      "is the documented one where the administrator is inactive",
      {
        users: [{ ...ada, status: "Inactive" }],
        keys: [{ prefix: "p", secret: "s", owner: ada.email, roles: ["SYSTEM_OWNER"] }],
      },
      reference,
    ],
    [
      "is the seed's administrator's",
      { users: [ada], keys: [{ prefix: "p", secret: "s", owner: ada.email, roles: ["ACCOUNT_ADMIN"] }] },
      "p.s",
    ],
    [
      "is rather a Platform Administrator's",
      {
        users: [ada],
        teams: [
          {
            name: "T",
            admin: ada.email,
            members: [{ user: ada.email, prefix: "q", secret: "t", roles: ["SYSTEM_OWNER"] }],
          },
        ],
        keys: [{ prefix: "p", secret: "s", owner: ada.email, roles: ["ACCOUNT_ADMIN"] }],
      },
      "q.t",
    ],
    [
      "works where the first account is closed",
      { accounts: [{ identifier: "a", status: "Inactive" }, { identifier: "b" }] },
      reference,
    ],
  ])("%s", async (_, seed, key) => {
    const server = await runningServer({ seed });
    expect(server.key).toBe(key);
    expect((await server.call("GET", "/api/accounting/roles")).status).toBe(200);
  });
});

test("the same seed and the same calls give the same identifiers", async () => {
  const seen = [];
  for (const start of [7, 7, 8]) {
    const server = await runningServer({ start });
    const created = await server.call("POST", "/api/accounting/accounts/acc-1/users", ada);
    seen.push(JSON.stringify(created.body));
  }
  expect(seen[1]).toBe(seen[0]);
  expect(seen[2]).not.toBe(seen[0]);
});

test("a new user's identifier is free even where the seed took the next", async () => {
  const server = await runningServer({ seed: { users: [{ ...ada, identifier: "u-1" }] } });
  expect(server.world.users.map((user) => user.identifier)).toEqual(["u-1", "u-2"]);
});

test("a seed gives everybody one key of their own, and what it says besides", async () => {
  const server = await runningServer({
    seed: {
      roles: [
        { identifier: "PILOT", name: "Pilot", description: "Flies." },
        { identifier: "TEAM_ROLE", name: "Crew" },
      ],
      users: [ada, { ...ada, email: "bo@acme.example" }],
      teams: [
        {
          identifier: "t-air",
          name: "Air",
          admin: ada.email,
          members: [
            { user: "ADA@acme.example", prefix: "ada1", roles: ["PILOT"], status: "Inactive" },
            { user: "u-2" },
          ],
        },
      ],
      keys: [
        { prefix: "own", owner: ada.email, kind: "user", roles: [] },
        { prefix: "project1", owner: ada.email, roles: ["PILOT"] },
        { prefix: "project2", owner: ada.email, roles: ["PILOT"], status: "Inactive" },
      ],
    },
  });
  const shown = server.world.users.map(({ email, accessKeys }) => ({
    email,
    keys: accessKeys.map(({ prefix, kind, status, team, roles }) =>
      [
        prefix.length === 20 ? "drawn" : prefix,
        kind,
        status,
        team?.name ?? "-",
        ...roles.map((role) => role.identifier),
      ].join(" "),
    ),
  }));
  expect(shown).toEqual([
    {
      email: ada.email,
      keys: [
        "ada1 team Inactive Air PILOT",
        "own user Active -",
        "project1 project Active - PILOT",
        "project2 project Inactive - PILOT",
      ],
    },
    { email: "bo@acme.example", keys: ["drawn user Active - TEAM_ROLE", "drawn team Active Air TEAM_ROLE"] },
    { email: "root@reference.example", keys: ["drawn user Active - SYSTEM_OWNER"] },
  ]);
  expect(server.outbox).toEqual([]);
  expect((await server.call("GET", "/api/accounting/roles")).body).toMatchObject([
    { identifier: "SYSTEM_OWNER" },
    { identifier: "ACCOUNT_ADMIN" },
    { identifier: "TEAM_ROLE", name: "Crew" },
    { identifier: "PILOT", name: "Pilot", description: "Flies.", type: "user" },
  ]);
});

test("a seed that contradicts itself starts nothing", async () => {
  const seed: Seed = { users: [ada, { ...ada, email: "ADA@acme.example" }] };
  await expect(startReferenceServer({ port: 0, seed })).rejects.toThrow(
    'seed, users.1.email: The user "ADA@acme.example" is named twice',
  );
});
