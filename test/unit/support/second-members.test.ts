import { expect, test } from "vitest";
import { prefix, secondStage } from "../../support/drawn/second-stage.ts";
import type { SecondWays } from "../../support/drawn/second-ways.ts";

const teamRole = { identifier: "TEAM_ROLE", name: "team role" };
const short = { peopleInAnswers: "identifier" } as const;
const boRow = { identifier: "u-3" };
const data = { identifier: "t-2", name: "Data" };
const added = { prefix: prefix("I"), status: "Active", keyType: "team", roles: [teamRole], team: data };
const row = { ...boRow, accessKeys: [added] };

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
