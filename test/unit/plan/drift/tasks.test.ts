import { expect, test } from "vitest";
import type { FindingCode } from "../../../../src/codes/findings.ts";
import { formatSubject, keySubject, memberSubject, type Subject, userSubject } from "../../../../src/model/fact.ts";
import { createFinding, findingClass, isTask } from "../../../../src/model/finding.ts";
import type { Drift, DriftItem } from "../../../../src/model/plan.ts";
import { teamKeyOf } from "../../../../src/model/team.ts";
import { tasksOf } from "../../../../src/plan/drift/tasks.ts";
import { aState } from "../../../support/plan-inputs.ts";
import { addressOf, aRoster, aTeam } from "../../../support/roster-builders.ts";

const red = teamKeyOf("acc-1", "Red");
const roster = aRoster({
  teams: [
    aTeam("Red", {
      account: "acc-1",
      admin: "ada",
    }),
  ],
});

function item(code: FindingCode, subject: Subject, parts: Partial<DriftItem> = {}, kind?: "notice"): DriftItem {
  const finding = createFinding({ code, subject, message: code, because: [], restsOn: [], kind });
  const counts = finding.kind === "task" ? "blocking" : "nothing";
  const { fingerprint } = finding;
  const of = { is: "finding", finding } as const;
  return { fingerprint, class: findingClass(finding), code, subject, counts, of, ...parts };
}

function tasks(items: readonly DriftItem[], gone: readonly DriftItem[] = []) {
  const drift: Drift = { items, coverage: { users: { shown: 0, named: 0 } }, unusedAccepts: [] };
  const openFindings = gone.map(({ fingerprint, code, subject, of }) => {
    const task = of.is === "finding" && isTask(of.finding) ? ({ task: true } as const) : {};
    return [fingerprint, { fingerprint, since: seen, code, subject: formatSubject(subject), ...task }] as const;
  });
  const fingerprints = gone.map(({ fingerprint }) => fingerprint);
  const { open, closed } = tasksOf(drift, fingerprints, {
    state: aState({ openFindings: new Map(openFindings) }),
    roster,
  });
  return {
    open: open.map(({ code, since = "new", owner = "-" }) => [code, since.slice(0, 10), owner].join(" ")),
    closed: closed.map(({ code, owner = "-" }) => `${code} ${owner}`),
  };
}

const seen = "2026-11-10T12:00:00.000Z";
const extra = item("extra-member", memberSubject(addressOf("bo"), red), { since: seen, owner: "ada@acme.example" });
const privilege = item("unmanaged-privilege", keySubject("k-1"), { since: "2026-11-05T12:00:00.000Z" });
const profile = item("profile-differs", userSubject(addressOf("cy")));

test("what was first seen first comes first, and what is new comes last", () => {
  expect(tasks([profile, extra, privilege]).open).toEqual([
    "unmanaged-privilege 2026-11-05 -",
    "extra-member 2026-11-10 ada@acme.example",
    "profile-differs new -",
  ]);
});

test("changes, notices, calls in progress and what is accepted are nobody's work", () => {
  const place = { file: "a.yaml", line: 1, column: 1 };
  const accepted = { code: "c", until: "2026-12-01", reason: "r", place, is: "in-force" as const };
  const change = item("extra-member", userSubject(addressOf("di")), {
    of: { is: "action", action: "create-user:di" },
    code: "create-user",
  });
  const items = [
    { ...extra, accepted },
    change,
    item("date-ahead", userSubject(addressOf("ed"))),
    item("write-pending", userSubject(addressOf("ed")), { counts: "blocking" }),
    item("extra-member", memberSubject(addressOf("bo"), red), { since: seen, owner: "platform-team" }, "notice"),
  ];
  expect(tasks(items).open).toEqual(["extra-member 2026-11-10 platform-team"]);
});

test("only what was work for people is called closed", () => {
  const notice = item("date-ahead", userSubject(addressOf("ed")));
  const change = {
    ...item("unmanaged", userSubject(addressOf("ed"))),
    code: "create-user" as const,
    fingerprint: "a",
  };
  expect(tasks([], [notice, extra, change]).closed).toEqual(["extra-member ada@acme.example"]);
});

test("what another finding about the same has replaced is not called closed", () => {
  const missing = item("user-missing", userSubject(addressOf("cy")));
  const replaced = item("user-in-other-account", userSubject(addressOf("cy")));
  expect(tasks([missing], [replaced, extra]).closed).toEqual(["extra-member ada@acme.example"]);
  expect(tasks([], [replaced, extra]).closed).toEqual(["user-in-other-account -", "extra-member ada@acme.example"]);
});
