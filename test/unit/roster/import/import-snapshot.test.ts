import { describe, expect, test } from "vitest";
import type { ObservedKey } from "../../../../src/model/key.ts";
import type { Snapshot } from "../../../../src/model/snapshot.ts";
import type { ObservedTeam } from "../../../../src/model/team.ts";
import type { ObservedUser } from "../../../../src/model/user.ts";
import { importFiles } from "../../../../src/roster/import/files.ts";
import { type ImportInput, importSnapshot } from "../../../../src/roster/import/import-snapshot.ts";
import { addressOf } from "../../../support/roster-builders.ts";
import { aShownKey, aShownUser, aSnapshot } from "../../../support/snapshot-builders.ts";

const data: ObservedTeam = { identifier: "t-1", name: "Data" };

function person(name: string, keys: readonly ObservedKey[] = [], parts: Partial<ObservedUser> = {}): ObservedUser {
  const names = { firstName: name.charAt(0).toUpperCase() + name.slice(1), lastName: "Test" };
  return aShownUser(name, { ...names, status: "active", account: "acc-1", keys, ...parts });
}

function teamKey(prefix: string, roles: readonly string[], parts: Partial<ObservedKey> = {}): ObservedKey {
  return aShownKey(prefix, data, { kind: "team", roles, ...parts });
}

function snapshotOf(users: readonly ObservedUser[], parts: Partial<Snapshot> = {}): Snapshot {
  const accounts = ["acc-1", "acc-2"].map((identifier) => [identifier, { identifier, by: "accounts" }] as const);
  const roles = ["A", "B", "TEAM_ROLE"].map((identifier) => ({ identifier }));
  return aSnapshot({
    users,
    accounts: new Map(accounts),
    roles: { known: "observed", value: roles, by: "roles" },
    ...parts,
  });
}

/** What is written below the head of the only file. */
function written(users: readonly ObservedUser[], parts: Partial<ImportInput> & { seen?: Partial<Snapshot> } = {}) {
  const { seen, ...question } = parts;
  const adoption = importSnapshot({
    snapshot: snapshotOf(users, seen),
    accounts: ["acc-1"],
    areAll: false,
    ...question,
  });
  const wish = {
    schemaFor: () => "s.json",
    imported: { service: "URL", at: "NOW" },
  } as const;
  const [file, ...others] = importFiles(adoption, wish);
  expect(others).toEqual([]);
  return file?.text.replace("# yaml-language-server: $schema=s.json\n#\n# Imported from URL at NOW.\n", "");
}

interface Case {
  readonly users: readonly ObservedUser[];
  readonly wish?: Partial<ImportInput> & { seen?: Partial<Snapshot> };
  /** From its first line on. */
  readonly text: string;
}

const cases: Readonly<Record<string, Case>> = {
  "people with what is shown of them, in the order of their addresses": {
    users: [
      person("bo", [], { title: "012", externalIdentifier: "BO@acme.example", source: "" }),
      person("ada", [], { title: "", externalIdentifier: "e-1", source: "hr", email: "Ada@Acme.example" }),
    ],
    text: `users:
  - { email: Ada@Acme.example, firstName: Ada, lastName: Test, externalIdentifier: e-1, source: hr }
  - { email: bo@acme.example, firstName: Bo, lastName: Test, title: "012" }
`,
  },
  "a source that everybody has, once": {
    users: [person("ada", [], { source: "hr" }), person("bo", [], { source: "hr" })],
    text: `defaults: { source: hr }

users:
  - { email: ada@acme.example, firstName: Ada, lastName: Test }
  - { email: bo@acme.example, firstName: Bo, lastName: Test }
`,
  },
  "a team with the commonest roles, and exceptions": {
    users: [
      person("ada", [teamKey("k1", ["A"])]),
      person("bo", [teamKey("k2", ["A", "B"])]),
      person("cy", [teamKey("k3", ["A", "B"])]),
      person("di", [teamKey("k4", [])]),
    ],
    text: `teams:
  - name: Data
    identifier: t-1
    roles: [A, B]
    members:
      - { user: ada@acme.example, roles: [A] }
      - { user: bo@acme.example }
      - { user: cy@acme.example }
      - { user: di@acme.example, roles: [] }
`,
  },
  "roles that nobody lists, by leaving the team's roles out": {
    users: [person("ada", [teamKey("k1", ["ODD"])]), person("bo", [teamKey("k2", ["A"])])],
    text: `teams:
  - name: Data
    identifier: t-1
    # The roles of ada@acme.example (the service does not list its role ODD) are not managed, so the team has no
    #   \`roles\`.
    members:
      - { user: ada@acme.example }
      - { user: bo@acme.example, roles: [A] }
`,
  },
  "the own key, and project keys by their prefix": {
    users: [
      person("ada", [
        aShownKey("own", "none", { kind: "user", roles: ["A"], isDefault: true }),
        aShownKey("p2", "none", { kind: "Project", roles: [] }),
        aShownKey("p1", "none", { kind: "project", roles: ["B"] }),
        aShownKey("gone", "none", { kind: "project", roles: ["B"], status: "deleted" }),
      ]),
      person("bo", [aShownKey("x1", "none", { roles: ["A"] }), aShownKey("x2", "none", { roles: ["A"] })]),
    ],
    text: `users:
  - { email: ada@acme.example, firstName: Ada, lastName: Test, ownKeyRoles: [A] }
  - { email: bo@acme.example, firstName: Bo, lastName: Test }

keys:
  - { prefix: p1, owner: ada@acme.example, roles: [B] }
  - { prefix: p2, owner: ada@acme.example, roles: [] }
  # Not adopted:
  #   The key x1 of bo@acme.example is not managed: it is not a project key, and it may not be this person's own key.
  #   The key x2 of bo@acme.example is not managed: it is not a project key, and it may not be this person's own key.
`,
  },
  "nobody whom the service bars, nor two of one address; and so opens a team where it must": {
    users: [
      person("ada", [teamKey("k1", ["A"])]),
      person("bo", [teamKey("k2", ["A"])], { status: "Inactive" }),
      person("cy", [teamKey("k3", ["A"])], { identifier: "u-1" }),
      person("cy", [], { identifier: "u-2", status: "deleted" }),
      person("di", [teamKey("k4", ["A"], { status: "inactive" })], { lastName: "" }),
    ],
    text: `users:
  - { email: ada@acme.example, firstName: Ada, lastName: Test }
  # Not adopted:
  #   bo@acme.example is Inactive.
  #   cy@acme.example is the address of 2 users of the service, one of them u-1; roster does not merge users.
  #   cy@acme.example is deleted.
  #   di@acme.example has no usable last name.

teams:
  - name: Data
    identifier: t-1
    # Open, because the roster cannot list cy@acme.example.
    open: true
    roles: [A]
    members:
      - { user: ada@acme.example }
`,
  },
  "a team of inactive people alone, with nobody in it": {
    users: [person("bo", [teamKey("k2", ["A"])], { status: "inactive" })],
    text: `users: []
  # Not adopted:
  #   bo@acme.example is inactive.

teams:
  - name: Data
    identifier: t-1
    members: []
`,
  },
  "people of one account, and a guest of another as somebody who cannot be named": {
    users: [
      person("ada", [teamKey("k1", ["A"])]),
      person("bo", [teamKey("k2", ["A"])]),
      person("cy", [teamKey("k3", ["A"])], { account: "acc-2" }),
    ],
    text: `teams:
  - name: Data
    identifier: t-1
    # Open, because the roster cannot list cy@acme.example.
    open: true
    roles: [A]
    members:
      - { user: ada@acme.example }
      - { user: bo@acme.example }
`,
  },
  "what the service hides, as comments": {
    users: [
      person("ada", [aShownKey("k1", { name: "Nameless" }, { kind: "team", roles: ["A"] })], {
        lastName: undefined as never,
      }),
    ].map(({ lastName: _hidden, ...user }) => user),
    wish: { seen: { capabilities: { ...aSnapshot().capabilities, rolesOnKeys: "hidden" } } },
    text: `# The service does not show the roles of keys: the roster does not manage them.
# The service shows the team Nameless without its identifier. Look it up, and write the team with \`identifier:\`.
# The service does not show the names of 1 person: \`unknown\` is written instead.
version: 1
account: acc-1

users:
  - { email: ada@acme.example, firstName: Ada, lastName: unknown }
`,
  },
  "that the service hides teams, where it shows none": {
    users: [person("ada", [{ prefix: "k1", kind: "team", roles: ["A"] }])],
    wish: { seen: { capabilities: { ...aSnapshot().capabilities, teamsOnKeys: "hidden" } } },
    text: `# The service does not show which team a key belongs to: no team is imported.
version: 1
account: acc-1

users:
  - { email: ada@acme.example, firstName: Ada, lastName: Test }

keys: []
  # Not adopted:
  #   The key k1 of ada@acme.example is not managed: the service does not say which team it belongs to.
`,
  },
};

describe("an adoption writes", () => {
  test.each(Object.entries(cases))("%s", (_sentence, { users, wish = {}, text }) => {
    const file = written(users, wish) ?? "";
    expect(file).toContain("version: 1\naccount: acc-1\n");
    expect(file.slice(file.indexOf(`\n${text.split("\n")[0]}\n`) + 1)).toBe(text);
  });

  test.each([
    [
      "details that leave somebody out, where there is no other account",
      true,
      ["acc-1"],
      ["ada@acme.example", "bo@acme.example"],
      [],
    ],
    [
      "nobody whom the details leave out, where there may be",
      false,
      ["acc-1"],
      ["ada@acme.example"],
      ["Users in other accounts were left out: 1."],
    ],
    [
      "nobody whose account may be one of two",
      true,
      ["acc-1", "acc-2"],
      ["ada@acme.example"],
      ["The service does not show the account of bo@acme.example."],
    ],
  ])("people by account: %s", (_sentence, areAll, accounts, expected, remarks) => {
    const users = [person("ada"), person("bo")].map(({ account: _hidden, ...user }) => user);
    const read = accounts.map((identifier) => {
      const members = identifier === "acc-1" ? [addressOf("ada")] : [];
      return [identifier, { identifier, by: "accounts", members }] as const;
    });
    const snapshot = snapshotOf(users, { accounts: new Map(read) });
    const adoption = importSnapshot({ snapshot, accounts, areAll });
    const found = adoption.accounts.flatMap(({ users: adopted }) => adopted.found);
    expect({ found: found.map(({ email }) => email), remarks: adoption.remarks }).toEqual({ found: expected, remarks });
  });

  test("two teams of one name apart, and a closed account not at all", () => {
    const twin: ObservedTeam = { identifier: "t-2", name: "data" };
    const users = [
      person("ada", [teamKey("k1", ["A"]), aShownKey("k2", twin, { roles: ["A"] })]),
      person("cy", [], { account: "acc-2" }),
    ];
    const snapshot = snapshotOf(users);
    const accounts = new Map(snapshot.accounts).set("acc-2", {
      identifier: "acc-2",
      status: "INACTIVE",
      by: "accounts",
    });
    const adoption = importSnapshot({
      snapshot: { ...snapshot, accounts },
      accounts: ["acc-1", "acc-2"],
      areAll: true,
    });
    expect(adoption.remarks).toEqual(["The account acc-2 is INACTIVE: nothing is imported from it."]);
    expect(
      adoption.accounts.map(({ account, teams }) => [account, teams.found.map((team) => [team.name, team.identifier])]),
    ).toEqual([
      [
        "acc-1",
        [
          ["Data", "t-1"],
          ["data", "t-2"],
        ],
      ],
    ]);
  });
});
