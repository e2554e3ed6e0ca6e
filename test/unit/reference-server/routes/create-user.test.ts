import { describe, expect, test } from "vitest";
import { type RunningServer, refusal, runningServer } from "../running-server.ts";

const ada = { email: "ada@acme.example", firstName: "Ada", lastName: "Lovelace" };
const users = "/api/accounting/accounts/acc-1/users";

describe("creating a user", () => {
  test("without a team gives them a key of their own", async () => {
    const server = await runningServer();
    const profile = { title: "Countess", externalIdentifier: "x-1", source: "gitops" };
    const created = await server.call("POST", users, { ...ada, ...profile });
    expect({ status: created.status, body: created.body }).toEqual({
      status: 201,
      body: {
        identifier: "u-2",
        ...ada,
        ...profile,
        status: "Active",
        accessKeys: [
          {
            prefix: expect.stringMatching(/^[A-Za-z0-9]{20}$/),
            status: "Active",
            kind: "user",
            team: null,
            roles: [{ identifier: "TEAM_ROLE" }],
            isDefault: true,
          },
        ],
      },
    });
    expect(server.outbox).toEqual([]);
  });

  test("with an empty team creates a team by the letter of the rules", async () => {
    const server = await runningServer();
    const created = await server.call("POST", users, { ...ada, team: {} });
    const team = { identifier: "t-1", name: "TeamAda Lovelace" };
    expect(created.body).toEqual({
      identifier: "u-2",
      ...ada,
      title: null,
      externalIdentifier: null,
      source: null,
      status: "Active",
      accessKeys: [
        {
          prefix: expect.stringMatching(/^[A-Za-z0-9]{20}$/),
          status: "Active",
          kind: "team",
          team,
          roles: [{ identifier: "ACCOUNT_ADMIN" }, { identifier: "TEAM_ROLE" }],
          isDefault: false,
        },
      ],
      team,
    });
    expect(server.world.teams).toEqual([{ ...team, account: "acc-1", admin: ada.email, members: [ada.email] }]);
    expect(server.outbox).toEqual([]);
  });

  test.each([
    [
      "roles are appended to TEAM_ROLE, each once",
      { accessKeyRoles: ["DEVELOPER", "TEAM_ROLE"] },
      ["TEAM_ROLE", "DEVELOPER"],
    ],
    ["an empty list of roles is as none", { name: "Data", accessKeyRoles: [] }, ["ACCOUNT_ADMIN", "TEAM_ROLE"]],
    ["a name alone leaves the roles as they are without any", { name: "Data" }, ["ACCOUNT_ADMIN", "TEAM_ROLE"]],
  ])("%s", async (_, team, roles) => {
    const server = await runningServer();
    await server.call("POST", users, { ...ada, team });
    expect(rolesOf(server, ada.email)).toEqual(roles);
  });

  test.each(["u-1", "ROOT@reference.example"])("names another administrator as %s", async (adminUserIdentifier) => {
    const server = await runningServer();
    const created = await server.call("POST", users, { ...ada, team: { name: "Data", adminUserIdentifier } });
    expect(created.status).toBe(201);
    expect(server.world.teams).toEqual([
      { identifier: "t-1", name: "Data", account: "acc-1", admin: "root@reference.example", members: [ada.email] },
    ]);
  });

  test("creates a second team of the same name", async () => {
    const server = await runningServer();
    await server.call("POST", users, { ...ada, team: { name: "Data" } });
    await server.call("POST", users, { ...ada, email: "bo@acme.example", team: { name: "Data" } });
    expect(server.world.teams.map(({ identifier, name }) => ({ identifier, name }))).toEqual([
      { identifier: "t-1", name: "Data" },
      { identifier: "t-2", name: "Data" },
    ]);
  });

  test("keeps the address as it was sent", async () => {
    const server = await runningServer();
    await server.call("POST", users, { ...ada, email: "Ada.L+x@Acme.Example" });
    expect(server.world.users.map((user) => user.email)).toEqual(["root@reference.example", "Ada.L+x@Acme.Example"]);
  });
});

describe("a creation is refused", () => {
  test.each([
    ["whose account is not there", "acc-9", {}, 404, 'The account "acc-9" was not found'],
    [
      "whose account is inactive",
      "acc-2",
      {},
      400,
      'The account "acc-2" has the status Inactive; no user can be created',
    ],
    [
      "whose address is taken in another account, in other letters",
      "acc-1",
      { email: "BO@old.example" },
      409,
      'A user with the email "BO@old.example" is there already',
    ],
    [
      "whose administrator is nobody",
      "acc-1",
      { team: { adminUserIdentifier: "u-99" } },
      400,
      'The field team.adminUserIdentifier matches no user: "u-99"',
    ],
    [
      "whose administrator would be the new user, who does not exist yet",
      "acc-1",
      { team: { adminUserIdentifier: ada.email } },
      400,
      'The field team.adminUserIdentifier matches no user: "ada@acme.example"',
    ],
    [
      "whose role is not known",
      "acc-1",
      { team: { accessKeyRoles: ["DEVELOPER", "developer"] } },
      400,
      'The role "developer" is not known',
    ],
    ["without a last name", "acc-1", { lastName: undefined }, 400, "The body is not as described: lastName is missing"],
    [
      "with a blank name",
      "acc-1",
      { firstName: "  " },
      400,
      "The body is not as described: firstName must not be empty",
    ],
    [
      "with an address that is none",
      "acc-1",
      { email: "ada" },
      400,
      "The body is not as described: email must be an e-mail address",
    ],
    [
      "with an address that programs read in several ways",
      "acc-1",
      { email: "ada@acme.example/é.evil.example" },
      400,
      "The body is not as described: email must be an e-mail address",
    ],
    [
      "with a title that is no text",
      "acc-1",
      { title: null },
      400,
      "The body is not as described: title must be of type string",
    ],
    [
      "with an unknown field",
      "acc-1",
      { tilte: "Countess" },
      400,
      "The body is not as described: tilte is not a known field",
    ],
    [
      "with an unknown field of the team",
      "acc-1",
      { team: { admin: "u-1" } },
      400,
      "The body is not as described: team.admin is not a known field",
    ],
    [
      "with a role that is no text",
      "acc-1",
      { team: { accessKeyRoles: ["DEVELOPER", 7] } },
      400,
      "The body is not as described: team.accessKeyRoles[1] must be of type string",
    ],
  ])("%s", async (_, account, change, status, message) => {
    const server = await runningServer({
      seed: {
        accounts: [{ identifier: "acc-1" }, { identifier: "acc-2", status: "Inactive" }],
        users: [{ account: "acc-2", email: "bo@old.example", firstName: "Bo", lastName: "Old" }],
      },
    });
    const before = server.world.users;
    const answered = await server.call("POST", `/api/accounting/accounts/${account}/users`, { ...ada, ...change });
    expect({ status: answered.status, body: answered.body }).toEqual({
      status,
      body: refusal(status, message, server),
    });
    expect({ users: server.world.users, teams: server.world.teams }).toEqual({ users: before, teams: [] });
  });
});

function rolesOf(server: RunningServer, email: string): readonly string[] {
  const user = server.world.users.find((candidate) => candidate.email === email);
  return (user?.accessKeys ?? []).flatMap((key) => key.roles.map((role) => role.identifier));
}
