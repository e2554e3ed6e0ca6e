import { expect, test } from "vitest";
import { applyEvents } from "../../../../src/log/fold.ts";
import type { LogEvent } from "../../../../src/model/event.ts";
import type { EndedChange, OutsideChange } from "../../../../src/model/finding.ts";
import { emptyState } from "../../../../src/model/state.ts";
import { teamKeyOf } from "../../../../src/model/team.ts";
import { roleSet } from "../../../../src/model/values.ts";
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
  ["a removed key", [removed], ["cy Red k-cy USER"], ["cy Red k-cy USER removed 02 01"]],
  ["a user who is gone", [{ type: "people-gone", at: time(2), people: [addressOf("ed")] }], ["ed - - - keys"], []],
])("what the log knew: %s", (_, events, less, more) => {
  expect(shownOf(events)).toEqual([...seenRoles.filter((row) => !less.includes(row)), ...more].sort());
});

test("what others had removed is left out once that is over", () => {
  const over = { since: time(2), endedAt: time(3), how: "gone", run: "r", by: undefined } as const;
  const gone = change("key-removed", "cy", "k-cy", [], ["USER"]);
  const rows = shownOf([removed, ended(3, "k-cy")], [{ ...over, change: gone }]);
  expect(rows).toEqual([...seenRoles.filter((row) => !row.includes("k-cy")), "cy - - - keys"].sort());
});

function shownOf(events: readonly LogEvent[], over: readonly EndedChange[] = []): readonly string[] {
  const state = applyEvents(emptyState("lineage-1"), [...begun, ...events]);
  const recorded = { state, head: { position: 9, hash: "h" }, from: time(0), to: time(59), pruned: undefined };
  const { rows } = mapRecordedAccess(recorded, { asOf: time(30), ended: over }, roleSet(["ADMIN"]));
  const shown = rows.map(({ person = "", team: name = "-", prefix = "-", role = "-", privileged, ...row }) => {
    const held = `${person.replace(/@.*/u, "")} ${name} ${prefix} ${role}${privileged ? "!" : ""}`;
    const { not_shown, outside, first_seen, last_seen } = row;
    const seen = outside === undefined ? "" : ` ${outside} ${first_seen?.slice(14, 16)} ${last_seen?.slice(14, 16)}`;
    return `${held}${not_shown === undefined ? "" : ` ${not_shown}`}${seen}`;
  });
  return shown.sort();
}
