import { expect, test } from "vitest";
import type { Drift, DriftItem, DueTimes } from "../../../../src/model/drift.ts";
import { createFinding, type FindingCode } from "../../../../src/model/finding.ts";
import { keySubject, memberSubject, type Subject, userSubject } from "../../../../src/model/subject.ts";
import { teamKeyOf } from "../../../../src/model/team.ts";
import { todoOf } from "../../../../src/plan/drift/todo.ts";
import { aState, sha256 } from "../../../support/plan-inputs.ts";
import { addressOf, aRoster, aTeam } from "../../../support/roster-builders.ts";
import { aShownKey, aShownUser, aSnapshot } from "../../../support/snapshot-builders.ts";

const red = teamKeyOf("acc-1", "Red");
const roster = aRoster({
  teams: [
    aTeam("Red", {
      account: "acc-1",
      admin: "ada",
    }),
  ],
});

function item(code: FindingCode, subject: Subject, parts: Partial<DriftItem> = {}): DriftItem {
  const finding = createFinding({ code, subject, message: code, because: [], restsOn: [] }, sha256);
  const counts = finding.blocking ? "blocking" : "nothing";
  const { fingerprint } = finding;
  const of = { is: "finding", finding } as const;
  return { fingerprint, class: finding.class, code, subject, counts, guarded: false, of, ...parts };
}

function todo(items: readonly DriftItem[], due: DueTimes = new Map(), gone: readonly DriftItem[] = []) {
  const drift: Drift = { items, coverage: { users: { shown: 0, named: 0 } }, idle: [] };
  const sightings = gone.map(({ fingerprint, code }) => [fingerprint, { since: seen, code, subject: "x" }] as const);
  const snapshot = aSnapshot({ users: [aShownUser("mal", { keys: [aShownKey("k-1", "none")] })] });
  const { open, closed } = todoOf({
    drift,
    state: aState({ sightings: new Map(sightings) }),
    gone: gone.map(({ fingerprint }) => fingerprint),
    roster,
    snapshot,
    due,
    now: "2026-11-20T12:00:00.000Z",
  });
  return {
    open: open.map(({ finding, status, due: day, person, item: { owner } }) =>
      [finding.code, status, day, person, owner].map((part) => part ?? "-").join(" "),
    ),
    closed: closed.map(({ code }) => code),
  };
}

const seen = "2026-11-10T12:00:00.000Z";
const extra = item("extra-member", memberSubject(addressOf("bo"), red), { since: seen, owner: "ada@acme.example" });
const privilege = item("unmanaged-privilege", keySubject("k-1"), { since: seen });
const profile = item("profile-differs", userSubject(addressOf("cy")));

test("what is due first comes first: by code, then by class, then by default", () => {
  const due: DueTimes = new Map<string, number | "off">([
    ["unmanaged-privilege", 1],
    ["uncorrectable", 12],
    ["profile-differs", "off"],
  ]);
  expect(todo([profile, extra, privilege], due).open).toEqual([
    "unmanaged-privilege overdue 2026-11-11 mal@acme.example -",
    "extra-member open 2026-11-22 bo@acme.example ada@acme.example",
    "profile-differs opened - cy@acme.example -",
  ]);
  expect(todo([privilege], new Map([["default", 10]])).open).toEqual([
    "unmanaged-privilege open 2026-11-20 mal@acme.example -",
  ]);
  expect(todo([profile]).open).toEqual(["profile-differs opened 2026-12-04 cy@acme.example -"]);
});

test("changes, notices, calls in progress and what is acknowledged are nobody's work", () => {
  const by = {
    fingerprint: "f",
    code: "c",
    subject: "s",
    until: "2026-12-01",
    reason: "r",
    by: "ada",
    at: seen,
  } as const;
  const acknowledged = { by: { ...by, place: { file: "a.yaml", line: 1, column: 1 } }, counts: true } as const;
  const change = item("extra-member", userSubject(addressOf("di")), {
    of: { is: "action", action: "create-user:di" },
    code: "create-user",
  });
  const items = [
    { ...extra, acknowledged },
    change,
    item("leaving-soon", userSubject(addressOf("ed"))),
    item("write-pending", userSubject(addressOf("ed")), { counts: "blocking" }),
    item("extra-member-without-roles", memberSubject(addressOf("bo"), red), { since: seen, owner: "platform-team" }),
  ];
  expect(todo(items).open).toEqual(["extra-member-without-roles open 2026-11-24 bo@acme.example platform-team"]);
});

test("only what was work for people is called closed", () => {
  const notice = item("leaving-soon", userSubject(addressOf("ed")));
  const change = {
    ...item("unmanaged-user", userSubject(addressOf("ed"))),
    code: "create-user" as const,
    fingerprint: "a",
  };
  expect(todo([], new Map(), [notice, extra, change]).closed).toEqual(["extra-member"]);
});
