import { expect, test } from "vitest";
import { prefix, secondStage } from "../../support/drawn/second-stage.ts";
import type { SecondWays } from "../../support/drawn/second-ways.ts";

type Table = readonly (readonly [changed: Partial<SecondWays>, expected: unknown])[];

const cy = { firstName: "Cy", lastName: "Young", email: "Cy@acme.example" };
const teamRole = { identifier: "TEAM_ROLE", name: "team role" };
const team = { identifier: "t-3", name: "New" };
const key = { prefix: prefix("I"), status: "Active", keyType: "team", roles: [teamRole], team };
const whole = {
  identifier: "u-4",
  ...cy,
  title: null,
  externalIdentifier: null,
  status: "Invited",
  account: { identifier: "acc-1", name: "Acme" },
};
const body = { ...whole, accessKeys: [key], team };
const short = { peopleInAnswers: "identifier" } as const;
const user = { identifier: "u-4" };

const creations: Table = [
  [{}, body],
  [{ creationShape: "array" }, [body]],
  [
    { creationShape: "key", ...short },
    { ...key, user, account: { identifier: "acc-1", name: "Acme" }, team },
  ],
  [
    { creationShape: "user-and-key", peopleInAnswers: "address" },
    { user: { email: "Cy@acme.example" }, accessKey: key, team },
  ],
  [{ creationShape: "user-and-key" }, { user: whole, accessKey: key, team }],
  [
    { creationShape: "flat", ...short },
    { ...user, accessKeyPrefix: prefix("I"), team },
  ],
  [
    { creationShape: "flat", ...short, flatPrefixField: "prefix" },
    { ...user, prefix: prefix("I"), team },
  ],
  [
    { creationShape: "flat", ...short, flatPrefixField: "apiKeyPrefix" },
    { ...user, apiKeyPrefix: prefix("I"), team },
  ],
  [
    { creationShape: "flat", ...short, flatPrefixField: "keyPrefix" },
    { ...user, keyPrefix: prefix("I"), team },
  ],
  [
    { creationShape: "flat", ...short, flatPrefixField: "access_key_prefix" },
    { ...user, access_key_prefix: prefix("I"), team },
  ],
  [
    { creationShape: "whole-key", ...short },
    { user, apiKey: `${prefix("I")}.${prefix("J")}`, team },
  ],
  [{ creationShape: "wrapped", ...short }, { data: { user, accessKeys: [key], team } }],
  [{ creationShape: "success" }, { success: true, data: body, error: null }],
  [{ creationShape: "acknowledged" }, { success: true, message: "The user was created" }],
  [{ creationShape: "text" }, prefix("I")],
  [{ keysInCreations: "hidden" }, { ...whole, team }],
  [
    { keysInCreations: "hidden", creationShape: "key" },
    { ...whole, team },
  ],
  [
    { keysInCreations: "hidden", creationShape: "flat", ...short },
    { ...user, team },
  ],
  [{ keysInCreations: "hidden", creationShape: "wrapped", ...short }, { data: { user, team } }],
  [{ keysInCreations: "hidden", creationShape: "text" }, { success: true }],
  [{ teamInCreations: "flat" }, { ...whole, accessKeys: [key], teamIdentifier: "t-3", teamName: "New" }],
  [{ teamInCreations: "flat-id" }, { ...whole, accessKeys: [key], teamId: "t-3", teamName: "New" }],
  [{ teamInCreations: "flat-identifier" }, { ...whole, accessKeys: [key], teamIdentifier: "t-3" }],
  [{ teamInCreations: "flat-name" }, { ...whole, accessKeys: [key], teamName: "New" }],
  [{ teamInCreations: "nested-identifier" }, { ...whole, accessKeys: [key], team: { identifier: "t-3" } }],
  [{ teamInCreations: "nested-name" }, { ...whole, accessKeys: [key], team: { name: "New" } }],
  [{ teamInCreations: "hidden" }, { ...whole, accessKeys: [key] }],
  [{ statusOfNew: "active" }, { ...body, status: "Active" }],
  [{ addresses: "lowered" }, { ...body, email: "cy@acme.example" }],
  [{ createdAt: "utc" }, { ...body, createdAt: "2026-11-22T08:00:00.000Z" }],
  [{ externalIdentifiers: "address" }, { ...body, externalIdentifier: "Cy@acme.example" }],
  [
    { firstMemberKeys: "team-key-and-own" },
    {
      ...body,
      accessKeys: [
        { ...without(key, "team"), keyType: "user" },
        { ...key, prefix: prefix("K") },
      ],
    },
  ],
  [
    { firstMemberKeys: "team-key-and-own", creationShape: "flat", ...short },
    { ...user, accessKeyPrefix: prefix("K"), team },
  ],
  [{ teamRole: "no-key" }, { ...body, accessKeys: [{ ...key, roles: [] }] }],
  [
    { firstMemberAdministers: "always", keyRoles: "names" },
    { ...body, accessKeys: [{ ...key, roles: ["ACCOUNT_ADMIN", "TEAM_ROLE"] }] },
  ],
];

function without(row: object, name: string): object {
  return Object.fromEntries(Object.entries(row).filter(([field]) => field !== name));
}

test.each(creations)("with %j the creation of a first member is answered so", (changed, expected) => {
  const { call } = secondStage(changed);
  expect(call("POST", "accounts/acc-1/users", { ...cy, team: { name: "New", accessKeyRoles: [] } }).body).toEqual(
    expected,
  );
});

const headers = { date: "Sun, 22 Nov 2026 08:00:00 GMT" };
const json = { ...headers, "content-type": "application/json" };
const location = { location: "/api/accounting/accounts/acc-1/users/u-4" };

test.each([
  ["200", { status: 200, headers: { ...json, ...location }, body: expect.objectContaining(cy) }],
  ["202", { status: 202, headers: { ...json, ...location }, body: expect.objectContaining(cy) }],
  ["202-later", { status: 202, headers: { ...json, ...location, "retry-after": "10" }, body: { status: "PENDING" } }],
  ["204", { status: 204, headers: { ...headers, ...location }, body: "" }],
  ["201-empty", { status: 201, headers: { ...headers, ...location }, body: "" }],
] as const)("a creation that is answered with %s", (creationStatus, expected) => {
  const { call, service } = secondStage({ creationStatus });
  expect(call("POST", "accounts/acc-1/users", cy)).toEqual(expected);
  expect([service.people.length, service.writes[0]?.tookEffect]).toEqual([4, true]);
});

test("what was sent may be kept in another form", () => {
  const { call } = secondStage({ names: "trimmed", titles: "dropped" });
  const sent = { ...cy, firstName: " Cy ", title: "Pitcher", team: { name: " New " } };
  expect(call("POST", "accounts/acc-1/users", sent).body).toMatchObject({
    firstName: "Cy",
    title: null,
    team: { name: "New" },
  });
  const kept = secondStage().call("POST", "accounts/acc-1/users", sent).body;
  expect(kept).toMatchObject({ firstName: " Cy ", title: "Pitcher", team: { name: " New " } });
});

test.each([
  ["every-key", ["TEAM_ROLE"], ["TEAM_ROLE"]],
  ["team-keys", [], ["TEAM_ROLE"]],
  ["no-key", [], []],
] as const)("TEAM_ROLE is put on new keys: %s", (teamRoleOn, own, inTeam) => {
  const { call, service } = secondStage({ teamRole: teamRoleOn });
  call("POST", "accounts/acc-1/users", cy);
  call("POST", "teams/t-2/members", [{ identifier: "u-4" }]);
  expect(service.people[3]?.keys.map(({ roles }) => roles)).toEqual([own, inTeam]);
});

test.each([
  ["either", [201, 201]],
  ["identifier", [201, 404]],
  ["address", [404, 201]],
] as const)("the administrator of a new team is named by %s", (adminNamedBy, expected) => {
  const { call } = secondStage({ adminNamedBy });
  const statuses = ["u-2", "ada@acme.example"].map((adminUserIdentifier, index) => {
    const email = `new-${index}@acme.example`;
    return call("POST", "accounts/acc-1/users", { ...cy, email, team: { name: "New", adminUserIdentifier } }).status;
  });
  expect(statuses).toEqual(expected);
});

const conflicts: readonly (readonly [conflict: SecondWays["conflict"], expected: object])[] = [
  ["409", { status: 409, body: { message: "A user with this address already exists" } }],
  ["400", { status: 400 }],
  ["422", { status: 422 }],
  ["500", { status: 500 }],
  ["200", { status: 200, body: { identifier: "u-2", accessKeys: [{ prefix: prefix("C") }, { prefix: prefix("G") }] } }],
];

test.each(conflicts)("an address that is taken is answered with %s", (conflict, expected) => {
  const { call, service } = secondStage({ conflict });
  const sent = { ...cy, email: "ADA@acme.example", team: { name: "New" } };
  expect(call("POST", "accounts/acc-1/users", sent)).toMatchObject(expected);
  expect([service.people.length, service.teams.length, service.writes[0]?.tookEffect]).toEqual([3, 2, false]);
});

test("somebody hidden may hold the address of the first creation, or of the third", () => {
  const statuses = (hiddenHolder: SecondWays["hiddenHolder"], conflict: SecondWays["conflict"]) => {
    const { call } = secondStage({ hiddenHolder, conflict });
    return ["a", "a", "b", "c", "c"].map(
      (name) => call("POST", "accounts/acc-1/users", { ...cy, email: `${name}@x.example` }).status,
    );
  };
  expect([statuses(1, "422"), statuses(3, "200")]).toEqual([
    [422, 422, 201, 201, 422],
    [201, 200, 201, 409, 409],
  ]);
});
