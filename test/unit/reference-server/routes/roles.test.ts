import { describe, expect, test } from "vitest";
import type { Seed } from "../../../../src/reference-server/seed.ts";
import { refusal, runningServer } from "../running-server.ts";

const seed: Seed = {
  users: [{ email: "ada@acme.example", firstName: "Ada", lastName: "L" }],
  keys: [
    { prefix: "12pref1x121", owner: "ada@acme.example", roles: ["DEVELOPER", "PROJECT"] },
    { prefix: "a+b%c é", owner: "ada@acme.example", roles: [] },
  ],
};
const rolesOf = (prefix: string): string => `/api/accounting/access-keys/${encodeURIComponent(prefix)}/roles`;
const list = (...roles: readonly string[]): readonly object[] => roles.map((identifier) => ({ identifier }));

test("the built-in roles are listed", async () => {
  const server = await runningServer();
  const listed = await server.call("GET", "/api/accounting/roles?per-page=2");
  expect(listed.body).toEqual([
    {
      identifier: "SYSTEM_OWNER",
      name: "System Owner",
      description: "Platform Administrator: manages every account.",
      type: "system",
    },
    {
      identifier: "ACCOUNT_ADMIN",
      name: "Account Administrator",
      description: "Manages the users, teams and keys of one account.",
      type: "user",
    },
  ]);
  const all = await server.call("GET", "/api/accounting/roles");
  expect(all.body).toMatchObject(
    list("SYSTEM_OWNER", "ACCOUNT_ADMIN", "TEAM_ROLE", "DATA_SCIENTIST", "DEVELOPER", "AUDITOR", "PROJECT"),
  );
});

describe("replacing the roles of a key", () => {
  test.each([
    [
      "leaves exactly those of the list",
      "12pref1x121",
      ["DATA_SCIENTIST", "DEVELOPER"],
      ["DATA_SCIENTIST", "DEVELOPER"],
    ],
    ["counts a role once", "12pref1x121", ["DEVELOPER", "TEAM_ROLE", "DEVELOPER"], ["DEVELOPER", "TEAM_ROLE"]],
    ["takes all with an empty list", "12pref1x121", [], []],
    ["finds a prefix that the path has to encode", "a+b%c é", ["DEVELOPER"], ["DEVELOPER"]],
  ])("%s", async (_, prefix, wished, roles) => {
    const server = await runningServer({ seed });
    for (const attempt of ["first", "again"]) {
      const replaced = await server.call("PUT", rolesOf(prefix), list(...wished));
      expect({ attempt, status: replaced.status, body: replaced.body }).toEqual({
        attempt,
        status: 200,
        body: list(...roles),
      });
    }
    const key = server.world.users[0]?.accessKeys.find((candidate) => candidate.prefix === prefix);
    expect(key?.roles).toEqual(list(...roles));
  });

  test.each([
    ["a key that is not there", "nothing", list("DEVELOPER"), 404, 'The access key "nothing" was not found'],
    ["a prefix in other letters", "12PREF1X121", list("DEVELOPER"), 404, 'The access key "12PREF1X121" was not found'],
    ["an unknown role", "12pref1x121", list("TEAM_ROLE", "developer"), 400, 'The role "developer" is not known'],
    ["bare texts", "12pref1x121", ["DEVELOPER"], 400, "The body is not as described: [0] must be of type object"],
  ])("refuses %s and changes nothing", async (_, prefix, body, status, message) => {
    const server = await runningServer({ seed });
    const refused = await server.call("PUT", rolesOf(prefix), body);
    expect({ status: refused.status, body: refused.body }).toEqual({
      status,
      body: refusal(status, message, server),
    });
    expect(server.world.users[0]?.accessKeys[1]?.roles).toEqual(list("DEVELOPER", "PROJECT"));
  });
});
