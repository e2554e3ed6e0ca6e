import { expect, test } from "vitest";
import { faultsOf, rosterFrom } from "../../support/roster-text.ts";

const people = `version: 1
account: acc-1
users:
  - { email: ada@acme.example, firstName: Ada, lastName: Lovelace }
  - { email: bo@acme.example, firstName: Bo, lastName: Diaz, ownKeyRoles: [A], key: own-bo }
`;
const guest = `version: 1
account: acc-2
users: [{ email: cy@lab.example, firstName: Cy, lastName: Park }]
`;

/** Each text follows the users above: its first line is the sixth of `f.yaml`. */
const cases: Record<string, readonly [text: string, ...faults: string[]]> = {
  "a user twice, in other letters": [
    "  - { email: ADA@acme.example, firstName: A, lastName: L }\n",
    "f.yaml:6:14+16 duplicate-user: The user `ADA@acme.example` is listed twice; the first time at f.yaml:4:14.",
  ],
  "a former address of somebody else, of oneself, of two people": [
    "  - { email: x@x.example, firstName: X, lastName: X, previously: [bo@ACME.example, x@x.example, z@x.example] }\n  - { email: y@x.example, firstName: Y, lastName: Y, previously: [z@x.example] }\n",
    "f.yaml:6:67+15 duplicate-address: The former address `bo@ACME.example` is the address of the user at f.yaml:5:14.",
    "f.yaml:6:84+11 duplicate-address: The former address `x@x.example` is this user's address of today.",
    "f.yaml:7:67+11 duplicate-address: The former address `z@x.example` is listed twice; the first time at f.yaml:6:97.",
  ],
  "a leaver twice, a user who is a leaver, and a former address that is a leaver's": [
    "  - { email: x@x.example, firstName: X, lastName: X, previously: [cy@acme.example] }\nleavers:\n  - { email: cy@acme.example }\n  - { email: CY@acme.example }\n  - { email: ADA@acme.example, since: 2026-11-01 }\n",
    "f.yaml:6:67+15 duplicate-address: The former address `cy@acme.example` is that of a leaver (f.yaml:8:14), who holds nothing.",
    "f.yaml:9:14+15 duplicate-leaver: The leaver `CY@acme.example` is listed twice; the first time at f.yaml:8:14.",
    "f.yaml:10:14+16 user-and-leaver: `ADA@acme.example` is a leaver here and a user at f.yaml:4:14.",
  ],
  "a leaver in a group, among members, as administrator and as founder": [
    "leavers: [{ email: cy@acme.example }]\ngroups: { g: [ada@acme.example, CY@acme.example] }\nteams: [{ name: T, admin: cy@acme.example, founder: cy@acme.example, members: [cy@acme.example, { group: g }] }]\n",
    "f.yaml:7:33+15 leaver-in-use: The group member `CY@acme.example` is a leaver (f.yaml:6:20), and a leaver holds nothing.",
    "f.yaml:8:27+15 leaver-in-use: The administrator `cy@acme.example` is a leaver (f.yaml:6:20), and a leaver holds nothing.",
    "f.yaml:8:53+15 leaver-in-use: The founder `cy@acme.example` is a leaver (f.yaml:6:20), and a leaver holds nothing.",
    "f.yaml:8:80+15 leaver-in-use: The member `cy@acme.example` is a leaver (f.yaml:6:20), and a leaver holds nothing.",
  ],
  "a leaver's key that is given roles": [
    "leavers: [{ email: cy@acme.example }]\nkeys: [{ prefix: p, owner: CY@acme.example, roles: [A] }]\n",
    "f.yaml:7:45+5 leaver-key-roles: The key `p` gives roles to `cy@acme.example`, who is a leaver (f.yaml:6:20).",
  ],
  "a leaver who leaves the day after tomorrow": [
    "leavers: [{ email: cy@acme.example, since: 2026-11-22 }]\n",
    "f.yaml:6:44+10 leaves-later: `cy@acme.example` leaves on 2026-11-22, but a leaver holds nothing from now on.",
  ],
  "somebody distinct from themselves, and from somebody twice": [
    "  - { email: x@x.example, firstName: X, lastName: X, previously: [y@x.example], distinctFrom: [X@x.example, Y@x.example, z@x.example, Z@x.example] }\n",
    "f.yaml:6:96+11 not-distinct: `X@x.example` is an address of this user's own, today's or a former one.",
    "f.yaml:6:109+11 not-distinct: `Y@x.example` is an address of this user's own, today's or a former one.",
    "f.yaml:6:135+11 not-distinct: `Z@x.example` is listed twice.",
  ],
  "removals from an open team, of either kind": [
    "teams: [{ name: T, open: true, onRemoval: disarm }, { name: U, onRemoval: report, open: true }]\n",
    "f.yaml:6:43+6 on-removal-of-open-team: The team `T` is open, so that nobody in it is too many and `onRemoval` means nothing.",
    "f.yaml:6:75+6 on-removal-of-open-team: The team `U` is open, so that nobody in it is too many and `onRemoval` means nothing.",
  ],
  "a team twice, in other letters and spaces": [
    "teams: [{ name: Data Science }, { name: 'data  science' }]\n",
    "f.yaml:6:41+15 duplicate-team: The team `data  science` is listed twice in the account `acc-1`; the first time at f.yaml:6:17.",
  ],
  "two teams of one name, of which one has no identifier": [
    "teams: [{ name: A, identifier: t-1 }, { name: a }]\n",
    "f.yaml:6:47+1 duplicate-team: The team `a` is listed twice in the account `acc-1`; the first time at f.yaml:6:17.",
  ],
  "two teams of one name with one identifier": [
    "teams: [{ name: A, identifier: t-1 }, { name: A, identifier: t-1 }]\n",
    "f.yaml:6:62+3 duplicate-identifier: The identifier `t-1` is given to two teams; to the first at f.yaml:6:32.",
  ],
  "two teams with one identifier": [
    "teams: [{ name: A, identifier: t-1 }, { name: B, identifier: t-1 }]\n",
    "f.yaml:6:62+3 duplicate-identifier: The identifier `t-1` is given to two teams; to the first at f.yaml:6:32.",
  ],
  "people in a group who are nobody, or there twice": [
    "groups: { g: [ada@acme.example, aad@acme.example, ADA@acme.example] }\n",
    "f.yaml:6:33+16 unknown-user: The group member `aad@acme.example` is not a user of this roster.",
    "f.yaml:6:51+16 duplicate-member: `ADA@acme.example` is in the group `g` twice; the first time in line 6.",
  ],
  "a member, administrator and founder who are nobody": [
    "teams: [{ name: T, admin: x@x, founder: y@y, members: [z@z] }]\n",
    "f.yaml:6:27+3 unknown-user: The administrator `x@x` is not a user of this roster.",
    "f.yaml:6:41+3 unknown-user: The founder `y@y` is not a user of this roster.",
    "f.yaml:6:56+3 unknown-user: The member `z@z` is not a user of this roster.",
  ],
  "a member twice, a group twice": [
    "groups: { g: [ada@acme.example] }\nteams:\n  - name: T\n    members:\n      - bo@acme.example\n      - { group: g }\n      - { user: BO@acme.example }\n      - { group: g }\n",
    "f.yaml:12:17+15 duplicate-member: `BO@acme.example` is a member of this team twice; the first time in line 10.",
    "f.yaml:13:18+1 duplicate-member: The group `g` is a member of this team twice; the first time in line 11.",
  ],
  "groups and role sets that are not there": [
    "groups: { on-call: [] }\nroleSets: { engineer: [A] }\nteams: [{ name: T, roles: [{ set: enginer }], members: [{ group: oncall, roles: [{ set: zzz }] }] }]\n",
    "f.yaml:8:35+7 unknown-role-set: There is no role set `enginer`.",
    "f.yaml:8:66+6 unknown-group: There is no group `oncall`.",
    "f.yaml:8:89+3 unknown-role-set: There is no role set `zzz`.",
  ],
  "two groups that give one person different roles, told once for each entry": [
    "groups: { g: [ada@acme.example, bo@acme.example], h: [bo@acme.example, ada@acme.example] }\nteams:\n  - name: T\n    members:\n      - { group: g, roles: [A] }\n      - { group: h, roles: [B] }\n",
    "f.yaml:11:21+5 conflicting-roles: `ada@acme.example` gets other roles here, as one of `h`, than in line 10 as one of `g`.",
  ],
  "an administrator who is no member": [
    "teams: [{ name: T, admin: ada@acme.example, members: [bo@acme.example] }]\n",
    "f.yaml:6:27+16 admin-not-member: The administrator `ada@acme.example` is not a member of the team `T`.",
  ],
  "an administrator and a founder of another account": [
    "teams: [{ name: T, admin: cy@lab.example, founder: cy@lab.example, members: [cy@lab.example] }]\n",
    "f.yaml:6:27+14 admin-other-account: The administrator `cy@lab.example` belongs to the account `acc-2`, the team to `acc-1`.",
    "f.yaml:6:52+14 founder-other-account: The founder `cy@lab.example` belongs to the account `acc-2`, the team to `acc-1`.",
  ],
  "a founder who is no member and has an own key": [
    "teams: [{ name: T, founder: bo@acme.example, members: [ada@acme.example] }]\n",
    "f.yaml:6:29+15 founder-not-member: The founder `bo@acme.example` is not a member of the team `T`.",
    "f.yaml:6:29+15 founder-own-key-roles: The founder `bo@acme.example` has `ownKeyRoles` (line 5 of f.yaml), but whoever founds a team gets its key and no own one.",
  ],
  "a key listed twice, with the same roles and with others": [
    "keys:\n  - { prefix: p, roles: [A, B] }\n  - { prefix: p, roles: [B, A] }\n  - { prefix: p, roles: [C] }\n",
    "f.yaml:8:15+1 duplicate-prefix: The key `p` is listed twice; the first at f.yaml:7:15.",
    "f.yaml:9:15+1 conflicting-roles: The key `p` is given other roles here than at f.yaml:7:15, and neither outranks the other.",
  ],
  "an own key that is listed with other roles": [
    "keys: [{ prefix: own-bo, roles: [B] }]\n",
    "f.yaml:6:18+6 conflicting-roles: The key `own-bo` is given other roles here than at f.yaml:5:85, and neither outranks the other.",
  ],
  "a team key that is listed with other roles": [
    "teams: [{ name: T, roles: [A], members: [{ user: ada@acme.example, key: k }] }]\nkeys: [{ prefix: k, roles: [] }]\n",
    "f.yaml:7:18+1 conflicting-roles: The key `k` is given other roles here than at f.yaml:6:73, and neither outranks the other.",
  ],
  "one prefix as the key of two people, of two teams": [
    "teams:\n  - { name: T, members: [{ user: ada@acme.example, key: own-bo }, { user: bo@acme.example, key: k }] }\n  - { name: U, members: [{ user: bo@acme.example, key: k }] }\nkeys: [{ prefix: k, roles: [], owner: ada@acme.example }]\n",
    "f.yaml:7:57+6 duplicate-prefix: The key `own-bo` is declared as the key of two people; the first at f.yaml:5:85.",
    "f.yaml:8:56+1 duplicate-prefix: The key `k` is declared as the key of two teams; the first at f.yaml:7:97.",
    "f.yaml:9:18+1 duplicate-prefix: The key `k` is declared as the key of two people; the first at f.yaml:7:97.",
  ],
};

test.each(Object.entries(cases))("refuses %s", (_, [text, ...expected]) => {
  const making = rosterFrom({ "f.yaml": people + text, "guest.yaml": guest });
  expect(faultsOf(making)).toEqual(expected);
  expect(making.roster).toBeUndefined();
});

const allowed: Record<string, string> = {
  "one team name in two accounts, one former name in two teams":
    "teams: [{ name: A, previously: [C] }, { name: B, previously: [C] }]\n",
  "a member of another account": "teams: [{ name: T, members: [cy@lab.example] }]\n",
  "a direct entry that settles what two groups say":
    "groups: { g: [ada@acme.example], h: [ada@acme.example] }\nteams: [{ name: T, members: [{ group: g, roles: [A] }, { group: h, roles: [B] }, { user: ada@acme.example, roles: [C] }] }]\n",
  "an administrator through a group":
    "groups: { g: [ADA@acme.example] }\nteams: [{ name: T, admin: ada@acme.example, members: [{ group: g }] }]\n",
  "a founder's key, which is the team's": "teams: [{ name: T, members: [{ user: bo@acme.example, key: own-bo }] }]\n",
  "a leaver of today, and of tomorrow where that has begun somewhere":
    "leavers: [{ email: x@x.example, since: 2026-11-20 }, { email: y@x.example, since: 2026-11-21 }]\n",
  "a leaver's key without roles":
    "leavers: [{ email: x@x.example }]\nkeys: [{ prefix: p, owner: x@x.example, roles: [] }]\n",
  "somebody distinct from a user, a leaver and somebody whom the roster does not name":
    "  - { email: x@x.example, firstName: X, lastName: X, distinctFrom: [ada@acme.example, z@x.example, y@x.example] }\nleavers: [{ email: z@x.example }]\n",
  "removals from a team that is not open": "teams: [{ name: T, open: false, onRemoval: disarm }]\n",
  "a listed key that agrees with the user's, or says whose it is":
    "keys: [{ prefix: own-bo, roles: [A], owner: bo@acme.example }, { prefix: q, roles: [B], owner: nobody@x.example }]\n",
};

test.each(Object.entries(allowed))("allows %s", (_, text) => {
  expect(faultsOf(rosterFrom({ "f.yaml": people + text, "guest.yaml": guest }))).toEqual([]);
});

test("two teams of one name are told apart by their identifiers, and only they", () => {
  const text = "teams: [{ name: A, identifier: t-1 }, { name: a, identifier: T-1 }, { name: B, identifier: t-2 }]\n";
  const { roster } = rosterFrom({ "f.yaml": people + text });
  expect(roster?.teams.map(({ key }) => key)).toEqual(["acc-1/a ID t-1", "acc-1/a ID T-1", "acc-1/b"]);
});

test("nobody is called missing where some members could not be read", () => {
  const text = "teams: [{ name: T, admin: ada@acme.example, members: [7, { group: g }] }]\n";
  expect(faultsOf(rosterFrom({ "f.yaml": people + text }))).toEqual([
    "f.yaml:6:55+1 quote-needed: A member is a text, but YAML reads a number here.",
    "f.yaml:6:67+1 unknown-group: There is no group `g`.",
  ]);
});

test("groups and role sets hold for all files, and each is defined once in all of them", () => {
  const shared = "version: 1\ngroups: { g: [] }\nroleSets: { s: [] }\n";
  const user = "version: 1\naccount: a\nteams: [{ name: T, roles: [{ set: s }], members: [{ group: g }] }]\n";
  expect(faultsOf(rosterFrom({ "a.yaml": user, "b.yaml": shared }))).toEqual([]);
  expect(faultsOf(rosterFrom({ "b.yaml": shared, "a.yaml": user, "c.yaml": shared }))).toEqual([
    "c.yaml:2:11+1 duplicate-group: The group `g` is defined twice; the first time at b.yaml:2:11.",
    "c.yaml:3:13+1 duplicate-role-set: The role set `s` is defined twice; the first time at b.yaml:3:13.",
  ]);
});

test("errors come in the order of the files, and suggest what was meant", () => {
  const bad = `${people}teams: [{ name: T, admni: x }]\ngroups: { g: [aad@acme.example] }\n`;
  const { diagnostics } = rosterFrom({ "z.yaml": bad, "a.yaml": "version: 1\nroleset: {}\n" });
  expect(diagnostics.map(({ place, code, hint }) => [place?.file, code, hint])).toEqual([
    ["z.yaml", "unknown-key", "Did you mean `admin`?"],
    ["z.yaml", "unknown-user", "Did you mean `ada@acme.example`?"],
    ["a.yaml", "unknown-key", "Did you mean `roleSets`?"],
  ]);
});

test("nobody is of another account than a team of which the account is not named", () => {
  const team =
    "version: 1\nteams: [{ name: T, admin: cy@lab.example, founder: cy@lab.example, members: [cy@lab.example] }]\n";
  expect(faultsOf(rosterFrom({ "f.yaml": team, "g.yaml": guest }))).toEqual([
    "f.yaml:2:1+5 missing-account: No account is named for the teams of this file.",
  ]);
});
