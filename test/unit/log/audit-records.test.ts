import { expect, test } from "vitest";
import type { PlacedRecord } from "../../../src/log/audit.ts";
import { auditRecords } from "../../../src/log/audit-records.ts";
import type { EventOf, LogEvent } from "../../../src/model/event.ts";
import type { Intent } from "../../../src/model/recorded.ts";
import { roleSet } from "../../../src/model/role-set.ts";
import {
  added,
  addedTo,
  additionIntent,
  created,
  creationIntent,
  intended,
  noon,
  notAdded,
  rolesIntent,
  runStarted,
  science,
  succeeded,
} from "../../support/event-builders.ts";
import { addressOf } from "../../support/roster-builders.ts";

const [ada, bo, cy] = [addressOf("ada"), addressOf("bo"), addressOf("cy")];
const failure = { code: "refused", message: "the service refused it" } as const;
const other = { code: "refused", message: "not this user" } as const;
const team = { name: "Science", account: "acc-1", identifier: "t-1" };
const common = { kind: "call", at: noon, run: "r1", announcedAt: noon };

const roles: Intent = {
  kind: "replace-roles",
  prefix: "k-1",
  roles: roleSet(["DEVELOPER"]),
  owner: ada,
  team: science,
  name: "Science",
  before: roleSet(["ACCOUNT_ADMIN"]),
};

const creation = { ...common, action: "c", call: "create-user", person: ada };
const addition = { ...common, action: "m", call: "add-member", team };
const replacement = { ...common, action: "p", call: "replace-roles", person: ada, prefix: "k-1" };

const runs: Readonly<Record<string, readonly [events: readonly LogEvent[], records: readonly object[]]>> = {
  "a team that was created, with the identifier that the answer shows": [
    [
      runStarted("r1"),
      intended("r1", "c", creationIntent("ada", "Science")),
      succeeded("c", created("ada", { prefix: "k-1", team: science, teamIdentifier: "t-1" })),
      intended("r1", "p", roles),
      succeeded("p", { kind: "replace-roles", prefix: "k-1" }),
    ],
    [
      { kind: "plan", at: noon, run: "r1", plan: "plan-1" },
      { ...creation, team, outcome: "done", prefix: "k-1", rolesAfter: ["TEAM_ROLE"] },
      { ...replacement, team, outcome: "done", rolesBefore: ["ACCOUNT_ADMIN"], rolesAfter: ["DEVELOPER"] },
    ],
  ],
  "a plan that is started": [[runStarted("r1")], [{ kind: "plan", at: noon, run: "r1", plan: "plan-1" }]],
  "what was allowed of a plan, with whom it is about and what it covers": [
    [
      {
        type: "allowances-used",
        at: noon,
        allowances: [
          {
            code: "unproven-absence:science/ada@acme.example#0123456789ab",
            covers: [`member ${ada} of team acc-1/science`, "no read"],
          },
          { code: "max-new-users#0123456789ab", covers: ["service https://one.example", "create ada", "create bo"] },
        ],
      },
    ],
    [
      {
        kind: "allowance-used",
        at: noon,
        run: "r1",
        code: "unproven-absence:science/ada@acme.example#0123456789ab",
        covers: [`member ${ada} of team acc-1/science`, "no read"],
        person: ada,
        team: { name: "acc-1/science" },
      },
      {
        kind: "allowance-used",
        at: noon,
        run: "r1",
        code: "max-new-users#0123456789ab",
        covers: ["service https://one.example", "create ada", "create bo"],
      },
    ],
  ],
  "a created user, with the key that came": [
    [
      intended("r1", "c", creationIntent("ada")),
      succeeded("c", created("ada", { prefix: "k-1", roles: roleSet(["USER"]) })),
    ],
    [{ ...creation, outcome: "done", prefix: "k-1", rolesAfter: ["USER"] }],
  ],
  "whose each call is, of an addition for each person": [
    [
      intended("r1", "c", { ...creationIntent("ada"), ownership: { owner: "hr", note: "new" } } as Intent),
      succeeded("c", created("ada")),
      intended("r1", "m", {
        ...additionIntent("ada", "bo"),
        ownerships: [{ address: bo, ownership: { note: "JIRA-1" } }],
      } as Intent),
      succeeded("m", addedTo(added("ada"), added("bo"))),
      intended("r1", "p", { ...roles, ownership: { note: "JIRA-2" } }),
      { type: "failed", at: noon, action: "p", failure },
    ],
    [
      { ...creation, outcome: "done", ownership: { owner: "hr", note: "new" } },
      { ...addition, person: ada, outcome: "done" },
      { ...addition, person: bo, outcome: "done", ownership: { note: "JIRA-1" } },
      {
        ...replacement,
        team,
        rolesBefore: ["ACCOUNT_ADMIN"],
        outcome: "failed",
        why: failure.message,
        ownership: { note: "JIRA-2" },
      },
    ],
  ],
  "a user who was there before": [
    [intended("r1", "c", creationIntent("ada")), succeeded("c", created("ada", { was: "there-before" }))],
    [{ ...creation, outcome: "there-before" }],
  ],
  "a created team, with the roles that were sent where none are shown": [
    [intended("r1", "c", creationIntent("ada", "Ops")), succeeded("c", created("ada"))],
    [{ ...creation, outcome: "done", team: { name: "Ops", account: "acc-1" }, rolesAfter: ["TEAM_ROLE"] }],
  ],
  "each person of an addition by themselves": [
    [
      intended("r1", "m", additionIntent("ada", "bo")),
      succeeded("m", addedTo(added("ada", "k-2"), notAdded("bo", failure))),
    ],
    [
      { ...addition, person: ada, outcome: "done", prefix: "k-2" },
      { ...addition, person: bo, outcome: "failed", why: failure.message },
    ],
  ],
  "one person who was refused, and the rest after them": [
    [
      intended("r1", "m", additionIntent("cy")),
      { type: "member-refused", at: noon, action: "m", address: cy, failure },
      intended("r1", "m", additionIntent("ada")),
      succeeded("m", addedTo(added("ada"))),
    ],
    [
      { ...addition, person: cy, outcome: "failed", why: failure.message },
      { ...addition, person: ada, outcome: "done" },
    ],
  ],
  "each person of a call that refused them all": [
    [
      intended("r1", "m", additionIntent("ada", "bo")),
      { type: "member-refused", at: noon, action: "m", address: ada, failure },
      { type: "member-refused", at: noon, action: "m", address: bo, failure: other },
      { type: "failed", at: noon, action: "m", failure },
    ],
    [
      { ...addition, person: ada, outcome: "failed", why: failure.message },
      { ...addition, person: bo, outcome: "failed", why: other.message },
    ],
  ],
  "each person once of a refused call that was sent again person by person, also who was not sent again": [
    [
      intended("r1", "m", additionIntent("ada", "bo", "cy")),
      intended("r1", "m", additionIntent("ada")),
      { type: "member-refused", at: noon, action: "m", address: ada, failure },
      intended("r1", "m", additionIntent("bo")),
      { type: "resolved", at: noon, run: "r1", action: "m", as: { done: true, learned: addedTo(added("bo", "k-2")) } },
      succeeded("m", addedTo(notAdded("ada", failure), added("bo", "k-2"), notAdded("cy", other))),
    ],
    [
      { ...addition, person: ada, outcome: "failed", why: failure.message },
      { ...addition, person: bo, outcome: "done", prefix: "k-2" },
      { ...addition, person: cy, outcome: "failed", why: other.message },
    ],
  ],
  "no addition of a person who was a member already, but the key that a read showed": [
    [
      intended("r1", "m", additionIntent("ada")),
      succeeded("m", addedTo(added("ada", "k-1"), added("bo", "k-2"), added("cy"))),
    ],
    [
      { ...addition, person: ada, outcome: "done", prefix: "k-1" },
      { kind: "key-learned", at: noon, run: "r1", person: bo, prefix: "k-2", team },
    ],
  ],
  "a call that was resolved twice, and each person once": [
    [
      intended("r1", "m", additionIntent("ada", "bo")),
      {
        type: "resolved",
        at: noon,
        run: "r1",
        action: "m",
        as: { done: true, learned: addedTo(added("ada")) },
        except: [bo],
      },
      { type: "resolved", at: noon, run: "r1", action: "m", as: { done: false } },
    ],
    [
      { ...addition, person: ada, outcome: "done" },
      { ...addition, person: bo, outcome: "failed" },
    ],
  ],
  "the roles of a key, before and after": [
    [
      intended("r1", "p", roles),
      succeeded("p", { kind: "replace-roles", prefix: "k-1", roles: roleSet(["DEVELOPER"]) }),
    ],
    [
      {
        ...replacement,
        team: { name: "Science" },
        outcome: "done",
        rolesBefore: ["ACCOUNT_ADMIN"],
        rolesAfter: ["DEVELOPER"],
      },
    ],
  ],
  "a failure, and nothing that was sent": [
    [intended("r1", "p", roles), { type: "failed", at: noon, action: "p", failure }],
    [
      {
        ...replacement,
        team: { name: "Science" },
        outcome: "failed",
        rolesBefore: ["ACCOUNT_ADMIN"],
        why: failure.message,
      },
    ],
  ],
  "a call of an unknown outcome, and then what a read has shown of it": [
    [
      intended("r1", "c", creationIntent("ada")),
      { type: "unknown-outcome", at: noon, action: "c", failure },
      {
        type: "resolved",
        at: noon,
        run: "r1",
        action: "c",
        as: { done: true, learned: created("ada", { prefix: "k-1" }) },
      },
    ],
    [
      { ...creation, outcome: "unknown", why: failure.message },
      { ...creation, outcome: "done", prefix: "k-1" },
    ],
  ],
  "that nobody knows if roles were replaced that reads do not show": [
    [
      intended("r1", "k", rolesIntent("k-1", "DEVELOPER")),
      { type: "resolved", at: noon, run: "r1", action: "k", as: { done: false, unproven: true } },
    ],
    [{ ...common, action: "k", call: "replace-roles", prefix: "k-1", outcome: "unknown" }],
  ],
  "a call that an earlier run left open": [
    [{ type: "resolved", at: noon, run: "r0", action: "old", as: { done: false } }],
    [{ ...common, action: "old", call: "create-user", person: bo, outcome: "failed", announcedBy: "r0" }],
  ],
  "a call that was resolved but for some of its people": [
    [
      intended("r1", "m", additionIntent("ada", "bo")),
      { type: "resolved", at: noon, run: "r1", action: "m", as: { done: false }, except: [bo] },
      { type: "resolved", at: noon, run: "r1", action: "m", as: { done: true, learned: addedTo(added("bo")) } },
    ],
    [
      { ...addition, person: ada, outcome: "failed" },
      { ...addition, person: bo, outcome: "done" },
    ],
  ],
  "nothing of a call that was announced and not sent": [
    [intended("r1", "c", creationIntent("ada")), { type: "stale", at: noon, action: "c", why: "moved" }],
    [],
  ],
  "no prefix twice": [
    [
      intended("r1", "c", creationIntent("ada")),
      succeeded("c", created("ada", { prefix: "k-1" })),
      { type: "key-learned", at: noon, address: ada, prefix: "k-1" },
    ],
    [{ ...creation, outcome: "done", prefix: "k-1" }],
  ],
  "a prefix that a read has shown": [
    [{ type: "key-learned", at: noon, address: ada, team: science, prefix: "k-9" }],
    [{ kind: "key-learned", at: noon, run: "r1", person: ada, prefix: "k-9", team: { name: science } }],
  ],
};

function commandStarted(run: string, more: Partial<EventOf<"command-started">> = {}): LogEvent {
  return { type: "command-started", at: noon, run, command: "apply", ...more };
}

const ended: LogEvent = { type: "command-ended", at: noon, plan: "completed" };

function recordsOf(...events: readonly LogEvent[]): readonly PlacedRecord[] {
  return auditRecords({ events: events.map((event, index) => ({ position: index + 1, hash: "", event })) });
}

test.each(Object.entries(runs))("the records of a log have %s", (_, [events, expected]) => {
  const before = [commandStarted("r0"), intended("r0", "old", creationIntent("bo")), commandStarted("r1")];
  const records = recordsOf(...before, ...events);
  expect(records.slice(0, 2)).toEqual(
    ["r0", "r1"].map((run, index) => ({
      position: 1 + 2 * index,
      record: { kind: "run-started", at: noon, run, command: "apply" },
    })),
  );
  expect(records.slice(2).map(({ record }) => record)).toEqual(expected);
});

test("a run has what its command says of itself and how its plan ended, each record with its position", () => {
  const said: Partial<EventOf<"command-started">> = {
    actor: { name: "olga", source: "gitlab" },
    commit: "c0ffee",
    pipeline: "https://gitlab.example/-/jobs/7",
    changeRequest: "12",
    approvers: ["bo", "cy"],
    allowed: ["max-creates"],
    reason: { text: "new team", source: "flag" },
  };
  const log: readonly LogEvent[] = [
    { type: "log-started", at: noon, version: 3, lineage: "l" },
    commandStarted("r1", said),
    intended("r1", "m", additionIntent("ada", "bo")),
    succeeded("m", addedTo(added("ada"), added("bo"))),
    ended,
    { type: "checkpoint-taken", at: noon, head: { position: 4, hash: "" }, digest: "" },
    commandStarted("r2", { command: "state set-endpoint" }),
    { type: "endpoint-changed", at: noon, service: "https://new.example" },
    { ...ended, plan: "none" },
    commandStarted("r3", { command: "state copy" }),
    { type: "moved-to", at: noon, to: "s3://acme/log" },
  ];
  expect(recordsOf(...log)).toEqual([
    { position: 2, record: { kind: "run-started", at: noon, run: "r1", command: "apply", ...said } },
    { position: 4, record: { ...addition, person: ada, outcome: "done" } },
    { position: 4, record: { ...addition, person: bo, outcome: "done" } },
    { position: 5, record: { kind: "run-ended", at: noon, run: "r1", plan: "completed" } },
    { position: 7, record: { kind: "run-started", at: noon, run: "r2", command: "state set-endpoint" } },
    { position: 8, record: { kind: "endpoint-changed", at: noon, run: "r2", to: "https://new.example" } },
    { position: 9, record: { kind: "run-ended", at: noon, run: "r2", plan: "none" } },
    { position: 10, record: { kind: "run-started", at: noon, run: "r3", command: "state copy" } },
    { position: 11, record: { kind: "moved-to", at: noon, run: "r3", to: "s3://acme/log" } },
  ]);
});

test("a prefix that an earlier run learned is recorded once more where a later run learns it", () => {
  const learned: LogEvent = { type: "key-learned", at: noon, address: ada, prefix: "k-1" };
  const records = recordsOf(commandStarted("r1"), learned, learned, commandStarted("r2"), learned);
  expect(records.filter(({ record }) => record.kind === "key-learned").map(({ position }) => position)).toEqual([2, 5]);
});
