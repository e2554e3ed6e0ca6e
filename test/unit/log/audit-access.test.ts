import { expect, test } from "vitest";
import { countUnknownCalls, replayAccess } from "../../../src/log/audit-access.ts";
import type { AuditedCall, AuditRecord } from "../../../src/model/audit.ts";
import { roleSet } from "../../../src/model/role-set.ts";
import { addressOf } from "../../support/roster-builders.ts";

const ada = addressOf("ada");
const team = { name: "Science", account: "acc-1" };

function startOf(run: string, name: string): AuditRecord {
  const actor = { name, source: "os" };
  return { kind: "run-started", at: "2026-11-01T00:00:00Z", run, command: "apply", actor };
}

function call(day: number, run: string, details: Partial<AuditedCall>): AuditRecord {
  const at = `2026-11-0${day}T12:00:00Z`;
  return { kind: "call", at, run, action: "a", call: "replace-roles", outcome: "done", announcedAt: at, ...details };
}

const records: readonly AuditRecord[] = [
  startOf("r1", "olga"),
  call(1, "r1", {
    call: "create-user",
    person: ada,
    team,
    prefix: "k-1",
    rolesAfter: roleSet(["DEVELOPER", "TEAM_ROLE"]),
  }),
  { kind: "key-learned", at: "2026-11-01T12:00:00Z", run: "r1", person: ada, prefix: "k-2" },
  startOf("r2", "bo"),
  call(2, "r2", { prefix: "k-1", outcome: "failed", rolesAfter: roleSet(["ACCOUNT_ADMIN"]) }),
  call(3, "r2", { prefix: "k-1", rolesAfter: roleSet(["ACCOUNT_ADMIN", "DEVELOPER"]) }),
  call(5, "r2", { prefix: "k-1", rolesAfter: roleSet([]) }),
];

const olga = { at: "2026-11-01T12:00:00Z", run: "r1", actor: { name: "olga", source: "os" } };
const bo = { at: "2026-11-03T12:00:00Z", run: "r2", actor: { name: "bo", source: "os" } };

test.each([
  [
    "at the end of the first day",
    "2026-11-02T00:00:00Z",
    new Map([
      ["DEVELOPER", olga],
      ["TEAM_ROLE", olga],
    ]),
  ],
  [
    "after a failure, which changes nothing",
    "2026-11-02T23:00:00Z",
    new Map([
      ["DEVELOPER", olga],
      ["TEAM_ROLE", olga],
    ]),
  ],
  [
    "after a replacement: what stays keeps who gave it",
    "2026-11-04T00:00:00Z",
    new Map([
      ["ACCOUNT_ADMIN", bo],
      ["DEVELOPER", olga],
    ]),
  ],
  ["after all roles were taken", "2026-11-09T00:00:00Z", new Map()],
])("access is replayed from the records of a log %s", (_, until, roles) => {
  const access = replayAccess(records, Date.parse(until));
  expect(access.get("k-1")).toEqual({ prefix: "k-1", person: ada, team, roles });
});

test("of a key whose prefix was only learned, the roles are unknown", () => {
  expect(replayAccess(records).get("k-2")).toEqual({ prefix: "k-2", person: ada });
});

test("a role that a call found on the key was not given by it, and one that it did not find was given anew", () => {
  const found: AuditRecord = call(3, "r2", {
    prefix: "k-1",
    rolesBefore: roleSet(["ADMIN", "TEAM_ROLE"]),
    rolesAfter: roleSet(["ADMIN", "DEVELOPER", "TEAM_ROLE"]),
  });
  expect(replayAccess([...records.slice(0, 4), found]).get("k-1")?.roles).toEqual(
    new Map([
      ["ADMIN", undefined],
      ["DEVELOPER", bo],
      ["TEAM_ROLE", olga],
    ]),
  );
});

test("a record counts by its own time, also behind one of a clock that is ahead", () => {
  const ahead = call(9, "r2", { prefix: "k-9", rolesAfter: roleSet(["DEVELOPER"]) });
  const access = replayAccess([ahead, ...records], Date.parse("2026-11-02T00:00:00Z"));
  expect([...access.keys()]).toEqual(["k-1", "k-2"]);
});

test("calls of an unknown outcome count until a later record says more", () => {
  const calls = [
    call(1, "r1", { action: "c", call: "create-user", person: ada, outcome: "unknown" }),
    call(1, "r1", { action: "d", outcome: "unknown" }),
    call(3, "r2", { action: "c", call: "create-user", person: ada, announcedBy: "r1" }),
  ];
  const counts = [0, 2, 4].map((day) =>
    countUnknownCalls(calls, Date.parse("2026-11-01T00:00:00Z") + day * 86_400_000),
  );
  expect(counts).toEqual([0, 2, 1]);
});

test("a replacement of an unknown outcome counts until the roles of its key are replaced again", () => {
  const calls = [
    call(1, "r1", { action: "c", prefix: "k-1", outcome: "unknown" }),
    call(2, "r2", { action: "d", prefix: "k-2" }),
    call(3, "r3", { action: "e", prefix: "k-1" }),
  ];
  const counts = [2, 4].map((day) => countUnknownCalls(calls, Date.parse("2026-11-01T00:00:00Z") + day * 86_400_000));
  expect(counts).toEqual([1, 0]);
});
