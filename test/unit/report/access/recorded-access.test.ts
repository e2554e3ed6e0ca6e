import { expect, test } from "vitest";
import { applyEvents } from "../../../../src/log/fold.ts";
import type { LogEvent } from "../../../../src/model/event.ts";
import type { OutsideChange } from "../../../../src/model/finding.ts";
import { emptyState } from "../../../../src/model/state.ts";
import { teamKeyOf } from "../../../../src/model/team.ts";
import { roleSet } from "../../../../src/model/values.ts";
import { endedChanges } from "../../../../src/plan/drift/ended-changes.ts";
import { mapRecordedAccess } from "../../../../src/report/access/access-map.ts";
import { addressOf } from "../../../support/roster-builders.ts";

const service = "https://accounts.example";
const team = teamKeyOf("acc-1", "Red");
const time = (minute: number) => `2026-11-20T09:${String(minute).padStart(2, "0")}:00.000Z`;

function change(is: OutsideChange["is"], person: string, prefix: string, gained: string[], lost: string[] = []) {
  const about = { person: { address: addressOf(person), email: addressOf(person) }, key: { prefix, isOwn: false } };
  return { is, ...about, team: "Red", gained: roleSet(gained), lost: roleSet(lost), privileged: roleSet([]) };
}

function saw(minute: number, fingerprint: string, ...outside: readonly OutsideChange[]): LogEvent {
  const seen = [{ fingerprint, code: "replace-roles", subject: `key ${fingerprint}`, outside }];
  return { type: "findings-seen", at: time(minute), service, seen, gone: [] };
}

const ended = (minute: number, ...gone: readonly string[]): LogEvent => {
  return { type: "findings-seen", at: time(minute), service, seen: [], gone };
};
const people = ["ada", "bo", "cy", "di", "ed"].map((name) => {
  return { address: addressOf(name), email: addressOf(name), account: "acc-1" };
});
const keys = ["ada", "bo", "cy"].map((name) => {
  return { prefix: `k-${name}`, address: addressOf(name), roles: roleSet(["USER"]) };
});
const members = keys.map(({ prefix, address }) => ({ team, address, prefix }));
const begun: readonly LogEvent[] = [
  { type: "users-observed", at: time(0), service, people, teams: [{ team, name: "Red", account: "acc-1" }] },
  { type: "access-seen", at: time(1), service, users: [], members, keys },
  {
    type: "access-seen",
    at: time(1),
    service,
    users: [],
    members: [{ team, address: addressOf("di"), prefix: "k-di" }],
    keys: [],
  },
];
const seenRoles = [
  "ada Red k-ada USER",
  "bo Red k-bo USER",
  "cy Red k-cy USER",
  "di Red k-di - roles",
  "ed - - - keys",
];
const escalated = saw(2, "k-bo", change("roles-changed", "bo", "k-bo", ["ADMIN"], ["USER"]));
const replaced = {
  kind: "replace-roles",
  prefix: "k-bo",
  roles: roleSet(["USER"]),
  owner: addressOf("bo"),
  team,
} as const;
const found = roleSet(["ADMIN", "AUDITOR"]);
const removed = saw(2, "k-cy", change("key-removed", "cy", "k-cy", [], ["USER"]));
const learned = { kind: "replace-roles", prefix: "k-bo", roles: roleSet(["USER"]) } as const;
const done: LogEvent = { type: "succeeded", at: time(3), action: "a", learned };
const open: LogEvent = { type: "intended", at: time(3), run: "r", action: "a", intent: { ...replaced, before: found } };

const gone = (is: OutsideChange["is"], person = "ed", name = "Red"): LogEvent => {
  const { key: _, ...known } = change(is, person, "", []);
  return saw(2, `of ${person}`, { ...known, team: is.startsWith("user-") ? undefined : name });
};

function shows(minute: number, prefix: string, person: string, role: string): LogEvent {
  const address = addressOf(person);
  const keys = [{ prefix, address, roles: roleSet([role]) }];
  return { type: "access-seen", at: time(minute), service, users: [], members: [{ team, address, prefix }], keys };
}

function read(roles: readonly string[], provisional?: true): LogEvent {
  return { type: "key-read", at: time(4), prefix: "k-bo", roles: roleSet(roles), provisional };
}

const ofTeam = { kind: "add-members", team, name: "Red", account: "acc-1", identifier: "t-1" } as const;
const ed = { address: addressOf("ed"), outcome: { added: true } } as const;
const added: readonly LogEvent[] = [
  { type: "intended", at: time(2), run: "r", action: "m", intent: { ...ofTeam, addresses: [ed.address] } },
  { type: "succeeded", at: time(2), action: "m", learned: { kind: "add-members", team, members: [ed] } },
];

test.each<[string, readonly LogEvent[], readonly string[], readonly string[]]>([
  ["reads", [], [], []],
  [
    "a change by others, from the read that saw it",
    [escalated],
    ["bo Red k-bo USER"],
    ["bo Red k-bo ADMIN! added 02 02", "bo Red k-bo USER removed 02 01"],
  ],
  ["a change by others that was repaired, and is not closed yet", [escalated, open, done], [], []],
  ["a change by others that ended", [escalated, ended(4, "k-bo")], [], []],
  ["what an open call found on a key", [open], ["bo Red k-bo USER"], ["bo Red k-bo ADMIN!", "bo Red k-bo AUDITOR"]],
  [
    "a change by others that an open call found",
    [escalated, open],
    ["bo Red k-bo USER"],
    ["bo Red k-bo ADMIN! added 02 03", "bo Red k-bo AUDITOR"],
  ],
  ["a service that started anew", [open, { type: "epoch-started", at: time(4), service }], seenRoles, []],
  [
    "a key outside the roster",
    [saw(2, "k-x", change("privileged-roles-found", "root", "k-x", ["ADMIN"]))],
    [],
    ["root Red k-x ADMIN! added 02 02", "root Red k-x - roles"],
  ],
  [
    "a role that the roster no longer gives",
    [saw(2, "k-bo", change("privileged-roles-left", "bo", "k-bo", ["USER"]))],
    [],
    [],
  ],
  [
    "a role that stays while another comes, from the day on which it was first seen",
    [escalated, ended(3, "k-bo"), saw(3, "k-bo2", change("roles-changed", "bo", "k-bo", ["ADMIN", "OWNER"], ["USER"]))],
    ["bo Red k-bo USER"],
    ["bo Red k-bo ADMIN! added 02 03", "bo Red k-bo OWNER added 03 03", "bo Red k-bo USER removed 03 01"],
  ],
  ["a removal that is over", [removed, ended(3, "k-cy")], ["cy Red k-cy USER"], ["cy Red k-cy - roles"]],
  ["a key that is back", [removed, ended(3, "k-cy"), shows(4, "k-cy", "cy", "USER")], [], []],
  [
    "a key that is back with another role",
    [removed, ended(3, "k-cy"), saw(3, "k-cy2", change("roles-changed", "cy", "k-cy", ["ADMIN"]))],
    [],
    ["cy Red k-cy ADMIN! added 03 03"],
  ],
  [
    "a member with another key",
    [removed, ended(3, "k-cy"), shows(4, "k-cy2", "cy", "ADMIN")],
    ["cy Red k-cy USER"],
    ["cy Red k-cy2 ADMIN!"],
  ],
  [
    "a user whom others removed, once that is over",
    [gone("user-removed", "bo"), ended(3, "of bo")],
    ["bo Red k-bo USER"],
    ["bo Red k-bo - roles"],
  ],
  ["an address that another user has now", [gone("user-replaced", "bo")], ["bo Red k-bo USER"], ["bo - - - keys"]],
  [
    "a member without a key whom others removed",
    [...added, gone("member-removed", "ed", "red")],
    ["ed - - - keys"],
    ["ed Red - - roles removed 02 02"],
  ],
  [
    "a member without a key whom others removed from another team",
    [...added, gone("member-removed", "ed", "Blue")],
    ["ed - - - keys"],
    ["ed Red - - roles"],
  ],
  ["a member whom others added", [gone("member-added")], ["ed - - - keys"], ["ed Red - - roles added 02 02"]],
  ["roles that were read too soon after a call", [open, done, read(["ADMIN"], true)], [], []],
  ["roles that were read after a call", [open, done, read(["AUDITOR"])], ["bo Red k-bo USER"], ["bo Red k-bo AUDITOR"]],
  [
    "a user with a key, who is gone",
    [{ type: "people-gone", at: time(2), people: [addressOf("bo")] }],
    ["bo Red k-bo USER"],
    [],
  ],
  ["a removed key", [removed], ["cy Red k-cy USER"], ["cy Red k-cy USER removed 02 01"]],
  ["a user who is gone", [{ type: "people-gone", at: time(2), people: [addressOf("ed")] }], ["ed - - - keys"], []],
])("what the log knew: %s", async (_, events, less, more) => {
  expect(await shownOf(events)).toEqual([...seenRoles.filter((row) => !less.includes(row)), ...more].sort());
});

test("of several keys without a team none is known to be the own one", async () => {
  const keys = ["k-1", "k-2"].map((prefix) => ({ prefix, address: addressOf("ed"), roles: roleSet(["USER"]) }));
  const { columns } = await mapOf([{ type: "access-seen", at: time(2), service, users: [], members: [], keys }]);
  expect(columns.map(({ of, name }) => `${of}: ${name}`)).toEqual(["other-keys: other keys", "team: Red"]);
});

async function shownOf(events: readonly LogEvent[]): Promise<readonly string[]> {
  const { rows } = await mapOf(events);
  const shown = rows.map(({ person = "", team: name = "-", prefix = "-", role = "-", privileged, ...row }) => {
    const held = `${person.replace(/@.*/u, "")} ${name} ${prefix} ${role}${privileged ? "!" : ""}`;
    const { not_shown, outside, first_seen, last_seen } = row;
    const seen = outside === undefined ? "" : ` ${outside} ${first_seen?.slice(14, 16)} ${last_seen?.slice(14, 16)}`;
    return `${held}${not_shown === undefined ? "" : ` ${not_shown}`}${seen}`;
  });
  return shown.sort();
}

async function* logged(events: readonly LogEvent[]) {
  yield { events: events.map((event) => ({ event })) };
}

async function mapOf(events: readonly LogEvent[]) {
  const state = applyEvents(emptyState("lineage-1"), [...begun, ...events]);
  const recorded = { state, head: { position: 9, hash: "h" }, from: time(0), to: time(59), pruned: undefined };
  return mapRecordedAccess(
    recorded,
    { asOf: time(30), ended: await endedChanges(logged([...begun, ...events])) },
    roleSet(["ADMIN"]),
  );
}
