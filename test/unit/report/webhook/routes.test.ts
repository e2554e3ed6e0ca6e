import { expect, test } from "vitest";
import type { DriftItem, TodoEntry } from "../../../../src/model/drift.ts";
import { createFinding } from "../../../../src/model/finding.ts";
import { userSubject } from "../../../../src/model/subject.ts";
import { routeOutcome } from "../../../../src/report/webhook/routes.ts";
import { sha256 } from "../../../support/plan-inputs.ts";
import { addressOf } from "../../../support/roster-builders.ts";

function item(name: string, parts: Partial<DriftItem> = {}): DriftItem {
  const subject = userSubject(addressOf(name));
  const finding = createFinding({ code: "user-missing", subject, message: "", because: [], restsOn: [] }, sha256);
  const of = { is: "finding", finding } as const;
  const { fingerprint, code } = finding;
  return { fingerprint, class: "blocked", code, subject, counts: "blocking", guarded: false, of, ...parts };
}

function todoEntry(one: DriftItem): TodoEntry {
  if (one.of.is !== "finding") throw new Error("a finding");
  return { item: one, finding: one.of.finding, status: "opened", since: "2026-11-20T09:00:00.000Z" };
}

/** Who is told of which items, things to do and things done. */
function routed(items: readonly DriftItem[], owners: readonly string[]) {
  const closed = [{ fingerprint: "f", code: "user-missing", subject: "user x", since: "", owner: "data-team" }];
  const drift = {
    drift: { items, coverage: { users: { shown: 0, named: 0 } }, idle: [] },
    todo: { open: items.map(todoEntry), closed },
    shows: "everything",
    record: { is: "recorded" },
  } as const;
  const outcome = { command: "drift", exitCode: 9, diagnostics: [], drift } as const;
  const names = (all: readonly DriftItem[] = []) =>
    all.map(({ subject }) => (subject.kind === "user" ? subject.address.replace(/@.*/u, "") : "")).join(" ");
  return routeOutcome(outcome, owners).map(({ owner = "default", outcome: { drift: told } }) =>
    [owner, names(told?.drift.items), names(told?.todo.open.map((one) => one.item)), told?.todo.closed.length].join(
      ": ",
    ),
  );
}

const ada = item("ada", { owner: "platform-team" });
const bo = item("bo", { owner: "data-team" });
const cy = item("cy");

test("each owner gets their own items, and the default webhook the rest", () => {
  expect(routed([ada, bo, cy], ["platform-team", "data-team", "nobody"])).toEqual([
    "default: cy: cy: 0",
    "platform-team: ada: ada: 0",
    "data-team: bo: bo: 1",
  ]);
  expect(routed([ada, bo, cy], [])).toEqual(["default: ada bo cy: ada bo cy: 1"]);
});

test("what is about privileged roles or guards goes to the default webhook as well", () => {
  expect(routed([item("ada", { owner: "platform-team", guarded: true })], ["platform-team"])).toEqual([
    "default: ada: ada: 1",
    "platform-team: ada: ada: 0",
  ]);
});

test("nobody is told of what does not count alone; where nothing counts, the default webhook is told", () => {
  const notice = item("di", { owner: "platform-team", counts: "nothing" });
  expect(routed([notice, bo], ["platform-team", "data-team"])).toEqual(["data-team: bo: bo: 1"]);
  expect(routed([notice], ["platform-team"])).toEqual(["default: : : 1"]);
});

test("addresses are compared folded, names exactly", () => {
  const owned = [item("ada", { owner: "Olga@acme.example" }), item("bo", { owner: "Data-Team" })];
  expect(routed(owned, ["olga@ACME.example", "data-team"])).toEqual([
    "default: bo: bo: 0",
    "olga@ACME.example: ada: ada: 0",
  ]);
});

test("a drift that failed goes to the default webhook", () => {
  const outcome = { command: "drift", exitCode: 1, diagnostics: [] } as const;
  expect(routeOutcome(outcome, ["platform-team"])).toEqual([{ outcome }]);
});
