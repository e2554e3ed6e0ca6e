import { expect, test } from "vitest";
import { secondService } from "../../support/drawn/second-service.ts";
import { prefix, secondStage, stageSeed, stageStart } from "../../support/drawn/second-stage.ts";
import { usualWays } from "../../support/drawn/second-ways.ts";

const cy = { firstName: "Cy", lastName: "Young", email: "cy@acme.example" };
const account = { identifier: "acc-1", name: "Acme" };
const seeded = { title: null, externalIdentifier: null, status: "Active", account };
const role = { ACCOUNT_ADMIN: "account admin", DEVELOPER: "developer", TEAM_ROLE: "team role" } as const;
const roles = (...names: (keyof typeof role)[]) => names.map((identifier) => ({ identifier, name: role[identifier] }));
const ownKey = (letter: string, ...names: (keyof typeof role)[]) => ({
  prefix: prefix(letter),
  status: "Active",
  keyType: "user",
  roles: roles(...names),
});
const teamKey = (letter: string, team: { identifier: string; name: string }, ...names: (keyof typeof role)[]) => ({
  prefix: prefix(letter),
  status: "Active",
  keyType: "team",
  roles: roles(...names),
  team,
});
const ops = { identifier: "t-1", name: "Ops" };
const data = { identifier: "t-2", name: "Data" };
const ada = {
  identifier: "u-2",
  email: "Ada@acme.example",
  firstName: "Ada",
  lastName: "Lovelace",
  ...seeded,
  accessKeys: [ownKey("C", "DEVELOPER"), teamKey("G", ops, "DEVELOPER")],
};
const bo = {
  identifier: "u-3",
  email: "bo@acme.example",
  firstName: "Bo",
  lastName: "Diaz",
  ...seeded,
  accessKeys: [ownKey("E")],
};
const modzy = (statusCode: number, status: string, message: string) => ({
  statusCode,
  status,
  message,
  reportErrorUrl: "https://accounts.example/report?id=1",
});

test("the seed's people, teams and keys are there, and no mail was sent for them", () => {
  const { service } = secondStage();
  expect({ ...service, answer: undefined }).toEqual({
    key: `${prefix("A")}.${prefix("B")}`,
    keyPrefix: prefix("A"),
    writes: [],
    people: [
      {
        identifier: "u-1",
        email: "root@acme.example",
        account: "acc-1",
        keys: [{ prefix: prefix("A"), kind: "own", roles: ["ACCOUNT_ADMIN"] }],
      },
      {
        identifier: "u-2",
        email: "Ada@acme.example",
        account: "acc-1",
        keys: [
          { prefix: prefix("C"), kind: "own", roles: ["DEVELOPER"] },
          { prefix: prefix("G"), kind: "team", team: "t-1", roles: ["DEVELOPER"] },
        ],
      },
      {
        identifier: "u-3",
        email: "bo@acme.example",
        account: "acc-1",
        keys: [{ prefix: prefix("E"), kind: "own", roles: [] }],
      },
    ],
    teams: [
      { identifier: "t-1", name: "Ops", account: "acc-1", members: ["u-2"] },
      { identifier: "t-2", name: "Data", account: "acc-1", members: [] },
    ],
    mails: [],
  });
});

test.each([
  ["GET", "accounts", undefined, [{ ...account, status: "Active" }]],
  ["GET", "users?page=2&per-page=2", undefined, [bo]],
  [
    "GET",
    "users?sort-by=firstName,email&direction=DESC&per-page=1",
    undefined,
    [expect.objectContaining({ firstName: "Ro" })],
  ],
  ["POST", "users/search", { identifiers: ["ADA@acme.example", "nobody@acme.example"] }, [ada]],
])("%s %s answers with what is there", (method, path, body, expected) => {
  const { call, service } = secondStage();
  expect([call(method, path, body), service.writes]).toEqual([
    {
      status: 200,
      headers: { date: "Sun, 22 Nov 2026 08:00:00 GMT", "content-type": "application/json" },
      body: expected,
    },
    [],
  ]);
});

test("account details show the account and its users", () => {
  const { body } = secondStage().call("GET", "accounts/acc-1");
  expect(body).toEqual({
    ...account,
    status: "Active",
    users: [expect.objectContaining({ identifier: "u-1" }), ada, bo],
  });
});

test("the roles are the built-in ones and those of the seed", () => {
  expect(secondStage({ rolesShape: "names" }).call("GET", "roles").body).toEqual([
    "SYSTEM_OWNER",
    "ACCOUNT_ADMIN",
    "TEAM_ROLE",
    "DEVELOPER",
    "DATA_SCIENTIST",
    "AUDITOR",
    "PROJECT",
  ]);
});

test("a creation makes the user with a key of their own, and mails nobody", () => {
  const { call, service } = secondStage();
  const body = { ...cy, title: "Pitcher", externalIdentifier: "hr-7", source: "test" };
  expect(call("POST", "accounts/acc-1/users", body)).toEqual({
    status: 201,
    headers: {
      date: "Sun, 22 Nov 2026 08:00:00 GMT",
      "content-type": "application/json",
      location: "/api/accounting/accounts/acc-1/users/u-4",
    },
    body: {
      ...cy,
      identifier: "u-4",
      title: "Pitcher",
      externalIdentifier: "hr-7",
      status: "Invited",
      account,
      accessKeys: [ownKey("I", "TEAM_ROLE")],
    },
  });
  expect([service.people[3], service.teams.length, service.mails, service.writes]).toEqual([
    {
      identifier: "u-4",
      email: "cy@acme.example",
      account: "acc-1",
      keys: [{ prefix: prefix("I"), kind: "own", roles: ["TEAM_ROLE"] }],
    },
    2,
    [],
    [
      {
        at: stageStart,
        method: "POST",
        path: "/api/accounting/accounts/acc-1/users",
        body,
        tookEffect: true,
        answered: 201,
      },
    ],
  ]);
});

test.each([
  [
    "an empty team takes its name from the user and makes them administrator",
    {},
    "TeamCy Young",
    ["ACCOUNT_ADMIN", "TEAM_ROLE"],
  ],
  ["given roles are appended", { name: "New", accessKeyRoles: ["DEVELOPER"] }, "New", ["TEAM_ROLE", "DEVELOPER"]],
  ["no given roles leave the first ones", { name: "New", accessKeyRoles: [] }, "New", ["TEAM_ROLE"]],
  [
    "the administrator is no member",
    { name: "New", adminUserIdentifier: "u-2" },
    "New",
    ["ACCOUNT_ADMIN", "TEAM_ROLE"],
  ],
])("a team with its firstMember: %s", (_, team, name, keyRoles) => {
  const { call, service } = secondStage();
  expect(call("POST", "accounts/acc-1/users", { ...cy, team }).body).toMatchObject({
    team: { identifier: "t-3", name },
  });
  expect([service.teams[2], service.people[3]?.keys, service.mails]).toEqual([
    { identifier: "t-3", name, account: "acc-1", members: ["u-4"] },
    [{ prefix: prefix("I"), kind: "team", team: "t-3", roles: keyRoles }],
    [],
  ]);
});

test("each addition makes one team key and sends one mail, and a second one only a mail", () => {
  const { call, service, wait } = secondStage();
  const both = [{ identifier: "u-2" }, { identifier: "bo@acme.example" }, { identifier: "u-3" }];
  expect(call("POST", "teams/t-2/members", both)).toMatchObject({
    status: 200,
    body: [
      { identifier: "u-2", accessKeys: [teamKey("I", data, "TEAM_ROLE")] },
      { identifier: "u-3", accessKeys: [teamKey("K", data, "TEAM_ROLE")] },
    ],
  });
  wait(1_000);
  call("POST", "teams/t-2/members", [{ identifier: "u-3" }]);
  expect([service.teams[1]?.members, service.people[2]?.keys, service.mails]).toEqual([
    ["u-2", "u-3"],
    [
      { prefix: prefix("E"), kind: "own", roles: [] },
      { prefix: prefix("K"), kind: "team", team: "t-2", roles: ["TEAM_ROLE"] },
    ],
    [
      { at: stageStart, email: "Ada@acme.example", team: "t-2" },
      { at: stageStart, email: "bo@acme.example", team: "t-2" },
      { at: stageStart + 1_000, email: "bo@acme.example", team: "t-2" },
    ],
  ]);
});

test("a replacement puts exactly the sent roles on the key", () => {
  const { call, service } = secondStage();
  const sent = [{ identifier: "TEAM_ROLE" }, { identifier: "DEVELOPER" }, { identifier: "TEAM_ROLE" }];
  expect(call("PUT", `access-keys/${prefix("G")}/roles`, sent).body).toEqual(roles("TEAM_ROLE", "DEVELOPER"));
  expect(service.people[1]?.keys[1]?.roles).toEqual(["TEAM_ROLE", "DEVELOPER"]);
});

test.each([
  ["POST", "accounts/acc-9/users", cy, 404, "Not Found", "The account acc-9 was not found"],
  ["POST", "accounts/acc-1/users", { ...cy, firstName: " " }, 400, "Bad Request", "firstName is missing"],
  [
    "POST",
    "accounts/acc-1/users",
    { firstName: "Cy", email: "cy@acme.example" },
    400,
    "Bad Request",
    "lastName is missing",
  ],
  ["POST", "accounts/acc-1/users", { ...cy, email: "cy" }, 400, "Bad Request", "email is not an address"],
  ["POST", "accounts/acc-1/users", { ...cy, title: "x".repeat(51) }, 400, "Bad Request", "title is too long"],
  ["POST", "accounts/acc-1/users", { ...cy, team: null }, 400, "Bad Request", "team is an object"],
  [
    "POST",
    "accounts/acc-1/users",
    { ...cy, team: { accessKeyRoles: "DEVELOPER" } },
    400,
    "Bad Request",
    "accessKeyRoles is a list of role identifiers",
  ],
  [
    "POST",
    "accounts/acc-1/users",
    { ...cy, team: { accessKeyRoles: ["developer"] } },
    400,
    "Bad Request",
    "The role developer cannot be used",
  ],
  [
    "POST",
    "accounts/acc-1/users",
    { ...cy, team: { adminUserIdentifier: "u-9" } },
    404,
    "Not Found",
    "The team administrator was not found",
  ],
  [
    "POST",
    "accounts/acc-1/users",
    { ...cy, email: "ADA@acme.example" },
    409,
    "Conflict",
    "A user with this address already exists",
  ],
  ["POST", "teams/t-9/members", [{ identifier: "u-2" }], 404, "Not Found", "The team t-9 was not found"],
  [
    "POST",
    "teams/t-2/members",
    [{ identifier: "u-2" }, { identifier: "u-9" }],
    404,
    "Not Found",
    "The user u-9 was not found",
  ],
  ["POST", "teams/t-2/members", ["u-2"], 400, "Bad Request", "Members are a list of objects with identifier"],
  ["POST", "teams/t-2/members", [], 400, "Bad Request", "Members are a list of objects with identifier"],
  ["PUT", "access-keys/aaaa/roles", [], 404, "Not Found", "The access key aaaa was not found"],
  [
    "PUT",
    `access-keys/${prefix("C")}/roles`,
    ["DEVELOPER"],
    400,
    "Bad Request",
    "Roles are a list of objects with identifier",
  ],
  [
    "PUT",
    `access-keys/${prefix("C")}/roles`,
    [{ identifier: "PROJECT" }],
    400,
    "Bad Request",
    "The role PROJECT cannot be used",
  ],
  ["PATCH", "users", {}, 405, "Method Not Allowed", "Wrong method"],
  ["DELETE", "users/u-2", undefined, 404, "Not Found", "No such route"],
])("%s %s with %j is refused, logged and without effect", (method, path, body, status, reason, message) => {
  const { call, service } = secondStage();
  const { people, teams } = service;
  expect(call(method, path, body)).toMatchObject({ status, body: modzy(status, reason, message) });
  expect([service.people, service.teams, service.mails, service.writes]).toEqual([
    people,
    teams,
    [],
    [{ at: stageStart, method, path: `/api/accounting/${path}`, body, tookEffect: false, answered: status }],
  ]);
});

test("only the key in use is let in, and only while it administers", () => {
  const { service, call } = secondStage();
  const request = {
    method: "GET",
    path: "/api/accounting/roles",
    headers: { authorization: `ApiKey ${prefix("C")}.${prefix("D")}` },
  };
  expect(service.answer(request)).toMatchObject({ is: "answer", status: 401 });
  expect(service.answer({ ...request, headers: {} })).toMatchObject({ is: "answer", status: 401 });
  expect(call("PUT", `access-keys/${prefix("A")}/roles`, [{ identifier: "DEVELOPER" }]).status).toBe(200);
  expect([call("GET", "roles").status, call("POST", "accounts/acc-1/users", cy).status]).toEqual([403, 403]);
  expect(service.writes.map(({ answered, tookEffect }) => [answered, tookEffect])).toEqual([
    [200, true],
    [403, false],
  ]);
});

test("some services show accounts and roles to everybody", () => {
  const { service } = secondStage({ openReads: "accounts-and-roles" });
  const statuses = ["accounts", "roles", "users"].map((path) => {
    const outcome = service.answer({ method: "GET", path: `/api/accounting/${path}`, headers: {} });
    return outcome.is === "answer" ? outcome.status : outcome.is;
  });
  expect(statuses).toEqual([200, 200, 401]);
});

test("a seed without the holder of the key in use is refused", () => {
  const seed = { ...stageSeed, people: stageSeed.people.slice(1) };
  const open = () => secondService({ ways: usualWays, seed, now: () => stageStart, random: () => 0.5 });
  expect(open).toThrow("The seed needs root@acme.example.");
});
