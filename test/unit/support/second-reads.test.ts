import { expect, test } from "vitest";
import { prefix, secondStage } from "../../support/drawn/second-stage.ts";
import type { SecondWays } from "../../support/drawn/second-ways.ts";

type Table = readonly (readonly [changed: Partial<SecondWays>, expected: unknown])[];

const roleRow = { identifier: "DEVELOPER", name: "developer" };
const own = { prefix: prefix("C"), status: "Active", keyType: "user", roles: [roleRow] };
const ops = { identifier: "t-1", name: "Ops" };
const team = { prefix: prefix("G"), status: "Active", keyType: "team", roles: [roleRow], team: ops };
const rest = { firstName: "Ada", lastName: "Lovelace", title: null, externalIdentifier: null };
const account = { account: { identifier: "acc-1", name: "Acme" } };
const usual = {
  identifier: "u-2",
  email: "Ada@acme.example",
  ...rest,
  status: "Active",
  ...account,
  accessKeys: [own, team],
};
const { identifier: _1, ...noIdentifier } = usual;
const { email: _2, ...noAddress } = usual;
const { status: _3, ...noStatus } = usual;
const { account: _4, ...noAccount } = usual;
const { accessKeys: _5, ...noKeys } = usual;
const { keyType: _6, ...ownOfNoKind } = own;
const { keyType: _7, ...teamOfNoKind } = team;
const { roles: _8, ...ownOfNoRoles } = own;
const { roles: _9, ...teamOfNoRoles } = team;
const { team: _10, ...keyOfNoTeam } = team;
const upper = { status: "ACTIVE" };
const withKeys = (...accessKeys: readonly object[]) => ({ ...usual, accessKeys });

const rows: Table = [
  [{}, usual],
  [
    { identifiers: "numbers" },
    { ...usual, identifier: 1002, accessKeys: [own, { ...team, team: { ...ops, identifier: 501 } }] },
  ],
  [{ identifiers: "e-mails" }, { ...usual, identifier: "Ada@acme.example" }],
  [{ identifierField: "id" }, { ...noIdentifier, id: "u-2" }],
  [{ identifierField: "userIdentifier" }, { ...noIdentifier, userIdentifier: "u-2" }],
  [{ identifierField: "userId" }, { ...noIdentifier, userId: "u-2" }],
  [{ addressField: "emailAddress" }, { ...noAddress, emailAddress: "Ada@acme.example" }],
  [{ addressField: "username" }, { ...noAddress, username: "Ada@acme.example" }],
  [{ addresses: "lowered" }, { ...usual, email: "ada@acme.example" }],
  [
    { addresses: "lowered", identifiers: "e-mails" },
    { ...usual, identifier: "ada@acme.example", email: "ada@acme.example" },
  ],
  [
    { statusWords: "upper" },
    {
      ...usual,
      ...upper,
      accessKeys: [
        { ...own, ...upper },
        { ...team, ...upper },
      ],
    },
  ],
  [
    { statusWords: "flag" },
    { ...noStatus, active: true, accessKeys: [without(own, "status"), without(team, "status")] },
  ],
  [{ statusWords: "hidden" }, { ...noStatus, accessKeys: [without(own, "status"), without(team, "status")] }],
  [{ accountOnUsers: "flat" }, { ...noAccount, accountIdentifier: "acc-1" }],
  [{ accountOnUsers: "hidden" }, noAccount],
  [{ teamsOnUsers: "shown" }, { ...usual, teams: [ops] }],
  [{ extraFields: "shown" }, { ...usual, visited: true, submittedJobs: 0, lastActiveDateTime: null }],
  [{ createdAt: "utc" }, { ...usual, createdAt: "2026-08-24T08:00:00.000Z" }],
  [{ createdAt: "offset" }, { ...usual, createdAt: "2026-08-24T08:00:00.000+0000" }],
  [{ createdAt: "no-zone" }, { ...usual, createdAt: "2026-08-24T03:00:00.000" }],
  [
    { createdAt: "utc", clock: "an-hour-slow" },
    { ...usual, createdAt: "2026-08-24T07:00:00.000Z" },
  ],
  [{ keysField: "listAccessKeys" }, { ...noKeys, listAccessKeys: [own, team] }],
  [{ keysField: "keys" }, { ...noKeys, keys: [own, team] }],
  [{ keysField: "apiKeys" }, { ...noKeys, apiKeys: [own, team] }],
  [{ keyKinds: "default-flag" }, withKeys({ ...ownOfNoKind, isDefault: true }, { ...teamOfNoKind, isDefault: false })],
  [{ keyKinds: "hidden" }, withKeys(ownOfNoKind, teamOfNoKind)],
  [{ keyRoles: "names" }, withKeys({ ...own, roles: ["DEVELOPER"] }, { ...team, roles: ["DEVELOPER"] })],
  [{ keyRoles: "hidden" }, withKeys(ownOfNoRoles, teamOfNoRoles)],
  [{ keyTeams: "flat" }, withKeys(own, { ...keyOfNoTeam, teamIdentifier: "t-1", teamName: "Ops" })],
  [{ keyTeams: "flat-id" }, withKeys(own, { ...keyOfNoTeam, teamId: "t-1", teamName: "Ops" })],
  [{ keyTeams: "flat-identifier" }, withKeys(own, { ...keyOfNoTeam, teamIdentifier: "t-1" })],
  [{ keyTeams: "flat-name" }, withKeys(own, { ...keyOfNoTeam, teamName: "Ops" })],
  [{ keyTeams: "nested-identifier" }, withKeys(own, { ...team, team: { identifier: "t-1" } })],
  [{ keyTeams: "nested-name" }, withKeys(own, { ...team, team: { name: "Ops" } })],
  [{ keyTeams: "other-word" }, withKeys(own, { ...keyOfNoTeam, group: ops })],
  [{ keyTeams: "hidden" }, withKeys(own, keyOfNoTeam)],
  [{ teamOfOwnKeys: "null" }, withKeys({ ...own, team: null }, team)],
  [
    { teamOfOwnKeys: "null", keyTeams: "flat-id" },
    withKeys({ ...own, teamId: null, teamName: null }, { ...keyOfNoTeam, teamId: "t-1", teamName: "Ops" }),
  ],
  [{ keysInLists: "hidden" }, noKeys],
  [{ keysInSearches: "hidden" }, usual],
  [{ keysInDetails: "hidden" }, usual],
];

function identifiers(body: unknown): unknown {
  return Array.isArray(body) ? body.map(({ identifier }) => identifier) : body;
}

function without(row: object, name: string): object {
  return Object.fromEntries(Object.entries(row).filter(([field]) => field !== name));
}

test.each(rows)("with %j a list shows a user so", (changed, expected) => {
  expect(secondStage(changed).call("GET", "users?page=2&per-page=1").body).toEqual([expected]);
});

test("a status in small letters, an address in small letters and a project key", () => {
  const { call } = secondStage({ statusWords: "lower", projectKeys: "one-each" });
  expect(call("GET", "users?page=3&per-page=1").body).toMatchObject([
    {
      status: "active",
      accessKeys: [
        { prefix: prefix("I"), keyType: "user", status: "active" },
        { prefix: prefix("K"), keyType: "project", status: "active" },
      ],
    },
  ]);
});

test("a prefix may need encoding in a path", () => {
  const { call, service } = secondStage({ prefixes: "encoded-in-paths" });
  expect([service.keyPrefix, service.people[1]?.keys[0]?.prefix]).toEqual(["AAAA/AAAA%+AAAA", "CCCC/CCCC%+CCCC"]);
  expect(call("PUT", `access-keys/${encodeURIComponent("CCCC/CCCC%+CCCC")}/roles`, []).status).toBe(200);
  expect([service.people[1]?.keys[0]?.roles, call("PUT", "access-keys/CCCC/CCCC%25+CCCC/roles", []).status]).toEqual([
    [],
    404,
  ]);
});

const asked = { identifiers: ["bo@acme.example", "ADA@acme.example", "no@acme.example"] };
const adaRow = expect.objectContaining({ identifier: "u-2", accessKeys: [own, team] });
const boRow = expect.objectContaining({ identifier: "u-3" });
const searches: Table = [
  [{}, [adaRow, boRow]],
  [{ searchShape: "envelope", envelope: "items" }, { items: [adaRow, boRow] }],
  [
    { searchShape: "envelope", envelope: "success", totals: "body" },
    { success: true, data: { items: [adaRow, boRow], total: 2 }, error: null },
  ],
  [{ searchShape: "map" }, { "Ada@acme.example": adaRow, "bo@acme.example": boRow }],
  [
    { searchShape: "map-with-nulls" },
    { "bo@acme.example": boRow, "ADA@acme.example": adaRow, "no@acme.example": null },
  ],
  [{ searchShape: "positional" }, [boRow, adaRow, null]],
  [{ searchShape: "found" }, { found: [adaRow, boRow], notFound: ["no@acme.example"] }],
  [{ searchShape: "single" }, [adaRow, boRow]],
  [{ searchShape: "single", searchMatch: "exact" }, boRow],
  [{ searchShape: "not-found" }, [adaRow, boRow]],
  [{ searchMatch: "exact" }, [boRow]],
  [{ searchMatch: "part" }, [adaRow, boRow]],
  [{ keysInSearches: "hidden" }, [noKeys, expect.not.objectContaining({ accessKeys: expect.anything() })]],
  [
    { searchLimit: "paged", envelope: "items", pageCap: "clamped-to-3", totals: "body" },
    { items: [adaRow, boRow], total: 2 },
  ],
  [{ searchLimit: "over-5-refused" }, [adaRow, boRow]],
];

test.each(searches)("with %j a search is answered so", (changed, expected) => {
  expect(secondStage(changed).call("POST", "users/search", asked).body).toEqual(expected);
});

const searchEdges: readonly (readonly [
  changed: Partial<SecondWays>,
  identifiers: readonly string[],
  expected: unknown,
])[] = [
  [{}, ["u-2"], []],
  [{ searchNames: "address-or-identifier" }, ["u-2"], ["u-2"]],
  [{}, ["da@acme.example"], []],
  [{ searchMatch: "part" }, ["da@acme.example"], ["u-2"]],
  [{ searchMatch: "part", searchShape: "positional" }, ["da@acme.example"], [null]],
  [{ searchMatch: "exact", addresses: "lowered" }, ["ada@acme.example", "Ada@acme.example"], ["u-2"]],
  [{ searchShape: "not-found" }, ["no@acme.example"], 404],
  [{ searchShape: "single" }, ["no@acme.example"], []],
  [{ searchLimit: "over-5-refused" }, ["1", "2", "3", "4", "5", "6"], 400],
];

test.each(searchEdges)("with %j a search for %j finds", (changed, names, expected) => {
  const { status, body } = secondStage(changed).call("POST", "users/search", { identifiers: names });
  const rows = Array.isArray(body) ? body.map((row) => row?.identifier ?? null) : body;
  expect(status === 200 ? rows : status).toEqual(expected);
});

test("some searches show five people at most", () => {
  const { call } = secondStage({ searchLimit: "first-5" });
  const emails = ["c", "d", "e"].map((name) => `${name}@acme.example`);
  for (const email of emails) call("POST", "accounts/acc-1/users", { firstName: "New", lastName: "One", email });
  const everybody = ["root@acme.example", "Ada@acme.example", "bo@acme.example", ...emails];
  expect(identifiers(call("POST", "users/search", { identifiers: everybody }).body)).toEqual([
    "u-1",
    "u-2",
    "u-3",
    "u-4",
    "u-5",
  ]);
});

const shell = { identifier: "acc-1", name: "Acme", status: "Active" };
const everybody = [expect.objectContaining({ identifier: "u-1" }), usual, boRow];
const details: Table = [
  [{}, { ...shell, users: everybody }],
  [{ detailsShape: "array" }, [{ ...shell, users: everybody }]],
  [{ detailsShape: "account" }, { account: { ...shell, users: everybody } }],
  [{ detailsShape: "data" }, { data: { ...shell, users: everybody } }],
  [{ detailsUsers: "envelope" }, { ...shell, users: { items: everybody, total: 3 } }],
  [{ detailsUsers: "addresses" }, { ...shell, users: ["root@acme.example", "Ada@acme.example", "bo@acme.example"] }],
  [
    { detailsUsers: "identifiers", identifiers: "numbers" },
    { ...shell, users: [1001, 1002, 1003] },
  ],
  [{ detailsUsers: "first-3" }, { ...shell, userCount: 3, users: everybody }],
  [{ detailsUsers: "hidden" }, shell],
  [
    { keysInDetails: "hidden" },
    { ...shell, users: [expect.anything(), noKeys, expect.not.objectContaining({ accessKeys: expect.anything() })] },
  ],
];

test.each(details)("with %j account details are", (changed, expected) => {
  expect(secondStage(changed).call("GET", "accounts/acc-1").body).toEqual(expected);
});

test("one read of ten is throttled or fails, where the service does that", () => {
  const statuses = (disturbedReads: SecondWays["disturbedReads"]) => {
    let drawn = 0;
    const { call } = secondStage({ disturbedReads }, () => {
      drawn += 1;
      return (drawn % 20) / 20;
    });
    return Array.from({ length: 20 }, () => call("GET", "accounts").status).filter((status) => status !== 200);
  };
  expect([statuses("never"), statuses("throttled"), statuses("failed")]).toEqual([[], [429, 429], [500, 500]]);
});
