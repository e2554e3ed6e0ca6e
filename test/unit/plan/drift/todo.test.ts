import { expect, test } from "vitest";
import type { Drift, DriftItem } from "../../../../src/model/drift.ts";
import { declared } from "../../../../src/model/fact.ts";
import { createFinding, type FindingCode, isTask } from "../../../../src/model/finding.ts";
import {
  formatSubject,
  keySubject,
  memberSubject,
  observedBasis,
  partOf,
  type Subject,
  unknownBasis,
  userSubject,
} from "../../../../src/model/subject.ts";
import { teamKeyOf } from "../../../../src/model/team.ts";
import { todoFacts, todoOf } from "../../../../src/plan/drift/todo.ts";
import { aState } from "../../../support/plan-inputs.ts";
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

function item(code: FindingCode, subject: Subject, parts: Partial<DriftItem> = {}, notice?: true): DriftItem {
  const is = notice === undefined ? {} : { notice };
  const finding = createFinding({ code, subject, message: code, because: [], restsOn: [], ...is });
  const counts = finding.blocking ? "blocking" : "nothing";
  const { fingerprint } = finding;
  const of = { is: "finding", finding } as const;
  return { fingerprint, class: finding.class, code, subject, counts, of, ...parts };
}

function todo(items: readonly DriftItem[], gone: readonly DriftItem[] = []) {
  const drift: Drift = { items, coverage: { users: { shown: 0, named: 0 } }, unusedAccepts: [] };
  const sightings = gone.map(({ fingerprint, code, subject, of }) => {
    const task = of.is === "finding" && isTask(of.finding) ? ({ task: true } as const) : {};
    return [fingerprint, { since: seen, code, subject: formatSubject(subject), ...task }] as const;
  });
  const snapshot = aSnapshot({ users: [aShownUser("mal", { keys: [aShownKey("k-1", "none")] })] });
  const { open, closed } = todoOf({
    drift,
    state: aState({ sightings: new Map(sightings) }),
    seen: { type: "findings-seen", at: seen, service: "", seen: [], gone: gone.map(({ fingerprint }) => fingerprint) },
    roster,
    snapshot,
    now,
  });
  return {
    open: open.map(({ finding, status, due: day, person, item: { owner } }) =>
      [finding.code, status, day, person, owner].map((part) => part ?? "-").join(" "),
    ),
    closed: closed.map(({ code }) => code),
  };
}

const now = "2026-11-20T12:00:00.000Z";
const seen = "2026-11-10T12:00:00.000Z";
const extra = item("extra-member", memberSubject(addressOf("bo"), red), { since: seen, owner: "ada@acme.example" });
const privilege = item("unmanaged-privilege", keySubject("k-1"), { since: seen });
const profile = item("profile-differs", userSubject(addressOf("cy")));

test("everything is due 14 days after it was first seen, and what is due first comes first", () => {
  const seenOn = (day: string) => ({ ...privilege, since: `2026-11-${day}T12:00:00.000Z` });
  expect(todo([profile, extra, seenOn("05")]).open).toEqual([
    "unmanaged-privilege overdue 2026-11-19 mal@acme.example -",
    "extra-member open 2026-11-24 bo@acme.example ada@acme.example",
    "profile-differs opened 2026-12-04 cy@acme.example -",
  ]);
  expect(todo([seenOn("06")]).open).toEqual(["unmanaged-privilege open 2026-11-20 mal@acme.example -"]);
});

test("changes, notices, calls in progress and what is accepted are nobody's work", () => {
  const place = { file: "a.yaml", line: 1, column: 1 };
  const accepted = { code: "c", until: "2026-12-01", reason: "r", place, isOver: false };
  const change = item("extra-member", userSubject(addressOf("di")), {
    of: { is: "action", action: "create-user:di" },
    code: "create-user",
  });
  const items = [
    { ...extra, accepted },
    change,
    item("date-ahead", userSubject(addressOf("ed"))),
    item("write-pending", userSubject(addressOf("ed")), { counts: "blocking" }),
    item("extra-member", memberSubject(addressOf("bo"), red), { since: seen, owner: "platform-team" }, true),
  ];
  expect(todo(items).open).toEqual(["extra-member open 2026-11-24 bo@acme.example platform-team"]);
});

test("what may change under one fingerprint is known by its facts: roles, owner and what it rests on", () => {
  const about = partOf("lastName", userSubject(addressOf("cy")));
  const place = { file: "a.yaml", line: 1, column: 1 };
  const finding = createFinding({
    code: "profile-differs",
    subject: userSubject(addressOf("cy")),
    roles: ["A", "B"],
    message: "not compared",
    because: [],
    restsOn: [
      observedBasis(about, "Tanaka", "list page 1"),
      { about, fact: declared("Tanaka-Ito", place) },
      { about: { kind: "setting", setting: "guards.privileged-roles" }, fact: declared("A, B", place) },
      unknownBasis(keySubject("k-2"), "the answer of request 7 was cut off"),
      observedBasis({ kind: "other", name: "today" }, "2026-11-20", "clock"),
      observedBasis(keySubject("k-1"), "B", "list page 2"),
      observedBasis(keySubject("k-1"), "A", "search 1"),
    ],
  });
  const one = { ...profile, owner: "ada@acme.example", of: { is: "finding", finding } } as const;
  expect(todoFacts(one)).toEqual([
    { fact: "roles", value: "A, B" },
    { fact: "owner", value: "ada@acme.example" },
    { fact: "lastName of user cy@acme.example", value: "Tanaka" },
    { fact: "lastName of user cy@acme.example in the roster", value: "Tanaka-Ito" },
    { fact: "setting guards.privileged-roles", value: "A, B" },
    { fact: "key k-1", value: "A; B" },
  ]);
  expect(todoFacts(item("date-ahead", userSubject(addressOf("ed"))))).toBe(undefined);
});

test("a change that no recorded run has seen is new; one of an overdue entry leaves it overdue", () => {
  const facts = (value: string) => [{ fact: "owner", value }];
  const last = { at: seen, changes: [{ fact: "roles", before: "A" }] };
  const about = { since: seen, code: "extra-member", subject: "x", facts: facts("ada"), changed: last };
  const entries = (items: readonly DriftItem[], changes: readonly DriftItem[], today = now) =>
    todoOf({
      drift: { items, coverage: { users: { shown: 0, named: 0 } }, unusedAccepts: [] },
      state: aState({ sightings: new Map(items.map(({ fingerprint }) => [fingerprint, about])) }),
      seen: {
        type: "findings-seen",
        at: today,
        service: "",
        seen: [],
        gone: [],
        facts: changes.map(({ fingerprint }) => ({ fingerprint, facts: facts("bo") })),
      },
      roster,
      snapshot: aSnapshot(),
      now: today,
    }).open.map(({ status, changed }) => ({ status, changed }));
  const changes = [{ fact: "owner", before: "ada", after: "bo" }];
  expect(entries([extra, privilege], [extra])).toEqual([
    { status: "changed", changed: { at: now, changes, is: "new" } },
    { status: "open", changed: { ...last, is: "known" } },
  ]);
  const late = "2026-11-25T12:00:00.000Z";
  expect(entries([extra], [extra], late)).toEqual([{ status: "overdue", changed: { at: late, changes, is: "new" } }]);
});

test("only what was work for people is called closed", () => {
  const notice = item("date-ahead", userSubject(addressOf("ed")));
  const change = {
    ...item("unmanaged", userSubject(addressOf("ed"))),
    code: "create-user" as const,
    fingerprint: "a",
  };
  expect(todo([], [notice, extra, change]).closed).toEqual(["extra-member"]);
});

test("what another finding about the same has replaced is not called closed", () => {
  const missing = item("user-missing", userSubject(addressOf("cy")));
  const replaced = item("user-in-other-account", userSubject(addressOf("cy")));
  expect(todo([missing], [replaced, extra]).closed).toEqual(["extra-member"]);
  expect(todo([], [replaced, extra]).closed).toEqual(["user-in-other-account", "extra-member"]);
});
