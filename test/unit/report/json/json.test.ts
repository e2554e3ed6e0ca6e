import { describe, expect, test } from "vitest";
import { jsonFormat } from "../../../../src/report/json/json.ts";
import type { CommandOutcome } from "../../../../src/report/outcome.ts";
import { samplePlan, sampleReading, sampleRun } from "../../../support/report-samples.ts";

function documentOf(outcome: CommandOutcome): unknown {
  return JSON.parse(jsonFormat(outcome).stdout);
}

const [createAda, createCy, addToPlatform, replaceBo, replaceAda, replaceProjectKey] = samplePlan.actions;
const planned: CommandOutcome = {
  command: "plan",
  exitCode: 0,
  diagnostics: [],
  plan: samplePlan,
  reading: sampleReading,
};

test("a plan is one document with two spaces of indentation and a line feed at its end, the same every time", () => {
  const { stdout } = jsonFormat(planned);
  expect(stdout.startsWith('{\n  "format_version": "1.0",\n  "command": "plan",\n  "plan_id": "9f8e",\n')).toBe(true);
  expect(stdout.endsWith('"exit_code": 0\n}\n')).toBe(true);
  expect(jsonFormat(structuredClone(planned)).stdout).toBe(stdout);
});

test("the document of a plan is as promised", () => {
  const { actions: _actions, findings: _findings, ...rest } = documentOf(planned) as Record<string, unknown>;
  expect(rest).toStrictEqual({
    format_version: "1.0",
    command: "plan",
    plan_id: "9f8e",
    service: "https://accounts.acme.example",
    users: [
      {
        address: "ada@acme.example",
        email: "Ada@acme.example",
        identifier: { known: "unknown", why: "not created yet" },
      },
      {
        address: "cy@acme.example",
        email: "cy@acme.example",
        identifier: { known: "unknown", why: "not created yet" },
      },
      {
        address: "bo@acme.example",
        email: "bo@acme.example",
        identifier: { known: "observed", value: "u-2", by: "search 1" },
      },
    ],
    teams: [
      {
        team: "acc-1/data science",
        name: "Data Science",
        account: "acc-1",
        identifier: { known: "unknown", why: "not created yet" },
      },
      {
        team: "acc-1/platform",
        name: "Platform",
        account: "acc-1",
        identifier: { known: "observed", value: "t-42", by: "search 1" },
      },
    ],
    summary: {
      create_users: 2,
      create_teams: 1,
      add_members: 1,
      replace_roles: 3,
      mails: 2,
      calls: { reads: 7, writes: 6, at_most: 7 },
      findings: 2,
      blocking_findings: 1,
    },
    reading: {
      service: "https://accounts.acme.example",
      read_at: "2026-11-20T06:00:00.000Z",
      reads: [
        {
          read: "search 1",
          at: "2026-11-20T06:00:00.250Z",
          request: "POST /api/accounting/users/search for 3 addresses",
        },
      ],
      everyone: { read: "not-read" },
      capabilities: {
        keys_on_users: "shown",
        roles_on_keys: "hidden",
        teams_on_keys: "unknown",
        titles: "shown",
        totals: "unknown",
        paging: { first_page: "unknown" },
      },
    },
    diagnostics: [],
    error: null,
    exit_code: 0,
  });
});

test("actions carry their ids, kinds, places, dependencies and what they send", () => {
  const { actions } = documentOf(planned) as { actions: readonly unknown[] };
  expect(actions[0]).toStrictEqual({
    id: createAda?.id,
    kind: "create-user",
    rule: "creates-team",
    because: [{ file: "people/ada.yaml", line: 3, column: 5, as: "user" }],
    depends_on: [],
    address: "ada@acme.example",
    account: "acc-1",
    user: {
      email: "Ada@acme.example",
      first_name: "Ada",
      last_name: "Lovelace",
      title: "Principal",
      source: "gitops",
    },
    creates_team: {
      team: "acc-1/data science",
      name: "Data Science",
      admin: null,
      access_key_roles: ["DEVELOPER", "TEAM_ROLE"],
      temporary_roles: ["ACCOUNT_ADMIN"],
    },
    rests_on: [{ about: "user ada@acme.example", known: "observed", value: "absent", by: "search 1" }],
  });
  expect(actions[2]).toStrictEqual({
    id: addToPlatform?.id,
    kind: "add-members",
    rule: "missing-member",
    because: [
      { file: "teams.yaml", line: 12, column: 7, as: "team", name: "Platform" },
      { file: "teams.yaml", line: 13, column: 7, as: "member", person: "bo@acme.example" },
    ],
    depends_on: [createCy?.id],
    team: "acc-1/platform",
    members: [{ address: "bo@acme.example" }, { address: "cy@acme.example" }],
    rests_on: [
      {
        about: "membership of bo@acme.example in Platform",
        known: "observed",
        value: "absent",
        by: "search 1",
      },
    ],
  });
  expect(actions[4]).toStrictEqual({
    id: replaceAda?.id,
    kind: "replace-roles",
    rule: "roles-of-first-member",
    because: [{ file: "teams.yaml", line: 3, column: 5, as: "member" }],
    depends_on: [createAda?.id],
    key: {
      of: "team-key",
      address: "ada@acme.example",
      team: "acc-1/data science",
    },
    before: { known: "unknown", why: "the key comes with the creation" },
    roles: ["DEVELOPER"],
    if_inexact: true,
    rests_on: [],
  });
});

test("findings carry everything that they say", () => {
  const { findings } = documentOf(planned) as { findings: readonly unknown[] };
  expect(findings[1]).toStrictEqual({
    class: "blocked",
    blocking: true,
    code: "cannot-create-team",
    fingerprint: "f00d",
    subject: "team acc-1/sales",
    message: samplePlan.findings[1]?.message,
    because: [
      { file: "teams.yaml", line: 20, column: 5, as: "team", name: "Sales" },
      { file: "teams.yaml", line: 31, column: 5, as: "team", name: "Ops" },
    ],
    rests_on: [],
    suggested_yaml: "users:\n  - email: new@acme.example\n    firstName: First\n",
  });
});

test("a run tells every outcome, the keys and how it ended", () => {
  const { run } = documentOf({ ...planned, command: "apply", exitCode: 7, run: sampleRun }) as { run: unknown };
  expect(run).toStrictEqual({
    run: "run-7",
    started_at: "2026-11-20T06:00:01.000Z",
    outcomes: [
      {
        action: createAda?.id,
        outcome: "succeeded",
        learned: { kind: "create-user", address: "ada@acme.example", prefix: "abc123", answered: {} },
        retries: 2,
      },
      {
        action: createCy?.id,
        outcome: "failed",
        failure: {
          code: "conflict",
          message: "the service says that cy@acme.example is there already",
          request: "POST /api/accounting/accounts/acc-1/users",
          status: 409,
          service_says: "User exists",
          hint: "Plan again: somebody created this user a moment ago.",
        },
      },
      {
        action: addToPlatform?.id,
        outcome: "succeeded",
        learned: {
          kind: "add-members",
          team: "acc-1/platform",
          members: [
            { address: "bo@acme.example", outcome: { added: true }, prefix: "def456" },
            {
              address: "cy@acme.example",
              outcome: { added: false, failure: { code: "refused", message: "no such user" } },
            },
          ],
        },
      },
      {
        action: replaceBo?.id,
        outcome: "unknown",
        failure: { code: "unreachable", message: "the connection was lost" },
      },
      { action: replaceAda?.id, outcome: "skipped", why: "the key did not come to be", cause: createCy?.id },
      { action: replaceProjectKey?.id, outcome: "stale", why: "the key has other roles by now" },
    ],
    counts: { succeeded: 2, unneeded: 0, failed: 1, unknown: 1, skipped: 1, stale: 1 },
    keys: [
      {
        email: "Ada@acme.example",
        address: "ada@acme.example",
        team: "acc-1/data science",
        team_name: "Data Science",
        prefix: "abc123",
      },
      {
        email: "bo@acme.example",
        address: "bo@acme.example",
        team: "acc-1/platform",
        team_name: "Platform",
        prefix: "def456",
      },
      { email: "someone.else@acme.example", address: "someone.else@acme.example", prefix: "ghi789" },
    ],
    findings: [],
    verified: {
      at: "2026-11-20T06:00:04.000Z",
      result: "pending",
      remarks: ["bo@acme.example does not show as a member of Platform yet"],
    },
    ended: { at: "2026-11-20T06:00:05.000Z", how: "completed" },
  });
});

describe("a command that made no plan has no fields of a plan", () => {
  test("but its diagnostics, and the same for people on standard error", () => {
    const outcome: CommandOutcome = {
      command: "validate",
      exitCode: 3,
      diagnostics: [
        {
          code: "unknown-key",
          severity: "error",
          message: "no such key",
          hint: "Did you mean email?",
          place: { file: "a.yaml", line: 1, column: 2 },
          excerpt: { line: " x", length: 1 },
        },
      ],
    };
    expect(documentOf(outcome)).toStrictEqual({
      format_version: "1.0",
      command: "validate",
      diagnostics: outcome.diagnostics,
      error: null,
      exit_code: 3,
    });
  });

  test("but its error", () => {
    const problem = { code: "unauthorized", message: "no", status: 401, serviceSays: "who?", allow: ["g@p"] };
    const roster = { files: 1, users: 2, leavers: 5, teams: 3, keys: 4 };
    expect(documentOf({ command: "plan", exitCode: 4, diagnostics: [], roster, problem })).toStrictEqual({
      format_version: "1.0",
      command: "plan",
      roster,
      diagnostics: [],
      error: { code: "unauthorized", message: "no", status: 401, service_says: "who?", allow: ["g@p"] },
      exit_code: 4,
    });
  });
});
