import { expect, test } from "vitest";
import { foldWhere } from "../../../src/log/checkpoint.ts";
import { applyEvents } from "../../../src/log/fold.ts";
import type { Intent } from "../../../src/model/call.ts";
import type { LogEvent } from "../../../src/model/event.ts";
import { emptyState, type State } from "../../../src/model/state.ts";
import { teamKeyOf } from "../../../src/model/team.ts";
import { roleSet } from "../../../src/model/values.ts";
import {
  added,
  addedTo,
  additionIntent,
  created,
  creationIntent,
  failed,
  intended,
  keyLearned,
  resolved,
  rolesIntent,
  rolesSet,
  science,
  succeeded,
} from "../../support/event-builders.ts";
import { addressOf } from "../../support/roster-builders.ts";

const [ada, bo] = [addressOf("ada"), addressOf("bo")];
const team = { team: teamKeyOf("acc-1", "Ops"), name: "Ops" };
const timeOf = (day: number) => `2026-11-0${day}T12:00:00Z`;
const [secondMorning, ninth] = ["2026-11-02T00:00:00Z", "2026-11-09T00:00:00Z"];

function started(day: number, run: string, name: string): LogEvent {
  const actor = { name, source: "os" } as const;
  return { type: "command-started", at: timeOf(day), run, command: "apply", actor, commit: `c-${run}` };
}

const announced = (day: number, run: string, action: string, intent: Intent) =>
  intended(run, action, intent, timeOf(day));
const replacing = (roles: readonly string[], before?: readonly string[]) => {
  const found = before === undefined ? {} : { before: roleSet(before) };
  return { ...rolesIntent("k-1", ...roles), owner: ada, ...found } as Intent;
};
const replaced = (day: number, action: string) => succeeded(action, rolesSet("k-1"), timeOf(day));

const olgas = [
  started(1, "r1", "olga"),
  announced(1, "r1", "c", creationIntent("ada", "Ops")),
  succeeded("c", created("ada", { prefix: "k-1", roles: roleSet(["DEVELOPER", "TEAM_ROLE"]) }), timeOf(1)),
  { ...keyLearned("ada", "k-2"), at: timeOf(1) },
];

/** Olga creates ada with a team and two roles; Bo replaces them on the third day, and takes them all on the fifth. */
const events: readonly LogEvent[] = [
  ...olgas,
  started(2, "r2", "bo"),
  announced(2, "r2", "x", replacing(["ACCOUNT_ADMIN"])),
  failed("x", undefined, timeOf(2)),
  announced(3, "r2", "p", replacing(["ACCOUNT_ADMIN", "DEVELOPER"])),
  replaced(3, "p"),
  announced(5, "r2", "q", replacing([])),
  replaced(5, "q"),
];

/** What the events of a log until a time add up to. */
async function stateAt(time: string, logged: readonly LogEvent[] = events): Promise<State> {
  const all = logged.map((event, index) => ({ position: index + 1, hash: "", event }));
  async function* log() {
    yield { events: all, head: { position: all.length, hash: "" } };
  }
  return (await foldWhere(log(), ({ event }) => Date.parse(event.at) <= Date.parse(time))).state;
}

/** The roles of k-1 at a time, each with its day and run where these are known. */
async function rolesAt(time: string, logged = events) {
  const roles = (await stateAt(time, logged)).access.get("k-1")?.roles;
  return roles?.map(({ role, at, run }) => `${role}${at === undefined ? "" : ` ${at.slice(9, 10)} ${run}`}`);
}

test.each([
  ["at the end of the first day", secondMorning, ["DEVELOPER 1 r1", "TEAM_ROLE 1 r1"]],
  [
    "after a replacement: what stays keeps who gave it",
    "2026-11-04T00:00:00Z",
    ["ACCOUNT_ADMIN 3 r2", "DEVELOPER 1 r1"],
  ],
  ["after all roles were taken", ninth, []],
])("the access of a key is what the calls until then gave: %s", async (_, until, roles) => {
  expect(await rolesAt(until)).toEqual(roles);
  expect((await stateAt(until)).access.get("k-1")).toMatchObject({ prefix: "k-1", address: ada, team });
});

test("who ran a run that announced a call is kept, and of no other run", () => {
  const others: LogEvent[] = [started(6, "r3", "cy"), { type: "people-gone", at: timeOf(6), people: [] }];
  expect([...applyEvents(emptyState(""), [...events, ...others]).runs.values()]).toEqual([
    { run: "r1", actor: { name: "olga", source: "os" }, commit: "c-r1" },
    { run: "r2", actor: { name: "bo", source: "os" }, commit: "c-r2" },
  ]);
});

test("a role that a call found on the key was not given by it, and one that it did not find was given anew", async () => {
  const intent = replacing(["ADMIN", "DEVELOPER", "TEAM_ROLE"], ["ADMIN", "TEAM_ROLE"]);
  const found = [...olgas, started(2, "r2", "bo"), announced(3, "r2", "p", intent), replaced(3, "p")];
  expect(await rolesAt(ninth, found)).toEqual(["ADMIN", "DEVELOPER 3 r2", "TEAM_ROLE 1 r1"]);
});

test("a call that another run resolves is of the run that announced it", async () => {
  const auditor = announced(2, "r1", "p", replacing(["AUDITOR"]));
  const later = [started(4, "r2", "bo"), resolved("r1", "p", rolesSet("k-1", "AUDITOR"), { at: timeOf(4) })];
  expect(await rolesAt(ninth, [...olgas, auditor, ...later])).toEqual(["AUDITOR 4 r1"]);
});

test("members who were added have the roles that were shown; a key of somebody else that a read showed has none", async () => {
  const members = addedTo({ ...added("ada", "k-1"), roles: roleSet(["USER"]) }, added("bo", "k-2"));
  const addition = [
    started(1, "r1", "olga"),
    announced(1, "r1", "m", additionIntent("ada")),
    succeeded("m", members, timeOf(1)),
  ];
  const ofScience = { team: science, name: "Science" };
  expect([...(await stateAt(ninth, addition)).access.values()]).toEqual([
    { prefix: "k-1", address: ada, team: ofScience, roles: [{ role: "USER", at: timeOf(1), run: "r1" }] },
    { prefix: "k-2", address: bo, team: ofScience },
  ]);
});

test("an event counts by its own time, also behind one of a clock that is ahead", async () => {
  const ahead = { ...keyLearned("ada", "k-9"), at: timeOf(9) };
  expect([...(await stateAt(secondMorning, [ahead, ...events])).access.keys()]).toEqual(["k-1", "k-2"]);
});

test("a replacement that reads do not show leaves the roles of its key unknown, until the next one", async () => {
  const unproven = [
    ...olgas,
    started(2, "r2", "bo"),
    announced(2, "r2", "p", replacing(["AUDITOR"])),
    resolved("r2", "p", "unproven", { at: timeOf(3) }),
    announced(4, "r2", "q", replacing(["USER"])),
    replaced(4, "q"),
  ];
  const roles = await Promise.all([2, 3, 4].map((day) => rolesAt(timeOf(day), unproven)));
  expect(roles).toEqual([["DEVELOPER 1 r1", "TEAM_ROLE 1 r1"], undefined, ["USER 4 r2"]]);
});

test("nor does a later one count whose outcome is known, as either may have taken effect last", async () => {
  const ofLaterRun = [started(3, "r3", "bo"), announced(3, "r3", "q", replacing(["USER"])), replaced(3, "q")];
  const earlier = [...olgas, started(2, "r2", "bo"), announced(2, "r2", "p", replacing(["AUDITOR"]))];
  const resolvedLast = resolved("r2", "p", "unproven", { at: timeOf(4) });
  expect(await rolesAt(ninth, [...earlier, ...ofLaterRun, resolvedLast])).toBeUndefined();
});

test("nothing of the access of a service is left where it starts anew, and a moved user and a renamed team keep theirs", () => {
  const renamed = { team: teamKeyOf("acc-1", "Run"), name: "Run" };
  const moved: LogEvent = {
    type: "records-moved",
    at: timeOf(6),
    people: [{ from: ada, to: bo, email: "bo@acme.example" }],
    teams: [{ from: team.team, to: renamed.team, name: "Run" }],
  };
  const now = applyEvents(emptyState(""), [...events, moved]);
  expect(now.access.get("k-1")).toMatchObject({ address: bo, team: renamed });
  expect(now.access.get("k-2")).toEqual({ prefix: "k-2", address: bo });
  expect(applyEvents(now, [{ type: "epoch-started", at: timeOf(7), service: "s" }]).access).toEqual(new Map());
});
