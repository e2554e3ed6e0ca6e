import { expect, test } from "vitest";
import { prefix, secondStage } from "../../support/drawn/second-stage.ts";
import type { SecondWays } from "../../support/drawn/second-ways.ts";

type Table = readonly (readonly [changed: Partial<SecondWays>, expected: unknown])[];

const teamRole = { identifier: "TEAM_ROLE", name: "team role" };
const short = { peopleInAnswers: "identifier" } as const;
const headers = { date: "Sun, 22 Nov 2026 08:00:00 GMT" };
const json = { ...headers, "content-type": "application/json" };
const boRow = { identifier: "u-3" };
const data = { identifier: "t-2", name: "Data" };
const added = { prefix: prefix("I"), status: "Active", keyType: "team", roles: [teamRole], team: data };
const own = { prefix: prefix("E"), status: "Active", keyType: "user", roles: [] };
const row = { ...boRow, accessKeys: [added] };

const additions: Table = [
  [{}, [row]],
  [{ peopleInAnswers: "address" }, [{ email: "bo@acme.example", accessKeys: [added] }]],
  [{ peopleInAnswers: "whole" }, [expect.objectContaining({ ...row, firstName: "Bo" })]],
  [{ keysInAdditions: "singular" }, [{ ...boRow, accessKey: added }]],
  [{ keysInAdditions: "all" }, [{ ...boRow, accessKeys: [own, added] }]],
  [{ keysInAdditions: "as-read" }, [{ ...boRow, accessKeys: [own, added] }]],
  [{ keysInAdditions: "as-read", keysLag: 2_000 }, [{ ...boRow, accessKeys: [own] }]],
  [{ keysInAdditions: "hidden" }, [boRow]],
  [{ additionShape: "team" }, { ...data, members: [row] }],
  [{ additionShape: "keys" }, [{ ...added, user: boRow }]],
  [{ additionShape: "keys", keysInAdditions: "hidden" }, [{ user: boRow }]],
  [{ additionShape: "outcomes" }, { successes: [row], failures: [] }],
  [{ additionShape: "outcome-rows" }, [{ ...row, status: 200 }]],
  [{ additionShape: "errors" }, { members: [row], errors: [] }],
  [{ additionShape: "acknowledged" }, { success: true }],
  [{ additionShape: "empty" }, ""],
  [{ additionStatus: "204" }, ""],
  [{ additionStatus: "202-later" }, { status: "PENDING" }],
  [
    { keyTeams: "flat" },
    [{ ...boRow, accessKeys: [{ ...without(added, "team"), teamIdentifier: "t-2", teamName: "Data" }] }],
  ],
];

function without(row: object, name: string): object {
  return Object.fromEntries(Object.entries(row).filter(([field]) => field !== name));
}

test.each(additions)("with %j an addition is answered so", (changed, expected) => {
  const { call, service } = secondStage({ ...short, ...changed });
  expect(call("POST", "teams/t-2/members", [{ identifier: "u-3" }]).body).toEqual(expected);
  expect([service.teams[1]?.members, service.mails.length]).toEqual([["u-3"], 1]);
});

test("an answer with the whole team names those who were there before without their keys", () => {
  const { call } = secondStage({ ...short, additionShape: "team", additionStatus: "201" });
  expect(call("POST", "teams/t-1/members", [{ identifier: "u-3" }])).toMatchObject({
    status: 201,
    body: {
      identifier: "t-1",
      name: "Ops",
      members: [{ identifier: "u-2" }, { identifier: "u-3", accessKeys: [{ prefix: prefix("I") }] }],
    },
  });
});

const modzy = (statusCode: number, status: string, message: string) => ({
  statusCode,
  status,
  message,
  reportErrorUrl: "https://accounts.example/report?id=1",
});
const detail = "The user u-9 was not found";
const partly: readonly (readonly [
  changed: Partial<SecondWays>,
  status: number,
  body: unknown,
  members: readonly string[],
])[] = [
  [{}, 404, modzy(404, "Not Found", detail), []],
  [{ refusedBatch: "each" }, 404, modzy(404, "Not Found", detail), []],
  [{ refusedBatch: "each", additionShape: "errors", additionStatus: "204" }, 404, modzy(404, "Not Found", detail), []],
  [{ unknownMember: "400" }, 400, modzy(400, "Bad Request", detail), []],
  [{ unknownMember: "422" }, 422, modzy(422, "Unprocessable Entity", detail), []],
  [{ refusalNames: "nobody" }, 404, modzy(404, "Not Found", "The user of this request was not found"), []],
  [{ refusals: "200-no-success" }, 200, { success: false, data: null, error: { code: 404, message: detail } }, []],
  [{ refusals: "201-error" }, 201, { status: "error", message: detail }, []],
  [
    { refusedBatch: "each", additionShape: "outcomes", additionStatus: "207" },
    207,
    { successes: [row], failures: [{ identifier: "u-9", status: 404, detail }] },
    ["u-3"],
  ],
  [
    { refusedBatch: "each", additionShape: "outcome-rows" },
    200,
    [
      { ...row, status: 200 },
      { identifier: "u-9", status: 404, message: detail },
    ],
    ["u-3"],
  ],
  [
    { refusedBatch: "each", additionShape: "errors" },
    200,
    { members: [row], errors: [{ identifier: "u-9", code: 404, message: detail }] },
    ["u-3"],
  ],
];

test.each(partly)("with %j an unknown member is answered with %i", (changed, status, expected, members) => {
  const { call, service } = secondStage({ ...short, ...changed });
  expect(call("POST", "teams/t-2/members", [{ identifier: "u-9" }, { identifier: "u-3" }])).toMatchObject({
    status,
    body: expected,
  });
  expect([service.teams[1]?.members, service.mails.length, service.writes[0]?.tookEffect]).toEqual([
    members,
    members.length,
    members.length > 0,
  ]);
});

test("an addition that fails for each person had no effect", () => {
  const { call, service } = secondStage({ refusedBatch: "each", additionShape: "errors" });
  expect(call("POST", "teams/t-2/members", [{ identifier: "u-9" }]).status).toBe(200);
  expect(service.writes[0]?.tookEffect).toBe(false);
});

const namings: readonly (readonly [changed: Partial<SecondWays>, named: string, status: number])[] = [
  [{}, "u-3", 200],
  [{}, "BO@acme.example", 200],
  [{ memberNamedBy: "identifier" }, "u-3", 200],
  [{ memberNamedBy: "identifier" }, "bo@acme.example", 404],
  [{ memberNamedBy: "address" }, "u-3", 404],
  [{ memberNamedBy: "address" }, "bo@acme.example", 200],
  [{ memberNamedBy: "identifier", identifiers: "e-mails" }, "BO@acme.example", 200],
  [{ memberNamedBy: "identifier", identifiers: "numbers" }, "1003", 200],
];

test.each(namings)("with %j the member %s is answered with %i", (changed, named, status) => {
  const { call, service } = secondStage(changed);
  const path = service.teams[1]?.identifier;
  expect(call("POST", `teams/${path}/members`, [{ identifier: named }]).status).toBe(status);
});

test.each([
  ["mailed-again", 200, 2, true],
  ["no-effect", 200, 1, true],
  ["refused", 409, 1, false],
] as const)("a member who is added again: %s", (readded, status, mails, tookEffect) => {
  const { call, service } = secondStage({ readded });
  const add = () => call("POST", "teams/t-2/members", [{ identifier: "u-3" }]).status;
  expect([add(), add()]).toEqual([200, status]);
  expect([service.mails.length, service.writes[1]?.tookEffect, service.people[2]?.keys.length]).toEqual([
    mails,
    tookEffect,
    2,
  ]);
});

const sent = [{ identifier: "AUDITOR" }, { identifier: "TEAM_ROLE" }];
const auditor = { identifier: "AUDITOR", name: "auditor" };
const replacements: Table = [
  [{}, { status: 200, body: [auditor, teamRole] }],
  [{ replacementShape: "names" }, { status: 200, body: ["AUDITOR", "TEAM_ROLE"] }],
  [{ replacementShape: "wrapped" }, { status: 200, body: { roles: [auditor, teamRole] } }],
  [
    { replacementShape: "key", ...short },
    {
      status: 200,
      body: {
        ...added,
        prefix: prefix("G"),
        roles: [auditor, teamRole],
        team: { identifier: "t-1", name: "Ops" },
        user: { identifier: "u-2" },
      },
    },
  ],
  [{ replacementShape: "acknowledged" }, { status: 200, body: { success: true } }],
  [{ replacementStatus: "202" }, { status: 202, body: [auditor, teamRole] }],
  [
    { replacementStatus: "202-later" },
    { status: 202, headers: { ...json, "retry-after": "10" }, body: { status: "PENDING" } },
  ],
  [{ replacementStatus: "204" }, { status: 204, headers, body: "" }],
];

test.each(replacements)("with %j a replacement is answered so", (changed, expected) => {
  const { call, service } = secondStage(changed);
  const answer = call("PUT", `access-keys/${prefix("G")}/roles`, sent);
  expect(answer).toEqual({ headers: json, ...Object(expected) });
  expect(service.people[1]?.keys[1]?.roles).toEqual(["AUDITOR", "TEAM_ROLE"]);
});

const semantics: readonly (readonly [
  replacement: SecondWays["replacement"],
  sent: readonly (readonly string[])[],
  after: readonly string[],
])[] = [
  ["replaces", [["TEAM_ROLE"], ["AUDITOR"]], ["AUDITOR"]],
  ["merges", [["AUDITOR"], ["DEVELOPER"]], ["DEVELOPER", "AUDITOR"]],
  ["keeps-TEAM_ROLE", [["AUDITOR"], ["TEAM_ROLE"], ["DEVELOPER"]], ["TEAM_ROLE", "DEVELOPER"]],
  ["keeps-TEAM_ROLE", [["AUDITOR"]], ["AUDITOR"]],
  ["needs-TEAM_ROLE", [["AUDITOR", "TEAM_ROLE"], ["AUDITOR"]], ["AUDITOR", "TEAM_ROLE"]],
];

test.each(semantics)("a service that %s, after %j", (replacement, all, after) => {
  const { call, service } = secondStage({ replacement });
  for (const roles of all)
    call(
      "PUT",
      `access-keys/${prefix("G")}/roles`,
      roles.map((identifier) => ({ identifier })),
    );
  expect(service.people[1]?.keys[1]?.roles).toEqual(after);
});

test("a project key keeps its roles", () => {
  const { call, service } = secondStage({ projectKeys: "one-each" });
  const project = service.people[1]?.keys[1];
  expect(project).toEqual({ prefix: prefix("G"), kind: "project", roles: ["PROJECT"] });
  expect(call("PUT", `access-keys/${prefix("G")}/roles`, []).status).toBe(400);
  expect(service.people[1]?.keys[1]).toEqual(project);
});
