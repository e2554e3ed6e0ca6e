import { describe, expect, test } from "vitest";
import type { Seed } from "../../../../src/reference-server/seed.ts";
import { refusal, runningServer } from "../running-server.ts";

const seed: Seed = {
  accounts: [{ identifier: "acc-1" }, { identifier: "acc-2" }],
  users: ["ada", "bo", "cy"].map((name) => ({ email: `${name}@acme.example`, firstName: name, lastName: "X" })),
  teams: [{ identifier: "t-data", name: "Data", admin: "ada@acme.example", members: [{ user: "ada@acme.example" }] }],
};
const members = "/api/accounting/teams/t-data/members";
const team = { identifier: "t-data", name: "Data" };

function memberAdded(identifier: string, email: string): object {
  const prefix = expect.stringMatching(/^[A-Za-z0-9]{20}$/);
  const accessKey = { prefix, status: "Active", kind: "team", team, roles: [{ identifier: "TEAM_ROLE" }] };
  return { identifier, email, accessKey };
}

describe("adding members", () => {
  test("gives each one an active team key and one mail", async () => {
    const server = await runningServer({ seed });
    const added = await server.call("POST", members, [{ identifier: "CY@acme.example" }, { identifier: "u-2" }]);
    expect({ status: added.status, body: added.body }).toEqual({
      status: 200,
      body: [memberAdded("u-3", "cy@acme.example"), memberAdded("u-2", "bo@acme.example")],
    });
    const link = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/invitations\/[A-Za-z0-9]{32}$/);
    const mail = { team: "t-data", teamName: "Data", at: "2026-11-20T00:00:00.000Z", link };
    const mails = [
      { ...mail, user: "u-3", address: "cy@acme.example" },
      { ...mail, user: "u-2", address: "bo@acme.example" },
    ];
    expect(server.outbox).toEqual(mails);
    expect((await server.send("/reference/outbox", { method: "GET" })).body).toEqual(mails);
    expect(server.world.teams[0]?.members).toEqual(["ada@acme.example", "cy@acme.example", "bo@acme.example"]);
  });

  test("the new key stands beside the user's own", async () => {
    const server = await runningServer({ seed });
    await server.call("POST", members, [{ identifier: "u-2" }]);
    const found = await server.call("POST", "/api/accounting/users/search", { identifiers: ["u-2"] });
    expect(found.body).toMatchObject([
      {
        accessKeys: [
          { kind: "user", team: null, isDefault: true },
          { kind: "team", team, isDefault: false },
        ],
      },
    ]);
  });

  test("whoever is named twice is added once", async () => {
    const server = await runningServer({ seed });
    const added = await server.call("POST", members, [{ identifier: "u-2" }, { identifier: "bo@acme.example" }]);
    expect(added.body).toEqual([memberAdded("u-2", "bo@acme.example")]);
    expect(server.outbox.map((mail) => mail.address)).toEqual(["bo@acme.example"]);
  });

  test("a deleted key makes nobody a member, be it seeded or deleted by then: its holder is added with another one", async () => {
    const [data] = seed.teams ?? [];
    const left = { user: "bo@acme.example", status: "deleted", prefix: "left-behind" };
    const teams = data === undefined ? [] : [{ ...data, members: [{ user: "ada@acme.example" }, left] }];
    const server = await runningServer({ seed: { ...seed, teams } });
    const prefix = server.world.addMember("Data", "cy@acme.example");
    server.world.setKeyStatus(prefix, "Deleted");
    expect(server.world.teams[0]?.members).toEqual(["ada@acme.example"]);
    const added = await server.call("POST", members, [{ identifier: "u-2" }, { identifier: "u-3" }]);
    expect(added.status).toBe(200);
    const everybody = ["ada@acme.example", "bo@acme.example", "cy@acme.example"];
    expect(server.world.teams[0]?.members).toEqual(everybody);
    server.world.removeKey("left-behind");
    expect(server.world.teams[0]?.members).toEqual(everybody);
  });

  test("a key that is switched off leaves its holder a member", async () => {
    const server = await runningServer({ seed });
    server.world.setKeyStatus(server.world.addMember("Data", "bo@acme.example"), "Inactive");
    expect((await server.call("POST", members, [{ identifier: "u-2" }])).status).toBe(409);
  });

  test("a user of another account may join", async () => {
    const server = await runningServer({ seed });
    const identifier = server.world.addUser({
      account: "acc-2",
      email: "eve@beta.example",
      firstName: "E",
      lastName: "V",
    });
    expect((await server.call("POST", members, [{ identifier }])).status).toBe(200);
  });

  test("whoever has left may be added again", async () => {
    const server = await runningServer({ seed });
    server.world.removeMember("Data", "ada@acme.example");
    expect((await server.call("POST", members, [{ identifier: "u-1" }])).status).toBe(200);
    expect(server.world.teams[0]?.members).toEqual(["ada@acme.example"]);
  });
});

describe("nobody is added and no mail is sent", () => {
  test.each([
    ["to a team that is not there", "t-none", [{ identifier: "u-2" }], 404, 'The team "t-none" was not found'],
    [
      "where one is unknown",
      "t-data",
      [{ identifier: "u-2" }, { identifier: "u-99" }],
      404,
      'The user "u-99" was not found; nobody was added',
    ],
    [
      "where one is a member",
      "t-data",
      [{ identifier: "u-2" }, { identifier: "Ada@acme.example" }],
      409,
      'The user "Ada@acme.example" is a member of the team "Data" already; nobody was added',
    ],
    ["where nobody is named", "t-data", [], 400, "The body is not as described: the body must not be empty"],
    [
      "where one has no identifier",
      "t-data",
      [{ identifier: "u-2" }, {}],
      400,
      "The body is not as described: [1].identifier is missing",
    ],
    [
      "where an identifier is a number",
      "t-data",
      [{ identifier: 2 }],
      400,
      "The body is not as described: [0].identifier must be of type string",
    ],
    [
      "where the body is one object",
      "t-data",
      { identifier: "u-2" },
      400,
      "The body is not as described: the body must be of type array",
    ],
    [
      "where one has a field too many",
      "t-data",
      [{ identifier: "u-2", email: "x" }],
      400,
      "The body is not as described: [0].email is not a known field",
    ],
  ])("%s", async (_, named, body, status, message) => {
    const server = await runningServer({ seed });
    const refused = await server.call("POST", `/api/accounting/teams/${named}/members`, body);
    expect({ status: refused.status, body: refused.body }).toEqual({
      status,
      body: refusal(status, message, server),
    });
    expect(server.world.teams[0]?.members).toEqual(["ada@acme.example"]);
    expect(server.outbox).toEqual([]);
  });

  test("a message names at most five faults", async () => {
    const server = await runningServer({ seed });
    const refused = await server.call("POST", members, [{}, {}, {}, {}, {}, {}, {}]);
    expect(refused.body).toMatchObject({
      message: expect.stringMatching(/: \[0\]\.identifier is missing; .*; and 2 more$/),
    });
  });
});
