import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { acceptedBySchema } from "../../support/roster-schema.ts";
import { faultsOf, rosterFrom } from "../../support/roster-text.ts";

const settings = { account: "acc-1", accounts: new Map<string, string>() };
const decoder = (text: string) => rosterFrom({ "f.yaml": text }, settings).diagnostics.map(({ code }) => code);

const user = "{ email: a@b, firstName: A, lastName: B }";

/** What both of them refuse, by the code that the decoder gives it. */
const refusedByBoth: Record<string, readonly [code: string, text: string]> = {
  "no version": ["missing-key", "users: []"],
  "another version": ["unsupported-version", "version: 2"],
  "a quoted version": ["bad-value", 'version: "1"'],
  "an unknown key": ["unknown-key", "version: 1\nleaver: []"],
  "a user without a name": ["missing-key", "version: 1\nusers: [{ email: a@b, firstName: A }]"],
  "an unquoted number": ["bad-value", "version: 1\nusers: [{ email: a@b, firstName: A, lastName: 012 }]"],
  "an empty section": ["bad-value", "version: 1\nusers:"],
  "an empty text": ["bad-value", 'version: 1\naccount: ""'],
  "white space around a text": ["bad-value", 'version: 1\naccount: " a"'],
  "a text of two lines": ["bad-value", 'version: 1\naccount: "a\\nb"'],
  "no address": ["bad-value", "version: 1\ngroups: { g: [ada] }"],
  "no date": ["bad-value", "version: 1\nleavers: [{ email: a@b, since: 2026-02-29 }]"],
  "a way of removal that there is not": ["bad-value", "version: 1\nteams: [{ name: T, onRemoval: remove }]"],
  "a role set in a role set": ["bad-value", "version: 1\nroleSets: { a: [{ set: b }] }"],
  "a user and a group at once": ["bad-value", "version: 1\nteams: [{ name: T, members: [{ user: a@b, group: g }] }]"],
  "a whole key for a prefix": ["full-key", "version: 1\nkeys: [{ prefix: k.SECRET, roles: [] }]"],
  "a key on a group": [
    "unknown-key",
    "version: 1\nteams: [{ name: T, members: [{ group: g, key: k }] }]\ngroups: { g: [] }",
  ],
  "removals from an open team": ["contradiction", "version: 1\nteams: [{ name: T, open: true, onRemoval: revoke }]"],
  "yes for true": ["bad-value", "version: 1\nteams: [{ name: T, open: yes }]"],
};

test.each(Object.entries(refusedByBoth))("both refuse %s", (_, [code, text]) => {
  expect([acceptedBySchema(parse(text)), ...decoder(text)]).toEqual([false, code]);
});

/** Where the decoder is stricter than the schema: it knows what names mean. */
const refusedByDecoder: Record<string, readonly [code: string, text: string]> = {
  "half of a character": ["bad-value", 'version: 1\naccount: "\\ud800"'],
  "a user twice": ["duplicate", `version: 1\nusers: [${user}, ${user}]`],
  "somebody else's address": [
    "duplicate",
    `version: 1\nusers: [${user}, { email: c@d, firstName: C, lastName: D, previously: [A@B] }]`,
  ],
  "a team twice": ["duplicate", "version: 1\nteams: [{ name: T }, { name: t }]"],
  "an identifier twice": ["duplicate", "version: 1\nteams: [{ name: T, identifier: x }, { name: U, identifier: x }]"],
  "a person twice in a group": ["duplicate", `version: 1\nusers: [${user}]\ngroups: { g: [a@b, A@B] }`],
  "a member who is nobody": ["unknown-name", "version: 1\nteams: [{ name: T, members: [a@b] }]"],
  "an unknown group": ["unknown-name", "version: 1\nteams: [{ name: T, members: [{ group: g }] }]"],
  "an unknown role set": ["unknown-name", "version: 1\nkeys: [{ prefix: p, roles: [{ set: s }] }]"],
  "an administrator who is no member": [
    "not-a-member",
    `version: 1\nusers: [${user}]\nteams: [{ name: T, admin: a@b }]`,
  ],
  "a first member who is no member": [
    "not-a-member",
    `version: 1\nusers: [${user}]\nteams: [{ name: T, firstMember: a@b }]`,
  ],
  "somebody who is a user and a leaver": ["contradiction", `version: 1\nusers: [${user}]\nleavers: [{ email: a@b }]`],
  "a leaver in a team": [
    "leaver-in-use",
    "version: 1\nleavers: [{ email: a@b }]\nteams: [{ name: T, members: [a@b] }]",
  ],
  "a key twice": ["duplicate", "version: 1\nkeys: [{ prefix: p, roles: [] }, { prefix: p, roles: [] }]"],
  "a key with two lists of roles": [
    "conflicting-roles",
    "version: 1\nkeys: [{ prefix: p, roles: [] }, { prefix: p, roles: [A] }]",
  ],
};

test.each(Object.entries(refusedByDecoder))("only the decoder refuses %s", (_, [code, text]) => {
  expect([acceptedBySchema(parse(text)), ...decoder(text)]).toEqual([true, code]);
});

function filesUnder(directory: string): Readonly<Record<string, string>> {
  const paths = readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".yaml"));
  return Object.fromEntries(
    paths.sort().map((path) => [join(directory, path), readFileSync(join(directory, path), "utf8")]),
  );
}

const noRoster = { users: new Map(), leavers: new Map(), teams: [], keys: [] };

test.each([
  ["examples/quickstart", { users: 3, leavers: 0, teams: 1, keys: 0 }],
  ["examples/acme", { users: 20, leavers: 0, teams: 4, keys: 1 }],
  ["examples/leavers", { users: 4, leavers: 2, teams: 1, keys: 1 }],
])("%s is a roster that both accept", (directory, counts) => {
  const files = filesUnder(directory);
  const making = rosterFrom(files);
  expect(faultsOf(making)).toEqual([]);
  const { users, leavers, teams, keys } = making.roster ?? noRoster;
  expect({ users: users.size, leavers: leavers.size, teams: teams.length, keys: keys.length }).toEqual(counts);
  for (const text of Object.values(files)) {
    expect(acceptedBySchema(parse(text))).toBe(true);
    expect(text).toMatch(/^# yaml-language-server: \$schema=(?:\.\.\/)+schemas\/roster\.schema\.json\n/u);
  }
});

test("the examples of the schema are valid", () => {
  const { examples } = JSON.parse(readFileSync("schemas/roster.schema.json", "utf8"));
  expect(examples.map(acceptedBySchema)).toEqual([true]);
});
