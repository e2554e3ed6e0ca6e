import type { RunSummary } from "../../src/log/summary.ts";
import { foldAddress } from "../../src/model/address.ts";
import { decodeSubject, observed, recorded, unknown } from "../../src/model/fact.ts";
import type { Finding } from "../../src/model/finding.ts";
import type { Action, Plan } from "../../src/model/plan.ts";
import type { ReadSummary } from "../../src/model/snapshot.ts";
import { teamKeyOf } from "../../src/model/team.ts";
import { roleSet } from "../../src/model/values.ts";
import type { CommandOutcome } from "../../src/report/outcome.ts";

const ada = foldAddress("Ada@acme.example");
const bo = foldAddress("bo@acme.example");
const cy = foldAddress("cy@acme.example");
const dataScience = teamKeyOf("acc-1", "Data Science");
const platform = teamKeyOf("acc-1", "Platform");

const createAda: Action = {
  kind: "create-user",
  rule: "creates-team",
  id: "create-user:ada@acme.example",
  because: [{ file: "people/ada.yaml", line: 3, column: 5, as: "user" }],
  dependsOn: [],
  restsOn: [{ about: decodeSubject("user ada@acme.example"), ...observed("absent", "search 1") }],
  address: ada,
  account: "acc-1",
  user: { email: "Ada@acme.example", firstName: "Ada", lastName: "Lovelace", title: "Principal", source: "gitops" },
  createsTeam: {
    team: dataScience,
    name: "Data Science",
    accessKeyRoles: roleSet(["DEVELOPER", "TEAM_ROLE"]),
    temporaryRoles: roleSet(["ACCOUNT_ADMIN"]),
  },
};

const createCy: Action = {
  kind: "create-user",
  rule: "absent-user",
  id: "create-user:cy@acme.example",
  because: [{ file: "people/cy.yaml", line: 3, column: 5, as: "user" }],
  dependsOn: ["create-user:ada@acme.example"],
  restsOn: [],
  address: cy,
  account: "acc-1",
  user: { email: "cy@acme.example", firstName: "Cy", lastName: "Young" },
};

const addToPlatform: Action = {
  kind: "add-members",
  rule: "missing-member",
  id: "add-members:acc-1/platform",
  because: [
    { file: "teams.yaml", line: 12, column: 7, as: "team", name: "Platform" },
    { file: "teams.yaml", line: 13, column: 7, as: "member", person: bo },
  ],
  dependsOn: ["create-user:cy@acme.example"],
  restsOn: [{ about: decodeSubject("membership of bo@acme.example in Platform"), ...observed("absent", "search 1") }],
  team: platform,
  members: [{ address: bo }, { address: cy }],
};

const replaceBo: Action = {
  kind: "replace-roles",
  rule: "roles-differ",
  id: "replace-roles:12pref1x121",
  because: [{ file: "teams.yaml", line: 5, column: 5, as: "member" }],
  dependsOn: [],
  restsOn: [],
  key: { of: "prefix", prefix: observed("12pref1x121", "search 1"), address: bo, team: platform },
  before: observed(roleSet(["ACCOUNT_ADMIN", "DEVELOPER"]), "search 1"),
  roles: roleSet(["DEVELOPER", "TEAM_ROLE"]),
  ifInexact: false,
};

const replaceAda: Action = {
  kind: "replace-roles",
  rule: "roles-of-first-member",
  id: "replace-roles:ada@acme.example in acc-1/data science",
  because: [{ file: "teams.yaml", line: 3, column: 5, as: "member" }],
  dependsOn: ["create-user:ada@acme.example"],
  restsOn: [],
  key: { of: "team-key", address: ada, team: dataScience },
  before: unknown("the key comes with the creation"),
  roles: roleSet(["DEVELOPER"]),
  ifInexact: true,
};

const replaceProjectKey: Action = {
  kind: "replace-roles",
  rule: "roles-differ",
  id: "replace-roles:proj99",
  because: [],
  dependsOn: [],
  restsOn: [],
  key: { of: "prefix", prefix: observed("proj99", "search 1") },
  before: recorded(roleSet(["DEVELOPER"]), "2026-11-01T08:00:00.000Z"),
  roles: [],
  ifInexact: false,
};

const salesWithoutFirstMember: Finding = {
  kind: "task",
  code: "cannot-create-team",
  fingerprint: "f00d",
  subject: decodeSubject("team acc-1/sales"),
  message:
    "Team Sales cannot be created: it competes with team Ops for one new user, dee@acme.example, and each team needs a new user of its own; make the team by hand and give its identifier, or add a new user",
  because: [
    { file: "teams.yaml", line: 20, column: 5, as: "team", name: "Sales" },
    { file: "teams.yaml", line: 31, column: 5, as: "team", name: "Ops" },
  ],
  restsOn: [],
  suggestedYaml: "users:\n  - email: new@acme.example\n    firstName: First\n",
};

const privilege: Finding = {
  kind: "notice",
  code: "temporary-privilege",
  fingerprint: "beef",
  subject: decodeSubject("user ada@acme.example"),
  message: "The key carries ACCOUNT_ADMIN until its roles are made exact",
  because: [{ file: "teams.yaml", line: 3, column: 5, as: "team", name: "Data Science" }],
  restsOn: [],
};

/** A plan with an action of every shape and a finding of each rank. */
export const samplePlan: Plan = {
  id: "9f8e",
  service: "https://accounts.acme.example",
  actions: [createAda, createCy, addToPlatform, replaceBo, replaceAda, replaceProjectKey],
  users: new Map([
    [ada, { email: "Ada@acme.example", identifier: unknown("not created yet") }],
    [cy, { email: "cy@acme.example", identifier: unknown("not created yet") }],
    [bo, { email: "bo@acme.example", identifier: observed("u-2", "search 1") }],
  ]),
  teams: new Map([
    [dataScience, { name: "Data Science", account: "acc-1", identifier: unknown("not created yet") }],
    [platform, { name: "Platform", account: "acc-1", identifier: observed("t-42", "search 1") }],
  ]),
  findings: [privilege, salesWithoutFirstMember],
  calls: { reads: 7, writes: 6, atMost: 7 },
};

export const sampleReading: ReadSummary = {
  service: "https://accounts.acme.example",
  readAt: "2026-11-20T06:00:00.000Z",
  everyone: { read: "not-read" },
  capabilities: {
    keysOnUsers: "shown",
    rolesOnKeys: "hidden",
    teamsOnKeys: "unknown",
    titles: "shown",
    totals: "unknown",
    paging: { firstPage: "unknown" },
  },
  readings: new Map([
    ["search 1", { at: "2026-11-20T06:00:00.250Z", request: "POST /api/accounting/users/search for 3 addresses" }],
  ]),
};

/** A run of the sample plan in which every outcome occurs. */
export const sampleRun: RunSummary = {
  run: "run-7",
  startedAt: "2026-11-20T06:00:01.000Z",
  outcomes: new Map([
    [createAda.id, { is: "succeeded", learned: { kind: "create-user", address: ada, prefix: "abc123", answered: {} } }],
    [
      createCy.id,
      {
        is: "failed",
        failure: {
          code: "conflict",
          message: "the service says that cy@acme.example is there already",
          request: "POST /api/accounting/accounts/acc-1/users",
          status: 409,
          serviceSays: "User exists",
          hint: "Plan again: somebody created this user a moment ago.",
        },
      },
    ],
    [
      addToPlatform.id,
      {
        is: "succeeded",
        learned: {
          kind: "add-members",
          team: platform,
          members: [
            { address: bo, outcome: { added: true }, prefix: "def456" },
            { address: cy, outcome: { added: false, failure: { code: "refused", message: "no such user" } } },
          ],
        },
      },
    ],
    [replaceBo.id, { is: "unknown", failure: { code: "unreachable", message: "the connection was lost" } }],
    [replaceAda.id, { is: "skipped", why: "the key did not come to be", cause: createCy.id }],
    [replaceProjectKey.id, { is: "stale", why: "the key has other roles by now" }],
  ]),
  retries: new Map([[createAda.id, 2]]),
  rolesRead: new Map(),
  keys: [
    { address: ada, team: dataScience, prefix: "abc123" },
    { address: bo, team: platform, prefix: "def456" },
    { address: foldAddress("someone.else@acme.example"), prefix: "ghi789" },
  ],
  findings: [],
  verified: {
    type: "verified",
    at: "2026-11-20T06:00:04.000Z",
    result: "pending",
    remarks: ["bo@acme.example does not show as a member of Platform yet"],
  },
  ended: { type: "run-finished", at: "2026-11-20T06:00:05.000Z", ended: "completed" },
};

export function outcome(more: Partial<CommandOutcome>): CommandOutcome {
  return { command: "plan", exitCode: 0, diagnostics: [], ...more };
}
