import { describe, expect, test } from "vitest";
import { foldAddress } from "../../../src/model/address.ts";
import type { Roster } from "../../../src/model/roster.ts";
import type { BuildResult } from "../../../src/roster/build.ts";
import { plainText } from "../../support/plain-text.ts";
import { size } from "../../support/property-runs.ts";
import { faultsOf, placed, rosterFrom, rosterLines } from "../../support/roster-text.ts";
import { testTextCases, unescaped } from "../../support/text-cases.ts";

const head = `version: 1
account: acc-1
users:
  - { email: ada@acme.example, firstName: Ada, lastName: Lovelace }
`;
const boLine = "  - { email: bo@acme.example, firstName: Bo, lastName: Diaz }\n";
const boWithKey = boLine.replace(" }", ", ownKeyRoles: [A], key: own-bo }");

describe("make roster", () => {
  const place = (line: number, column: number, file = "f.yaml") => ({ file, line, column });
  const make = (text: string, settings?: Parameters<typeof rosterFrom>[1]) => rosterFrom({ "f.yaml": text }, settings);
  const ada = foldAddress("ada@acme.example");

  const people = `${head}${boLine}`;

  test("every entry says whose it is, over all files: a member's entry before a group's", () => {
    const { roster } = rosterFrom({
      "people.yaml": `version: 1
account: acc-1
groups: { on-call: [ada@acme.example, bo@acme.example] }
users:
  - { email: ada@acme.example, firstName: Ada, lastName: L, owner: hr }
  - { email: bo@acme.example, firstName: Bo, lastName: D, note: HR-3, until: 2026-11-01 }
leavers: [{ email: cy@acme.example, owner: hr, note: gone }]
keys:
  - { prefix: k1, owner: ada@acme.example, roles: [], note: JIRA-1 }
  - { prefix: k2, owner: Batch Team, roles: [], note: nightly }
`,
      "teams.yaml": `version: 1
account: acc-1
teams:
  - name: Red
    owner: red-team
    members:
      - { group: on-call, note: JIRA-2, owner: on-call-team }
      - { user: ada@acme.example, note: JIRA-3 }
`,
    });
    expect({
      users: [...(roster?.users.values() ?? [])].map(({ ownership }) => ownership),
      leavers: [...(roster?.leavers.values() ?? [])].map(({ ownership }) => ownership),
      teams: roster?.teams.map(({ ownership, members }) => [ownership, ...members.map((one) => one.ownership)]),
      keys: roster?.keys.map(({ owner, ownership }) => [owner?.value, ownership]),
    }).toEqual({
      users: [{ owner: "hr" }],
      leavers: [{ owner: "hr", note: "gone" }, { note: "HR-3" }],
      teams: [[{ owner: "red-team" }, { owner: "on-call-team", note: "JIRA-3" }]],
      keys: [
        ["ada@acme.example", { note: "JIRA-1" }],
        [undefined, { owner: "Batch Team", note: "nightly" }],
      ],
    });
  });

  test("an empty roster is a roster", () => {
    expect(rosterFrom({})).toEqual({
      roster: {
        accounts: [],
        users: new Map(),
        leavers: new Map(),
        teams: [],
        keys: [],
        roleSets: new Map(),
        accept: [],
      },
      diagnostics: [],
    });
    expect(
      make("version: 1\nusers: []\nleavers: []\nteams: []\nkeys: []\nroleSets: {}\ngroups: {}\n").diagnostics,
    ).toEqual([]);
  });

  describe("accounts", () => {
    const settings = {
      account: "main",
      accounts: new Map([
        ["main", "acc-1"],
        ["lab", "acc-9"],
      ]),
    };
    const one = (account: string) =>
      `version: 1\n${account}users: [{ email: ada@acme.example, firstName: A, lastName: L }]\n`;

    test.each([
      ["an alias is looked up", "account: lab\n", settings, "acc-9"],
      ["any other name is an identifier", "account: acc-7\n", settings, "acc-7"],
      ["a file without one takes the settings' account, itself an alias", "", settings, "acc-1"],
      ["names of object members are no aliases", "account: constructor\n", settings, "constructor"],
    ])("%s", (_, line, given, expected) => {
      const { roster, diagnostics } = make(one(line), given);
      expect(diagnostics).toEqual([]);
      expect(roster?.accounts.map(({ value }) => value)).toEqual([expected]);
      expect(roster?.users.get(ada)?.account).toBe(expected);
    });

    test("no account at all names both ways out", () => {
      expect(make(one("")).diagnostics).toEqual([
        {
          code: "missing-key",
          severity: "error",
          message: "This file has users but names no account.",
          hint: "Write `account: IDENTIFIER` at the top of the file, or `account:` in the settings.",
          place: place(2, 1),
          excerpt: { line: "users: [{ email: ada@acme.example, firstName: A, lastName: L }]", length: 5 },
        },
      ]);
    });

    test("a file that holds nobody needs none, and mentions none", () => {
      const text = "version: 1\naccount: acc-5\nusers: []\nkeys: [{ prefix: p, roles: [A] }]\n";
      expect(make(text).roster?.accounts).toEqual([]);
      expect(make(text.replace("account: acc-5\n", "")).diagnostics).toEqual([]);
    });

    test("accounts come in the order of their first mention", () => {
      const file = (account: string, email: string) =>
        `version: 1\naccount: ${account}\nusers: [{ email: ${email}, firstName: A, lastName: L }]\n`;
      const files = { "b.yaml": file("z", "1@x"), "a.yaml": file("a", "2@x"), "c.yaml": file("z", "3@x") };
      const { roster } = rosterFrom(files);
      expect(roster?.accounts).toEqual([
        { value: "z", place: place(2, 10, "b.yaml") },
        { value: "a", place: place(2, 10, "a.yaml") },
      ]);
      expect([...(roster?.users.keys() ?? [])]).toEqual(["1@x", "2@x", "3@x"]);
    });
  });

  describe("the shape of a file", () => {
    test("more roles than any key has", () => {
      const making = make(
        `version: 1\nroleSets: { a: [${Array.from({ length: 201 }, (_, i) => `R${i}`).join(", ")}] }\n`,
      );
      expect([making.roster, ...faultsOf(making)]).toEqual([
        undefined,
        "f.yaml:2:16+undefined bad-value: This list has 201 roles; no key can have more than 200.",
      ]);
    });

    test("names of object members are names like any other", () => {
      const names = ["__proto__", "constructor", "toString", "hasOwnProperty"];
      const { roster, diagnostics } =
        make(`${people}groups: { ${names.map((n) => `${n}: [ada@acme.example]`).join(", ")} }
roleSets: { ${names.map((n) => `${n}: [${n}]`).join(", ")} }
teams: [${names.map((n) => `{ name: ${n}, roles: [{ set: ${n} }], members: [{ group: ${n} }] }`).join(", ")}]
`);
      expect(diagnostics).toEqual([]);
      expect(roster?.teams.map(({ name, members }) => [name, members.map(({ roles }) => roles)])).toEqual(
        names.map((name) => [name, [[name]]]),
      );
      expect(faultsOf(make("version: 1\n__proto__: 1\n"))).toEqual([
        "f.yaml:1:1+7 not-a-roster-file: This is not a roster file: it has no `users`, `teams` or other section.",
      ]);
    });
  });

  describe("the speed of it", () => {
    test("many users in many teams through groups take no noticeable time", () => {
      const count = size(1000);
      const emails = Array.from({ length: 10 * count }, (_, i) => `user${i}@acme.example`);
      const users = emails.map((email, i) => `  - { email: ${email}, firstName: F${i}, lastName: L${i} }`);
      const teams = Array.from({ length: count }, (_, i) => `  - { name: T${i}, members: [{ group: g${i} }] }`);
      const groups = Array.from(
        { length: count },
        (_, i) => `  g${i}: [${emails.slice(i * 10, i * 10 + 10).join(", ")}]`,
      );
      const lines = ["version: 1", "account: a", "users:", ...users, "groups:", ...groups, "teams:", ...teams];
      const { roster } = make(lines.join("\n"));
      expect(roster?.teams.flatMap(({ members }) => members)).toHaveLength(10 * count);
    });

    test("errors are counted once there are a thousand of them", () => {
      const { diagnostics } = make(
        `version: 1\nroleSets: { a: [${"[], ".repeat(150)}] }\nkeys: [${"x, ".repeat(3000)}]\n`,
      );
      expect(diagnostics).toHaveLength(1001);
      expect(diagnostics.at(-1)?.message).toBe("The roster has 2150 more errors.");
    });

    test("warnings are counted once there are a thousand of them, and leave a roster valid", () => {
      const users = Array.from(
        { length: 1001 },
        (_, i) => `{ email: u${i}@x, firstName: F, lastName: L, until: 2026-11-20 }`,
      );
      const { roster, diagnostics } = make(`version: 1\naccount: a\nusers: [${users.join(", ")}]\n`);
      expect([roster?.users.size, roster?.leavers.size, diagnostics.length]).toEqual([0, 1001, 1001]);
      expect(diagnostics.at(-1)).toEqual({
        code: "more-errors",
        severity: "warning",
        message: "The roster has 1 more warning.",
        hint: "Fix the first ones, then run it again.",
      });
    });

    test("groups cannot multiply into more than memory holds", () => {
      const emails = Array.from({ length: 3000 }, (_, i) => `u${i}@x`);
      const users = emails.map((email) => `{ email: ${email}, firstName: F, lastName: L }`).join(", ");
      const teams = (count: number, members: string) =>
        Array.from({ length: count }, (_, i) => `{ name: T${i}, members: [${members}] }`);
      const text = (...lists: readonly (readonly string[])[]) =>
        `version: 1\naccount: a\nusers: [${users}]\ngroups: { all: [${emails.join(", ")}], again: [${emails.join(", ")}] }\nteams:\n${lists
          .flat()
          .map((team) => `  - ${team}\n`)
          .join("")}`;
      const refused = make(text(teams(800, "{ group: all }")));
      expect(refused.diagnostics.map(({ code, place }) => ({ code, line: place?.line }))).toEqual([
        { code: "too-large", line: 672 },
      ]);
      const twice = make(text(teams(667, "{ group: all }, { group: again }, { user: u7@x }")));
      expect(twice.diagnostics.map(({ code, place }) => ({ code, line: place?.line }))).toEqual([
        { code: "too-large", line: 672 },
      ]);
    });
  });

  describe("a whole key where a prefix belongs", () => {
    test.each([
      ["of a key", "version: 1\nkeys: [{ prefix: abc.SECRETPART, rolls: [] }]\n"],
      [
        "of a user",
        "version: 1\naccount: a\nusers: [{ email: a@b, firstName: A, lastName: B, key: abc.SECRETPART }]\n",
      ],
    ])("%s is refused, and nothing that is said about its line shows it", (_, text) => {
      const { roster, diagnostics } = rosterFrom({ "f.yaml": text });
      expect(roster).toBeUndefined();
      expect(diagnostics.map(({ code }) => code)).toContain("full-key");
      expect(JSON.stringify(diagnostics)).not.toContain("SECRETPART");
    });
  });
});

const guest = `version: 1
account: acc-2
users: [{ email: cy@lab.example, firstName: Cy, lastName: Park }]
`;

/** Everything that the format knows. */
const whole = `version: 1
account: acc-1
defaults: { source: gitops }
roleSets:
  engineer: [TEAM_ROLE, DEVELOPER, TEAM_ROLE]
groups:
  on-call: [ADA@acme.example, bo@acme.example]
users:
  - email: Ada@Acme.example
    firstName: Ada
    lastName: Lovelace
    title: Principal
    externalIdentifier: e-1
    source: hr
    previously: [ada@old.example]
    ownKeyRoles: [DEVELOPER, { set: engineer }]
    until: 2027-01-31
    distinctFrom: [ADO@acme.example]
  - { email: bo@acme.example, firstName: Bo, lastName: Diaz, key: bo-own }
teams:
  - name: Data Science
    identifier: t-42
    previously: [Data]
    admin: ada@acme.example
    firstMember: bo@acme.example
    roles: [{ set: engineer }]
    open: true
    members:
      - { group: on-call }
      - { user: bo@acme.example, roles: [], key: bo-team }
  - name: Ops
    onRemoval: revoke
leavers:
  - { email: Cy@acme.example, since: "2026-11-01", note: HR-812 }
  - email: di@acme.example
keys:
  - { prefix: 12pref, owner: ada@acme.example, roles: [], note: nightly batch }
accept:
  - { code: "extra-member:member cy@acme.example of team acc-1/ops#0123456789ab", reason: HR-812, until: 2027-11-21 }
`;

/** A team T of these lines, beside two groups and a role set. */
const teamOf = (lines: string) => `${head}${boLine}groups:
  all: [ada@acme.example, bo@acme.example]
  some: [ada@acme.example]
roleSets: { engineer: [ENGINEER] }
teams:
  - name: T
${lines.replaceAll(/^/gmu, "    ")}
`;

/** What `build.txt` tells of a text: its faults, or else what the roster is. */
const sections: Readonly<
  Record<string, readonly [(text: string) => BuildResult, (roster: Roster) => readonly string[]]>
> = {
  "a whole roster": [() => rosterFrom({ "f.yaml": whole }), rosterLines],
  "whose roles count for a member": [
    (text) => rosterFrom({ "f.yaml": teamOf(text) }),
    ({ teams }) => teams.flatMap(({ members }) => members.map((member) => plainText(placed(member)))),
  ],
  "the shape of a file": [
    (text) => rosterFrom({ "f.yaml": text.replace("PEOPLE", `${head}${boLine}`) }),
    () => ["a roster"],
  ],
  rules: [(text) => rosterFrom({ "f.yaml": `${head}${boWithKey}${text}`, "guest.yaml": guest }), () => ["a roster"]],
};

testTextCases(new URL("./build.txt", import.meta.url), (section, [text = ""]) => {
  const [made, shown] = sections[section] ?? [];
  const making = made?.(unescaped(text));
  if (making === undefined || shown === undefined) throw new Error(section);
  const faults = faultsOf(making);
  expect(making.roster === undefined).toBe(faults.length > 0);
  return making.roster === undefined ? faults : shown(making.roster);
});

describe("rules", () => {
  const people = `${head}${boWithKey}`;

  test("warns of a role set that is named as a role", () => {
    const text = "roleSets: { engineer: [DEVELOPER] }\nteams: [{ name: T, roles: [engineer, TEAM_ROLE] }]\n";
    const making = rosterFrom({ "f.yaml": people + text, "guest.yaml": guest });
    expect(faultsOf(making)).toEqual([
      "f.yaml:7:20+5 role-set-as-role: `engineer` is read as a role here, but it is also the name of a role set.",
    ]);
    expect(making.diagnostics[0]?.hint).toBe("Write `{ set: engineer }` to use the role set, or rename the role set.");
    expect(making.roster).toBeDefined();
  });

  test("two teams of one name are told apart by their identifiers, and only they", () => {
    const text = "teams: [{ name: A, identifier: t-1 }, { name: a, identifier: T-1 }, { name: B, identifier: t-2 }]\n";
    const { roster } = rosterFrom({ "f.yaml": people + text });
    expect(roster?.teams.map(({ key }) => key)).toEqual(["acc-1/a ID t-1", "acc-1/a ID T-1", "acc-1/b"]);
  });

  test("nobody is called missing where some members could not be read", () => {
    const text = "teams: [{ name: T, admin: ada@acme.example, members: [7, { group: g }] }]\n";
    expect(faultsOf(rosterFrom({ "f.yaml": people + text }))).toEqual([
      "f.yaml:6:55+1 bad-value: An entry of `members` must be a text, but YAML reads a number here.",
      "f.yaml:6:67+1 unknown-name: There is no group `g`.",
    ]);
  });

  test("groups and role sets hold for all files, and each is defined once in all of them", () => {
    const shared = "version: 1\ngroups: { g: [] }\nroleSets: { s: [] }\n";
    const user = "version: 1\naccount: a\nteams: [{ name: T, roles: [{ set: s }], members: [{ group: g }] }]\n";
    expect(faultsOf(rosterFrom({ "a.yaml": user, "b.yaml": shared }))).toEqual([]);
    expect(faultsOf(rosterFrom({ "b.yaml": shared, "a.yaml": user, "c.yaml": shared }))).toEqual([
      "c.yaml:2:11+1 duplicate: The group `g` is defined twice; first at b.yaml:2:11.",
      "c.yaml:3:13+1 duplicate: The role set `s` is defined twice; first at b.yaml:3:13.",
    ]);
  });

  test("errors come in the order of the files, and suggest what was meant", () => {
    const bad = `${people}teams: [{ name: T, admni: ada@acme.example }]\ngroups: { g: [aad@acme.example] }\n`;
    const { diagnostics } = rosterFrom({ "z.yaml": bad, "a.yaml": "version: 1\nroleset: {}\n" });
    expect(diagnostics.map(({ place, code, hint }) => [place?.file, code, hint])).toEqual([
      ["z.yaml", "unknown-key", "Did you mean `admin`?"],
      ["z.yaml", "not-a-member", "Add `- { user: ada@acme.example }` to its members."],
      ["z.yaml", "unknown-name", "Did you mean `ada@acme.example`?"],
      ["a.yaml", "unknown-key", "Did you mean `roleSets`?"],
    ]);
  });

  test("what stands under a misspelt key is read, so that the slip alone is reported", () => {
    const misspelt = `${people}teams: [{ name: T, admin: ada@acme.example, memers: [{ usr: ada@acme.example }] }]\n`;
    expect(rosterFrom({ "f.yaml": misspelt }).diagnostics.map(({ message, hint }) => [message, hint])).toEqual([
      ["A team has no field `memers`.", "Did you mean `members`?"],
      ["A member has no field `usr`.", "Did you mean `user`?"],
    ]);
  });

  test("a member who is named by `email` is one error, and known all the same", () => {
    const making = rosterFrom({ "f.yaml": `${people}teams: [{ name: T, members: [{ email: aad@acme.example }] }]\n` });
    expect(making.diagnostics.map(({ code, message, hint }) => [code, message, hint])).toEqual([
      ["unknown-key", "A member has no field `email`.", "Write `user`."],
      ["unknown-name", expect.stringContaining("aad@acme.example"), "Did you mean `ada@acme.example`?"],
    ]);
  });

  test("nobody is of another account than a team of which the account is not named", () => {
    const team =
      "version: 1\nteams: [{ name: T, admin: cy@lab.example, firstMember: cy@lab.example, members: [cy@lab.example] }]\n";
    expect(faultsOf(rosterFrom({ "f.yaml": team, "g.yaml": guest }))).toEqual([
      "f.yaml:2:1+5 missing-key: This file has teams but names no account.",
    ]);
  });
});
