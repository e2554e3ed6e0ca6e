import { describe, expect, test } from "vitest";
import type { Seed } from "../../../src/reference-server/seed.ts";
import { refusal, runningServer } from "./running-server.ts";

const seed: Seed = {
  accounts: [
    { identifier: "acc-1", name: "Acme" },
    { identifier: "acc-2", name: "Beta" },
    { identifier: "acc-3", name: "Closed", status: "Inactive" },
  ],
  users: [
    { account: "acc-1", email: "ann@acme.example", firstName: "Ann", lastName: "Admin" },
    { account: "acc-1", email: "dev@acme.example", firstName: "Dev", lastName: "Loper" },
    { account: "acc-2", email: "bob@beta.example", firstName: "Bob", lastName: "Beta" },
    { account: "acc-2", email: "off@beta.example", firstName: "Off", lastName: "Beta", status: "Inactive" },
    { account: "acc-3", email: "cid@closed.example", firstName: "Cid", lastName: "Closed" },
  ],
  teams: [
    { identifier: "t-acme", account: "acc-1", name: "Acme", admin: "ann@acme.example" },
    { identifier: "t-beta", account: "acc-2", name: "Beta", admin: "bob@beta.example" },
  ],
  keys: [
    { prefix: "platform", secret: "s1", owner: "ann@acme.example", roles: ["SYSTEM_OWNER"] },
    { prefix: "account", secret: "s2", owner: "ann@acme.example", roles: ["ACCOUNT_ADMIN"] },
    { prefix: "developer", secret: "s3", owner: "dev@acme.example", roles: ["DEVELOPER", "TEAM_ROLE"] },
    { prefix: "resting", secret: "s4", owner: "ann@acme.example", roles: ["SYSTEM_OWNER"], status: "Inactive" },
    { prefix: "offUser", secret: "s5", owner: "off@beta.example", roles: ["SYSTEM_OWNER"] },
    { prefix: "closed", secret: "s6", owner: "cid@closed.example", roles: ["SYSTEM_OWNER"] },
    { prefix: "beta", owner: "bob@beta.example", roles: ["DEVELOPER"] },
  ],
};

const accountAdmin = "account.s2";
const ada = { email: "ada@acme.example", firstName: "Ada", lastName: "Lovelace" };

describe("a request without a key that works is 401", () => {
  const missing = "The Authorization header is missing; send: Authorization: ApiKey <key>";
  const malformed = "The Authorization header is malformed; send: Authorization: ApiKey <key>";
  test.each([
    ["without the header", undefined, missing],
    ["of another scheme", "Bearer platform.s1", malformed],
    ["without the scheme", "platform.s1", malformed],
    ["without a secret", "ApiKey platform", malformed],
    ["with an empty secret", "ApiKey platform.", malformed],
    ["with two keys", "ApiKey platform.s1 account.s2", malformed],
    ["of an unknown prefix", "ApiKey nobody.s1", "The API key is not known"],
    ["of a prefix in other letters", "ApiKey Platform.s1", "The API key is not known"],
    ["with another key's secret", "ApiKey platform.s2", "The API key is not known"],
    ["with the beginning of the secret", "ApiKey platform.s", "The API key is not known"],
    ["of an inactive key", "ApiKey resting.s4", "The API key does not work: its status is not active"],
    ["of an inactive user", "ApiKey offUser.s5", "The API key does not work: its user is not active"],
    ["of an inactive account", "ApiKey closed.s6", "The API key does not work: its account is not active"],
  ])("%s", async (_, header, message) => {
    const server = await runningServer({ seed });
    for (const path of ["accounts", "accounts/acc-1", "users", "roles"]) {
      const headers = header === undefined ? {} : { authorization: header };
      const answered = await server.send(`/api/accounting/${path}`, { method: "GET", headers });
      expect(answered.body).toEqual(refusal(401, message, server));
      expect(answered.headers.get("www-authenticate")).toBe("ApiKey");
    }
  });
});

describe("who may do what", () => {
  const writes = (account: string, team: string, prefix: string): readonly [string, string, unknown][] => [
    ["POST", `/api/accounting/accounts/${account}/users`, ada],
    ["POST", `/api/accounting/teams/${team}/members`, [{ identifier: "dev@acme.example" }]],
    ["PUT", `/api/accounting/access-keys/${prefix}/roles`, [{ identifier: "DEVELOPER" }]],
  ];
  const reads: readonly [string, string, unknown][] = [
    ["GET", "/api/accounting/accounts", undefined],
    ["GET", "/api/accounting/accounts/acc-1", undefined],
    ["GET", "/api/accounting/users", undefined],
    ["GET", "/api/accounting/roles", undefined],
    ["POST", "/api/accounting/users/search", { identifiers: [] }],
  ];

  test.each([
    ["a Platform Administrator does everything everywhere", "platform.s1", "acc-2", "t-beta", "beta", [201, 200, 200]],
    [
      "an Account Administrator does everything in its account",
      accountAdmin,
      "acc-1",
      "t-acme",
      "developer",
      [201, 200, 200],
    ],
    ["an Account Administrator changes nothing elsewhere", accountAdmin, "acc-2", "t-beta", "beta", [403, 403, 403]],
    ["a developer changes nothing", "developer.s3", "acc-1", "t-acme", "developer", [403, 403, 403]],
  ])("%s", async (_, key, account, team, prefix, statuses) => {
    const server = await runningServer({ seed });
    const answered: number[] = [];
    for (const [method, path, body] of writes(account, team, prefix)) {
      answered.push((await server.call(method, path, body, key)).status);
    }
    expect(answered).toEqual(statuses);
  });

  test("a developer reads nothing", async () => {
    const server = await runningServer({ seed });
    const message = "Only Platform Administrators and Account Administrators may use this interface";
    for (const [method, path, body] of reads) {
      const answered = await server.call(method, path, body, "developer.s3");
      expect(answered.body).toEqual(refusal(403, message, server));
    }
  });

  test("an Account Administrator sees its account alone", async () => {
    const server = await runningServer({ seed });
    const get = async (path: string) =>
      (await server.call("GET", `/api/accounting/${path}`, undefined, accountAdmin)).body;
    expect(await get("accounts")).toEqual([{ identifier: "acc-1", name: "Acme", status: "Active" }]);
    expect(await get("users")).toMatchObject([{ email: "ann@acme.example" }, { email: "dev@acme.example" }]);
    expect(await get("accounts/acc-2")).toEqual(
      refusal(403, 'The account "acc-2" is not the account of this administrator', server),
    );
    const identifiers = ["bob@beta.example", "dev@acme.example"];
    const found = await server.call("POST", "/api/accounting/users/search", { identifiers }, accountAdmin);
    expect(found.body).toMatchObject([{ email: "dev@acme.example" }]);
  });

  test("an Account Administrator neither gives nor takes SYSTEM_OWNER", async () => {
    const server = await runningServer({ seed });
    const refused = refusal(403, "Only a Platform Administrator may give or take the role SYSTEM_OWNER", server);
    const attempts: readonly [string, string, unknown][] = [
      ["PUT", "/api/accounting/access-keys/developer/roles", [{ identifier: "SYSTEM_OWNER" }]],
      ["PUT", "/api/accounting/access-keys/platform/roles", []],
      ["POST", "/api/accounting/accounts/acc-1/users", { ...ada, team: { accessKeyRoles: ["SYSTEM_OWNER"] } }],
    ];
    for (const [method, path, body] of attempts) {
      expect((await server.call(method, path, body, accountAdmin)).body).toEqual(refused);
    }
    const kept = await server.call(
      "PUT",
      "/api/accounting/access-keys/platform/roles",
      [{ identifier: "DEVELOPER" }, { identifier: "SYSTEM_OWNER" }],
      accountAdmin,
    );
    expect(kept.status).toBe(200);
  });

  test("a user of another account is nobody to an Account Administrator", async () => {
    const server = await runningServer({ seed });
    const added = await server.call(
      "POST",
      "/api/accounting/teams/t-acme/members",
      [{ identifier: "bob@beta.example" }],
      accountAdmin,
    );
    expect(added.status).toBe(404);
    const team = { adminUserIdentifier: "bob@beta.example" };
    const created = await server.call("POST", "/api/accounting/accounts/acc-1/users", { ...ada, team }, accountAdmin);
    expect(created.status).toBe(400);
  });

  test("a team key acts in its team's account, wherever its owner belongs", async () => {
    const server = await runningServer({ seed });
    const prefix = server.world.addMember("t-beta", "ann@acme.example");
    server.world.setKeyRoles(prefix, ["ACCOUNT_ADMIN"]);
    const accounts = await server.call("GET", "/api/accounting/accounts", undefined, server.world.fullKey(prefix));
    expect(accounts.body).toEqual([{ identifier: "acc-2", name: "Beta", status: "Active" }]);
    server.world.setAccountStatus("acc-2", "Inactive");
    const later = await server.call("GET", "/api/accounting/accounts", undefined, server.world.fullKey(prefix));
    expect(later.status).toBe(401);
  });
});
