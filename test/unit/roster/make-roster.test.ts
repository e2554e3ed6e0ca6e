import { describe, expect, test } from "vitest";
import { foldAddress } from "../../../src/model/address.ts";
import { teamKeyOf } from "../../../src/model/names.ts";
import { reasonAt } from "../../../src/model/reason.ts";
import { faultsOf, rosterFrom } from "../../support/roster-text.ts";

const place = (line: number, column: number, file = "f.yaml") => ({ file, line, column });
const make = (text: string, settings?: Parameters<typeof rosterFrom>[1]) => rosterFrom({ "f.yaml": text }, settings);
const ada = foldAddress("ada@acme.example");
const bo = foldAddress("bo@acme.example");
const cy = foldAddress("cy@acme.example");
const di = foldAddress("di@acme.example");

const people = `version: 1
account: acc-1
users:
  - { email: ada@acme.example, firstName: Ada, lastName: Lovelace }
  - { email: bo@acme.example, firstName: Bo, lastName: Diaz }
`;

test("everything that the format knows becomes a roster with its places", () => {
  const making = make(`version: 1
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
    founder: bo@acme.example
    roles: [{ set: engineer }]
    open: true
    members:
      - { group: on-call }
      - { user: bo@acme.example, roles: [], key: bo-team }
  - name: Ops
    onRemoval: disarm
leavers:
  - { email: Cy@acme.example, since: "2026-11-01", ref: HR-812 }
  - email: di@acme.example
keys:
  - { prefix: 12pref, owner: ada@acme.example, roles: [], note: nightly batch }
`);
  expect(making.diagnostics).toEqual([]);
  const account = reasonAt(place(2, 10), "account", { name: "acc-1" });
  const engineer = reasonAt(place(5, 3), "role-set", { name: "engineer" });
  const team = reasonAt(place(21, 5), "team", { name: "Data Science" });
  expect(making.roster).toEqual({
    accounts: [{ value: "acc-1", place: place(2, 10) }],
    users: new Map([
      [
        ada,
        {
          address: ada,
          email: "Ada@Acme.example",
          firstName: "Ada",
          lastName: "Lovelace",
          title: "Principal",
          externalIdentifier: "e-1",
          source: "hr",
          account: "acc-1",
          previously: [{ value: "ada@old.example", place: place(15, 18) }],
          ownKeyRoles: {
            value: ["DEVELOPER", "TEAM_ROLE"],
            place: place(16, 5),
            because: [reasonAt(place(16, 5), "own-key-roles"), engineer],
          },
          until: { value: "2027-01-31", place: place(17, 12) },
          distinctFrom: [{ value: "ado@acme.example", place: place(18, 20) }],
          place: place(9, 5),
          because: [reasonAt(place(9, 5), "user"), account],
        },
      ],
      [
        bo,
        {
          address: bo,
          email: "bo@acme.example",
          firstName: "Bo",
          lastName: "Diaz",
          source: "gitops",
          account: "acc-1",
          previously: [],
          key: { value: "bo-own", place: place(19, 67) },
          distinctFrom: [],
          place: place(19, 5),
          because: [
            reasonAt(place(19, 5), "user"),
            account,
            reasonAt(place(3, 21), "defaults", { name: "source gitops" }),
          ],
        },
      ],
    ]),
    leavers: new Map([
      [
        cy,
        {
          address: cy,
          email: "Cy@acme.example",
          account: "acc-1",
          since: "2026-11-01",
          ref: "HR-812",
          by: "leavers",
          teamKeys: [],
          place: place(34, 5),
          because: [reasonAt(place(34, 5), "leaver")],
        },
      ],
      [
        di,
        {
          address: di,
          email: "di@acme.example",
          account: "acc-1",
          by: "leavers",
          teamKeys: [],
          place: place(35, 5),
          because: [reasonAt(place(35, 5), "leaver")],
        },
      ],
    ]),
    teams: [
      {
        key: teamKeyOf("acc-1", "Data Science"),
        name: "Data Science",
        account: "acc-1",
        identifier: { value: "t-42", place: place(22, 17) },
        previously: [{ value: "Data", place: place(23, 18) }],
        admin: { value: ada, place: place(24, 12) },
        founder: { value: bo, place: place(25, 14) },
        open: true,
        onRemoval: "report",
        members: [
          {
            address: ada,
            roles: ["DEVELOPER", "TEAM_ROLE"],
            because: [
              reasonAt(place(29, 9), "group", { name: "on-call" }),
              reasonAt(place(7, 13), "group-member", { name: "on-call", person: ada }),
              reasonAt(place(26, 5), "team-roles"),
              engineer,
              team,
            ],
          },
          {
            address: bo,
            roles: [],
            key: { value: "bo-team", place: place(30, 50) },
            because: [reasonAt(place(30, 9), "member", { person: bo }), reasonAt(place(30, 34), "member-roles"), team],
            alsoBy: [
              reasonAt(place(29, 9), "group", { name: "on-call" }),
              reasonAt(place(7, 31), "group-member", { name: "on-call", person: bo }),
            ],
          },
        ],
        place: place(21, 5),
        because: [team, account],
      },
      {
        key: teamKeyOf("acc-1", "Ops"),
        name: "Ops",
        account: "acc-1",
        previously: [],
        open: false,
        onRemoval: "disarm",
        members: [],
        place: place(31, 5),
        because: [reasonAt(place(31, 5), "team", { name: "Ops" }), account],
        onRemovalAt: reasonAt(place(32, 16), "on-removal"),
      },
    ],
    keys: [
      {
        prefix: "12pref",
        owner: { value: ada, place: place(37, 30) },
        roles: [],
        note: "nightly batch",
        place: place(37, 5),
        because: [reasonAt(place(37, 5), "key")],
      },
    ],
    roleSets: new Map([["engineer", { value: ["DEVELOPER", "TEAM_ROLE"], place: place(5, 3) }]]),
  });
});

test("an empty roster is a roster", () => {
  expect(rosterFrom({})).toEqual({
    roster: { accounts: [], users: new Map(), leavers: new Map(), teams: [], keys: [], roleSets: new Map() },
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
        code: "missing-account",
        severity: "error",
        message: "No account is named for the users of this file.",
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

describe("whose roles count for a member", () => {
  const rolesOf = (team: string) => {
    const { roster, diagnostics } = make(`${people}groups:
  all: [ada@acme.example, bo@acme.example]
  some: [ada@acme.example]
roleSets: { engineer: [ENGINEER] }
teams:
  - name: T
${team.replace(/^/gm, "    ")}
`);
    expect(diagnostics).toEqual([]);
    return roster?.teams[0]?.members.map(({ roles, because }) => [
      roles,
      because.map(({ line, as }) => `${as} ${line}`),
    ]);
  };

  const cases: Record<string, readonly [team: string, members: unknown]> = {
    "nobody's: not managed": ["members: [ada@acme.example]", [[undefined, ["member 12", "team 11"]]]],
    "the team's": [
      "roles: [A]\nmembers: [{ user: ada@acme.example }]",
      [[["A"], ["member 13", "team-roles 12", "team 11"]]],
    ],
    "the entry's, before the team's": [
      "roles: [A]\nmembers: [{ user: ada@acme.example, roles: [] }]",
      [[[], ["member 13", "member-roles 13", "team 11"]]],
    ],
    "the group entry's, before the team's": [
      "roles: [A]\nmembers: [{ group: some, roles: [B] }]",
      [[["B"], ["group 13", "group-member 8", "member-roles 13", "team 11"]]],
    ],
    "a direct entry's, before a group entry's": [
      "members:\n  - { group: all, roles: [B] }\n  - { user: ada@acme.example, roles: [C] }",
      [
        [["C"], ["member 14", "member-roles 14", "team 11"]],
        [["B"], ["group 13", "group-member 7", "member-roles 13", "team 11"]],
      ],
    ],
    "a group entry's, where the direct entry has none": [
      "members:\n  - { user: ada@acme.example }\n  - { group: some, roles: [B] }",
      [[["B"], ["member 13", "group 14", "group-member 8", "member-roles 14", "team 11"]]],
    ],
    "a group entry that has roles, before one that has none": [
      "members:\n  - { group: all }\n  - { group: some, roles: [{ set: engineer }] }",
      [
        [["ENGINEER"], ["group 14", "group-member 8", "member-roles 14", "role-set 9", "team 11"]],
        [undefined, ["group 13", "group-member 7", "team 11"]],
      ],
    ],
    "two groups that agree": [
      "members:\n  - { group: some, roles: [B, C] }\n  - { group: all, roles: [C, B] }",
      [
        [
          ["B", "C"],
          ["group 13", "group-member 8", "member-roles 13", "team 11"],
        ],
        [
          ["B", "C"],
          ["group 14", "group-member 7", "member-roles 14", "team 11"],
        ],
      ],
    ],
  };

  test.each(Object.entries(cases))("%s", (_, [team, expected]) => {
    expect(rolesOf(team)).toEqual(expected);
  });
});

describe("the shape of a file", () => {
  const cases: Record<string, readonly [text: string, ...faults: string[]]> = {
    "no version": ["users: []\n", "f.yaml:1:1+9 missing-key: A roster file needs `version`."],
    "another version": [
      "version: 2\n",
      "f.yaml:1:10+1 unsupported-version: This roster says that it has format version 2; only version 1 is known.",
    ],
    "a quoted version": ['version: "1"\n', "f.yaml:1:10+3 wrong-type: `version` is the number 1, not a text."],
    "unknown keys, everywhere": [
      `${people}leaver: []\nteams: [{ name: T, onRemove: disarm, members: [{ user: ada@acme.example, rolse: [] }] }]\nkeys: [{ prefix: p, roles: [{ set: x, y: z }] }]\n`,
      "f.yaml:6:1+6 unknown-key: A roster file has no key `leaver`.",
      "f.yaml:7:20+8 unknown-key: A team has no key `onRemove`.",
      "f.yaml:7:74+5 unknown-key: A member has no key `rolse`.",
      "f.yaml:8:36+1 unknown-role-set: There is no role set `x`.",
      "f.yaml:8:39+1 unknown-key: A reference to a role set has no key `y`.",
    ],
    "missing keys": [
      "version: 1\naccount: a\nusers: [{ email: a@b }]\nteams: [{}]\nkeys: [{ roles: [] }, { prefix: p }]\n",
      "f.yaml:3:9+14 missing-key: A user needs `firstName`.",
      "f.yaml:3:9+14 missing-key: A user needs `lastName`.",
      "f.yaml:4:9+2 missing-key: A team needs `name`.",
      "f.yaml:5:8+13 missing-key: A key needs `prefix`.",
      "f.yaml:5:23+13 missing-key: A key needs `roles`.",
    ],
    "things of the wrong kind": [
      "version: 1\naccount: a\nusers: {}\nteams:\nkeys: [x]\nroleSets: []\ngroups: { g: { a: b }, h: [[]] }\ndefaults: 1\n",
      "f.yaml:3:8+2 wrong-type: `users` is a list, not a map.",
      "f.yaml:4:7+1 wrong-type: `teams` is a list, not nothing.",
      "f.yaml:5:8+1 wrong-type: A key is a map, not a text.",
      "f.yaml:6:11+2 wrong-type: `roleSets` is a map of names, not a list.",
      "f.yaml:7:14+8 wrong-type: A group is a list, not a map.",
      "f.yaml:7:28+2 wrong-type: An address in a group is a text, not a list.",
      "f.yaml:8:11+1 wrong-type: `defaults` is a map, not a number.",
    ],
    "members that are no members": [
      `${people}teams:\n  - name: T\n    open: no\n    members:\n      - [x]\n      - { user: ada@acme.example, group: g }\n      - {}\n      - { group: 7 }\n      - 7\n`,
      "f.yaml:8:11+2 wrong-type: `open` is true or false, not a text.",
      "f.yaml:10:9+3 wrong-type: A member is an address or a map, not a list.",
      "f.yaml:11:9+36 wrong-type: A member is either a user or a group, not both at once.",
      "f.yaml:12:9+2 missing-key: A member needs `user`.",
      "f.yaml:13:18+1 quote-needed: `group` is a text, but YAML reads a number here.",
      "f.yaml:14:9+1 quote-needed: A member is a text, but YAML reads a number here.",
    ],
    "texts that YAML takes for something else": [
      "version: 1\naccount: 012\nusers:\n  - { email: a@b, firstName: 1e3, lastName: true, title: ~ }\n",
      "f.yaml:2:10+3 quote-needed: `account` is a text, but YAML reads a number here.",
      "f.yaml:4:30+3 quote-needed: `firstName` is a text, but YAML reads a number here.",
      "f.yaml:4:45+4 quote-needed: `lastName` is a text, but YAML reads a boolean here.",
      "f.yaml:4:58+1 quote-needed: `title` is a text, but YAML reads nothing here.",
    ],
    "texts with something invisible": [
      'version: 1\naccount: a\nusers:\n  - { email: a@b, firstName: " A", lastName: "x\\ty", title: "", source: "a\\nb", key: "\\ud800" }\n',
      "f.yaml:4:30+4 bad-text: `firstName` has white space before or after it.",
      "f.yaml:4:46+6 bad-text: `lastName` holds a control character or half of a character.",
      "f.yaml:4:61+2 bad-text: `title` is empty.",
      "f.yaml:4:73+6 bad-text: `source` goes over several lines.",
      "f.yaml:4:86+8 bad-text: `key` holds a control character or half of a character.",
    ],
    "addresses that are none": [
      "version: 1\naccount: a\nusers: [{ email: ada, firstName: A, lastName: B, previously: ['a b@c'] }]\n",
      "f.yaml:3:18+3 bad-address: `email` is not an e-mail address: `ada`.",
      "f.yaml:3:63+7 bad-address: An address in `previously` is not an e-mail address: `a b@c`.",
    ],
    "dates that are none": [
      "version: 1\naccount: a\nusers: [{ email: a@b, firstName: A, lastName: B, until: 31.01.2027 }]\nleavers:\n  - { email: c@d, since: 2027 }\n  - { email: e@f, since: '2026-02-29' }\n  - { email: g@h, since: }\n  - { email: i@j, since: [2026-02-28] }\n",
      "f.yaml:3:57+10 bad-date: `until` is no date of the calendar: `31.01.2027`.",
      "f.yaml:5:26+4 bad-date: `since` is no date of the calendar: `2027`.",
      "f.yaml:6:26+12 bad-date: `since` is no date of the calendar: `2026-02-29`.",
      "f.yaml:7:26+1 quote-needed: `since` is a text, but YAML reads nothing here.",
      "f.yaml:8:26+12 wrong-type: `since` is a text, not a list.",
    ],
    "leavers that are none": [
      "version: 1\nleavers:\n  - ada@acme.example\n  - { email: ada, sinse: 2026-11-01, ref: 812, firstName: Ada }\n",
      "f.yaml:3:5+16 wrong-type: A leaver is a map, not a text.",
      "f.yaml:4:14+3 bad-address: `email` is not an e-mail address: `ada`.",
      "f.yaml:4:19+5 unknown-key: A leaver has no key `sinse`.",
      "f.yaml:4:43+3 quote-needed: `ref` is a text, but YAML reads a number here.",
      "f.yaml:4:48+9 unknown-key: A leaver has no key `firstName`.",
    ],
    "a way of removal that there is not": [
      `${people}teams: [{ name: T, onRemoval: remove }, { name: U, onRemoval: true }]\n`,
      "f.yaml:6:31+6 unknown-choice: `onRemoval` is `report` or `disarm`, not `remove`.",
      "f.yaml:6:63+4 quote-needed: `onRemoval` is a text, but YAML reads a boolean here.",
    ],
    "role sets that nest": [
      "version: 1\nroleSets: { a: [A], b: [{ set: a }] }\n",
      "f.yaml:2:25+10 wrong-type: A role set holds role identifiers alone: role sets do not nest.",
    ],
    "more roles than any key has": [
      `version: 1\nroleSets: { a: [${Array.from({ length: 201 }, (_, i) => `R${i}`).join(", ")}] }\n`,
      "f.yaml:2:16+undefined too-many-roles: This list has 201 roles; no key can have more than 200.",
    ],
  };

  test.each(Object.entries(cases))("%s", (_, [text, ...expected]) => {
    const making = make(text);
    expect(faultsOf(making)).toEqual(expected);
    expect(making.roster).toBeUndefined();
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
      "f.yaml:2:1+9 unknown-key: A roster file has no key `__proto__`.",
    ]);
  });
});

describe("the speed of it", () => {
  test("ten thousand users in a thousand teams through groups take no noticeable time", () => {
    const emails = Array.from({ length: 10_000 }, (_, i) => `user${i}@acme.example`);
    const users = emails.map((email, i) => `  - { email: ${email}, firstName: F${i}, lastName: L${i} }`);
    const teams = Array.from({ length: 1000 }, (_, i) => `  - { name: T${i}, members: [{ group: g${i} }] }`);
    const groups = Array.from({ length: 1000 }, (_, i) => `  g${i}: [${emails.slice(i * 10, i * 10 + 10).join(", ")}]`);
    const lines = ["version: 1", "account: a", "users:", ...users, "groups:", ...groups, "teams:", ...teams];
    const { roster } = make(lines.join("\n"));
    expect(roster?.teams.flatMap(({ members }) => members)).toHaveLength(10_000);
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
      code: "more-warnings",
      severity: "warning",
      message: "The roster has 1 more warning.",
      hint: "Mend the first ones.",
    });
  });

  test("groups cannot multiply into more than memory holds", () => {
    const emails = Array.from({ length: 3000 }, (_, i) => `u${i}@x`);
    const users = emails.map((email) => `{ email: ${email}, firstName: F, lastName: L }`).join(", ");
    const teams = Array.from({ length: 800 }, (_, i) => `{ name: T${i}, members: [{ group: all }] }`).join(", ");
    const text = `version: 1\naccount: a\nusers: [${users}]\ngroups: { all: [${emails.join(", ")}] }\nteams: [${teams}]\n`;
    expect(make(text).diagnostics.map(({ code }) => code)).toEqual(["too-many-members"]);
  });
});

describe("a whole key where a prefix belongs", () => {
  test.each([
    ["of a key", "version: 1\nkeys: [{ prefix: abc.SECRETPART, rolls: [] }]\n"],
    ["of a user", "version: 1\naccount: a\nusers: [{ email: a@b, firstName: A, lastName: B, key: abc.SECRETPART }]\n"],
  ])("%s is refused, and nothing that is said about its line shows it", (_, text) => {
    const { roster, diagnostics } = rosterFrom({ "f.yaml": text });
    expect(roster).toBeUndefined();
    expect(diagnostics.map(({ code }) => code)).toContain("full-key");
    expect(JSON.stringify(diagnostics)).not.toContain("SECRETPART");
  });
});
