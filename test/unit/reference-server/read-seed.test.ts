import { describe, expect, test } from "vitest";
import { readSeed } from "../../../src/reference-server/read-seed.ts";
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

describe("what is wrong is told with its place", () => {
  const ada = "users: [{ email: ada@acme.example, firstName: Ada, lastName: L }]\n";
  test.each([
    ["an unknown section", "user: []", "1:1 unknown-key The seed has no key `user`."],
    [
      "an unknown key",
      "users:\n  - email: a@b.example\n    firstname: A\n    lastName: B",
      "2:5 missing-key A user needs `firstName`.|3:5 unknown-key A user has no key `firstname`.",
    ],
    ["a key named __proto__", "__proto__: {}", "1:1 unknown-key The seed has no key `__proto__`."],
    ["a missing key", "teams: [{ name: T }]", "1:9 missing-key A team needs `admin`."],
    ["a section that is no list", "users: {}", "1:8 bad-value `users` must be a list, not a map."],
    ["an entry that is no map", "users: [ada]", "1:9 bad-value A user must be a map, not a text."],
    [
      "a number for a text",
      "accounts: [{ identifier: 012 }]",
      "1:26 bad-value `identifier` must be a text, but YAML reads a number here.",
    ],
    ["nothing for a text", "accounts: [{ identifier: }]", "1:26 bad-value `identifier` has no value."],
    ["an empty text", 'accounts: [{ identifier: " " }]', "1:26 bad-value `identifier` is empty."],
    ["a list for a text", "accounts: [{ identifier: [a] }]", "1:26 bad-value `identifier` must be a text, not a list."],
    [
      "no address",
      "users: [{ email: ada, firstName: A, lastName: L }]",
      "1:18 bad-value `email` must be an e-mail address.",
    ],
    [
      "a prefix with a dot",
      `${ada}keys: [{ prefix: a.b, owner: ada@acme.example, roles: [] }]`,
      "2:18 bad-value `prefix` must be a key prefix, without dots and white space.",
    ],
    [
      "an unknown kind",
      `${ada}keys: [{ prefix: a, owner: ada@acme.example, roles: [], kind: team }]`,
      "2:63 bad-value `kind` must be `project` or `user`, not `team`.",
    ],
    ["an account named twice", "accounts: [a, b, a]", '1:18 duplicate The account "a" is named twice.'],
    ["no account", "accounts: []", "1:11 bad-value `accounts` must have at least one entry."],
    ["a role named twice", "roles: [A, A]", '1:12 duplicate The role "A" is named twice.'],
    [
      "an unknown account",
      "users: [{ account: acc-9, email: a@b.example, firstName: A, lastName: L }]",
      '1:20 unknown-name There is no account "acc-9".',
    ],
    ["an anchor", `users:\n  - &a {}`, "2:5 yaml-not-supported Anchors are not allowed."],
    [
      "one address in two letter cases",
      "users:\n  - { email: a@b.example, firstName: A, lastName: L }\n  - { email: A@B.example, firstName: A, lastName: L }",
      '3:14 duplicate The user "A@B.example" is named twice.',
    ],
    [
      "an identifier taken twice",
      `users:\n  - { identifier: u, email: a@b.example, firstName: A, lastName: L }\n  - { identifier: u, email: b@b.example, firstName: A, lastName: L }`,
      '3:19 duplicate The user "u" is named twice.',
    ],
    [
      "an administrator who is not there",
      "teams: [{ name: T, admin: bo@acme.example }]",
      '1:27 unknown-name There is no user "bo@acme.example".',
    ],
    [
      "a member who is not there",
      `${ada}teams: [{ name: T, admin: ada@acme.example, members: [bo@acme.example] }]`,
      '2:55 unknown-name There is no user "bo@acme.example".',
    ],
    [
      "a member named twice",
      `${ada}teams: [{ name: T, admin: ada@acme.example, members: [ada@acme.example, { user: u-1 }] }]`,
      '2:81 duplicate The member "u-1" is named twice.',
    ],
    [
      "a team's identifier taken twice",
      `${ada}teams:\n  - { identifier: t, name: T, admin: u-1 }\n  - { identifier: t, name: S, admin: u-1 }`,
      '4:19 duplicate The team "t" is named twice.',
    ],
    [
      "a role that is not there",
      `${ada}teams: [{ name: T, admin: u-1, members: [{ user: u-1, roles: [TEAM_ROLE, DEV] }] }]`,
      '2:74 unknown-name There is no role "DEV".',
    ],
    [
      "an owner who is not there",
      "keys: [{ prefix: p, owner: u-1, roles: [] }]",
      '1:28 unknown-name There is no user "u-1".',
    ],
    [
      "a prefix taken twice",
      `${ada}keys:\n  - { prefix: p, owner: u-1, roles: [] }\n  - { prefix: p, owner: u-1, roles: [] }`,
      '4:15 duplicate The key "p" is named twice.',
    ],
  ])("%s", (_, text, expected) => {
    const { seed, diagnostics } = read(text);
    const told = diagnostics.map(({ place, code, message }) => `${place?.line}:${place?.column} ${code} ${message}`);
    expect({ seed, told: told.sort() }).toEqual({ seed: undefined, told: expected.split("|") });
    expect(
      diagnostics.every(
        ({ severity, place, excerpt }) => severity === "error" && place?.file === "seed.yaml" && excerpt !== undefined,
      ),
    ).toBe(true);
  });

  test("with what to do next where that is known", () => {
    expect(read("accounts: [{ identifier: 012, nmae: x }]").diagnostics.map(({ hint }) => hint)).toEqual([
      'Quote it: "012".',
      "Did you mean `name`?",
    ]);
  });
});
