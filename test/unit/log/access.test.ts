import { expect, test } from "vitest";
import { foldWhere } from "../../../src/log/checkpoint.ts";
import { applyEvents } from "../../../src/log/fold.ts";
import type { LogEvent } from "../../../src/model/event.ts";
import type { Intent } from "../../../src/model/recorded.ts";
import { success } from "../../../src/model/result.ts";
import { type RoleSet, roleSet } from "../../../src/model/role-set.ts";
import { emptyState } from "../../../src/model/state.ts";
import { teamKeyOf } from "../../../src/model/team.ts";
import type { LoggedEvent } from "../../../src/ports/log.ts";
import { added, addedTo, additionIntent, created, creationIntent } from "../../support/event-builders.ts";
import { addressOf } from "../../support/roster-builders.ts";
import { unwrap } from "../../support/state-place.ts";

const [ada, bo] = [addressOf("ada"), addressOf("bo")];
const ops = { team: teamKeyOf("acc-1", "Ops"), name: "Ops" };

function foldTo(log: Parameters<typeof foldWhere>[0], until: number): ReturnType<typeof foldWhere> {
  return foldWhere(log, ({ event }) => Date.parse(event.at) <= until);
}

function timeOf(day: number): string {
  return `2026-11-0${day}T12:00:00Z`;
}

function started(day: number, run: string, name: string): LogEvent {
  return {
    type: "command-started",
    at: timeOf(day),
    run,
    command: "apply",
    actor: { name, source: "os" },
    commit: `c-${run}`,
  };
}

function announced(day: number, run: string, action: string, intent: Intent): LogEvent {
  return { type: "intended", at: timeOf(day), run, action, intent };
}

function replacing(prefix: string, roles: readonly string[], before?: readonly string[]): Intent {
  const found = before === undefined ? {} : { before: roleSet(before) };
  return { kind: "replace-roles", prefix, roles: roleSet(roles), owner: ada, ...found };
}

function replaced(day: number, action: string, prefix: string, roles?: RoleSet): LogEvent {
  const learned = { kind: "replace-roles", prefix, ...(roles === undefined ? {} : { roles }) } as const;
  return { type: "succeeded", at: timeOf(day), action, learned };
}

/** Olga creates ada with a team and two roles; Bo replaces them on the third day, and takes them all on the fifth. */
const events: readonly LogEvent[] = [
  started(1, "r1", "olga"),
  announced(1, "r1", "c", creationIntent("ada", "Ops")),
  {
    type: "succeeded",
    at: timeOf(1),
    action: "c",
    learned: created("ada", { prefix: "k-1", roles: roleSet(["DEVELOPER", "TEAM_ROLE"]) }),
  },
  { type: "key-learned", at: timeOf(1), address: ada, prefix: "k-2" },
  started(2, "r2", "bo"),
  announced(2, "r2", "x", replacing("k-1", ["ACCOUNT_ADMIN"])),
  { type: "failed", at: timeOf(2), action: "x", failure: { code: "refused", message: "no" } },
  announced(3, "r2", "p", replacing("k-1", ["ACCOUNT_ADMIN", "DEVELOPER"])),
  replaced(3, "p", "k-1"),
  announced(5, "r2", "q", replacing("k-1", [])),
  replaced(5, "q", "k-1"),
];

function logOf(logged: readonly LogEvent[]) {
  const all = logged.map((event, index): LoggedEvent => ({ position: index + 1, hash: "", event }));
  return {
    async *readEvents() {
      yield success({ events: all, head: { position: all.length, hash: "" } });
    },
  };
}

async function accessAt(time: string, logged = events) {
  return unwrap(await foldTo(logOf(logged), Date.parse(time))).state.access;
}

const byOlga = { at: timeOf(1), run: "r1" };
const byBo = { at: timeOf(3), run: "r2" };
const firstRoles = [
  { role: "DEVELOPER", ...byOlga },
  { role: "TEAM_ROLE", ...byOlga },
];

test.each([
  ["at the end of the first day", "2026-11-02T00:00:00Z", firstRoles],
  ["after a failure, which changes nothing", "2026-11-02T23:00:00Z", firstRoles],
  [
    "after a replacement: what stays keeps who gave it",
    "2026-11-04T00:00:00Z",
    [
      { role: "ACCOUNT_ADMIN", ...byBo },
      { role: "DEVELOPER", ...byOlga },
    ],
  ],
  ["after all roles were taken", "2026-11-09T00:00:00Z", []],
])("the access of a key is what the calls until then gave: %s", async (_, until, roles) => {
  expect((await accessAt(until)).get("k-1")).toEqual({ prefix: "k-1", address: ada, team: ops, roles });
});

test("of a key whose prefix was only learned, the roles are unknown", async () => {
  expect((await accessAt("2026-11-09T00:00:00Z")).get("k-2")).toEqual({ prefix: "k-2", address: ada });
});

test("who ran a run that announced a call is kept, and of no other run", () => {
  const state = applyEvents(emptyState(""), [
    ...events,
    started(6, "r3", "cy"),
    { type: "people-gone", at: timeOf(6), people: [] },
  ]);
  expect([...state.runs.values()]).toEqual([
    { run: "r1", actor: { name: "olga", source: "os" }, commit: "c-r1" },
    { run: "r2", actor: { name: "bo", source: "os" }, commit: "c-r2" },
  ]);
});

test("a role that a call found on the key was not given by it, and one that it did not find was given anew", async () => {
  const intent = replacing("k-1", ["ADMIN", "DEVELOPER", "TEAM_ROLE"], ["ADMIN", "TEAM_ROLE"]);
  const found = [...events.slice(0, 5), announced(3, "r2", "p", intent), replaced(3, "p", "k-1")];
  expect((await accessAt("2026-11-09T00:00:00Z", found)).get("k-1")?.roles).toEqual([
    { role: "ADMIN" },
    { role: "DEVELOPER", ...byBo },
    { role: "TEAM_ROLE", ...byOlga },
  ]);
});

test("a call that another run resolves is of the run that announced it", async () => {
  const learned = { kind: "replace-roles", prefix: "k-1", roles: roleSet(["AUDITOR"]) } as const;
  const resolved: readonly LogEvent[] = [
    ...events.slice(0, 4),
    announced(2, "r1", "p", replacing("k-1", ["AUDITOR"])),
    started(4, "r2", "bo"),
    { type: "resolved", at: timeOf(4), run: "r1", action: "p", as: { done: true, learned } },
  ];
  expect((await accessAt("2026-11-09T00:00:00Z", resolved)).get("k-1")?.roles).toEqual([
    { role: "AUDITOR", at: timeOf(4), run: "r1" },
  ]);
});

test("members who were added have the roles that were shown; a key of somebody else that a read showed has none", async () => {
  const members = addedTo({ ...added("ada", "k-1"), roles: roleSet(["USER"]) }, added("bo", "k-2"));
  const addition: readonly LogEvent[] = [
    started(1, "r1", "olga"),
    announced(1, "r1", "m", additionIntent("ada")),
    { type: "succeeded", at: timeOf(1), action: "m", learned: members },
  ];
  const access = await accessAt("2026-11-09T00:00:00Z", addition);
  const team = { team: teamKeyOf("acc-1", "Science"), name: "Science" };
  expect([...access.values()]).toEqual([
    { prefix: "k-1", address: ada, team, roles: [{ role: "USER", ...byOlga }] },
    { prefix: "k-2", address: bo, team },
  ]);
});

test("an event counts by its own time, also behind one of a clock that is ahead", async () => {
  const ahead: LogEvent = { type: "key-learned", at: timeOf(9), address: ada, prefix: "k-9" };
  expect([...(await accessAt("2026-11-02T00:00:00Z", [ahead, ...events])).keys()]).toEqual(["k-1", "k-2"]);
});

test("a replacement that reads do not show leaves the roles of its key unknown, until the next one", async () => {
  const unproven: readonly LogEvent[] = [
    ...events.slice(0, 5),
    announced(2, "r2", "p", replacing("k-1", ["AUDITOR"])),
    { type: "resolved", at: timeOf(3), run: "r2", action: "p", as: { done: false, unproven: true } },
    announced(4, "r2", "q", replacing("k-1", ["USER"])),
    replaced(4, "q", "k-1"),
  ];
  const rolesAt = async (day: number) => (await accessAt(timeOf(day), unproven)).get("k-1")?.roles;
  expect(await Promise.all([2, 3, 4].map(rolesAt))).toEqual([
    firstRoles,
    undefined,
    [{ role: "USER", at: timeOf(4), run: "r2" }],
  ]);
});

test("a call whose outcome is not known yet is open at that time", async () => {
  const openAt = async (day: number) =>
    unwrap(await foldTo(logOf(events), Date.parse(timeOf(day)) - 1)).state.open.length;
  const late = events.map((event): LogEvent => (event.type === "succeeded" ? { ...event, at: timeOf(4) } : event));
  expect(await openAt(2)).toBe(0);
  expect(unwrap(await foldTo(logOf(late), Date.parse(timeOf(3)))).state.open.map(({ action }) => action)).toEqual([
    "c",
    "p",
  ]);
});

test("nothing of the access of a service is left where it starts anew, and a moved user and a renamed team keep theirs", () => {
  const moved: LogEvent = {
    type: "records-moved",
    at: timeOf(6),
    people: [{ from: ada, to: bo, email: "bo@acme.example" }],
    teams: [{ from: ops.team, to: teamKeyOf("acc-1", "Run"), name: "Run" }],
  };
  const now = applyEvents(emptyState(""), [...events, moved]);
  expect(now.access.get("k-1")).toMatchObject({ address: bo, team: { team: teamKeyOf("acc-1", "Run"), name: "Run" } });
  expect(now.access.get("k-2")).toEqual({ prefix: "k-2", address: bo });
  expect(applyEvents(now, [{ type: "epoch-started", at: timeOf(7), service: "s" }]).access).toEqual(new Map());
});
