import { expect, test } from "vitest";
import { readSeed } from "../../../src/reference-server/read-seed.ts";
import { testTextCases, unescaped } from "../../support/text-cases.ts";
import { runningServer } from "./running-server.ts";

function read(text: string) {
  return readSeed("seed.yaml", new TextEncoder().encode(text));
}

const everything = `
accounts:
  - { identifier: acc-1, name: Acme, status: Active }
  - acc-2
roles:
  - DEVELOPER
  - { identifier: PILOT, name: Pilot, description: Flies., type: system }
users:
  - identifier: u-ada
    account: acc-1
    email: ada@acme.example
    firstName: Ada
    lastName: Lovelace
    title: Countess
    externalIdentifier: "0012"
    source: gitops
    status: Invited
  - { email: bo@acme.example, firstName: Bo, lastName: Diaz }
teams:
  - identifier: t-air
    account: acc-1
    name: Air
    admin: ADA@acme.example
    members:
      - bo@acme.example
      - { user: u-ada, prefix: adaAir, secret: s1, roles: [PILOT, TEAM_ROLE], status: Inactive }
  - { name: Empty, admin: bo@acme.example }
keys:
  - { prefix: 12pref1x121, owner: bo@acme.example, roles: [] }
  - { prefix: boOwn, secret: 4b0dyEx4mPle, owner: bo@acme.example, kind: user, roles: [ACCOUNT_ADMIN], status: Active }
`;

test("a seed says everything that a server starts with", () => {
  expect(read(everything)).toEqual({
    diagnostics: [],
    seed: {
      accounts: [{ identifier: "acc-1", name: "Acme", status: "Active" }, { identifier: "acc-2" }],
      roles: [
        { identifier: "DEVELOPER" },
        { identifier: "PILOT", name: "Pilot", description: "Flies.", type: "system" },
      ],
      users: [
        {
          identifier: "u-ada",
          account: "acc-1",
          email: "ada@acme.example",
          firstName: "Ada",
          lastName: "Lovelace",
          title: "Countess",
          externalIdentifier: "0012",
          source: "gitops",
          status: "Invited",
        },
        { email: "bo@acme.example", firstName: "Bo", lastName: "Diaz" },
      ],
      teams: [
        {
          identifier: "t-air",
          account: "acc-1",
          name: "Air",
          admin: "ADA@acme.example",
          members: [
            { user: "bo@acme.example" },
            { user: "u-ada", prefix: "adaAir", secret: "s1", roles: ["PILOT", "TEAM_ROLE"], status: "Inactive" },
          ],
        },
        { name: "Empty", admin: "bo@acme.example" },
      ],
      keys: [
        { prefix: "12pref1x121", owner: "bo@acme.example", roles: [] },
        {
          prefix: "boOwn",
          secret: "4b0dyEx4mPle",
          owner: "bo@acme.example",
          kind: "user",
          roles: ["ACCOUNT_ADMIN"],
          status: "Active",
        },
      ],
    },
  });
});

test("a seed that was read starts a server", async () => {
  const { seed } = read(everything);
  const server = await runningServer(seed === undefined ? {} : { seed });
  expect(server.key).toBe("boOwn.4b0dyEx4mPle");
  expect(server.world.teams.map(({ name, members }) => ({ name, members }))).toEqual([
    { name: "Air", members: ["bo@acme.example", "ada@acme.example"] },
    { name: "Empty", members: [] },
  ]);
});

test.each(["", "# nothing yet\n"])("an empty file is the default seed: %j", (text) => {
  expect(read(text)).toEqual({ seed: {}, diagnostics: [] });
});

testTextCases(new URL("./read-seed.txt", import.meta.url), (_, [text = ""]) => {
  const ada = "users: [{ email: ada@acme.example, firstName: Ada, lastName: L }]\n";
  const { seed, diagnostics } = read(unescaped(text).replace("ADA", ada));
  expect(seed).toBeUndefined();
  return diagnostics
    .map(({ severity, place, excerpt, code, message }) => {
      expect([severity, place?.file, excerpt === undefined]).toEqual(["error", "seed.yaml", false]);
      return `${place?.line}:${place?.column} ${code} ${message}`;
    })
    .sort();
});

test("with what to do next where that is known", () => {
  expect(read("accounts: [{ identifier: 012, nmae: x }]").diagnostics.map(({ hint }) => hint)).toEqual([
    'Quote it: "012".',
    "Did you mean `name`?",
  ]);
});
