import { expect, test } from "vitest";
import { auditRecords, type PlacedRecord } from "../../../src/log/audit-records.ts";
import type { Intent } from "../../../src/model/call.ts";
import type { EventOf, LogEvent } from "../../../src/model/event.ts";
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
  memberRefused,
  noon,
  notAdded,
  refusedNo,
  resolved,
  rolesIntent,
  rolesSet,
  runStarted,
  science,
  succeeded,
  unknownOutcome,
} from "../../support/event-builders.ts";
import { addressOf } from "../../support/roster-builders.ts";

const [ada, bo, cy] = [addressOf("ada"), addressOf("bo"), addressOf("cy")];
const other = { code: "refused", message: "not this user" } as const;
const team = { name: "Science", account: "acc-1", identifier: "t-1" };
const common = { kind: "call", at: noon, run: "r1", announcedAt: noon };
const [createsAda, addsBoth] = [
  intended("r1", "c", creationIntent("ada")),
  intended("r1", "m", additionIntent("ada", "bo")),
];
const addsAda = intended("r1", "m", additionIntent("ada"));

const roles: Intent = {
  ...rolesIntent("k-1", "DEVELOPER"),
  owner: ada,
  team: science,
  name: "Science",
  before: roleSet(["ACCOUNT_ADMIN"]),
} as Intent;
const puts = intended("r1", "p", roles);

const [done, no] = [{ outcome: "done" }, { outcome: "failed", why: "no" }];
const creation = { ...common, action: "c", call: "create-user", person: ada };
const addition = { ...common, action: "m", call: "add-member", team };
const replacement = {
  ...common,
  action: "p",
  call: "replace-roles",
  person: ada,
  prefix: "k-1",
  rolesBefore: ["ACCOUNT_ADMIN"],
};
const developer = { ...replacement, team: { name: "Science" }, ...done, rolesAfter: ["DEVELOPER"] };
const plan = { kind: "plan", at: noon, run: "r1", plan: "plan-1" };
const forAda = {
  code: "unproven-absence:science/ada@acme.example#0123456789ab",
  covers: [`member ${ada} of team acc-1/science`, "no read"],
};
const forNew = {
  code: "max-new-users#0123456789ab",
  covers: ["service https://one.example", "create ada", "create bo"],
};
const used = { kind: "allowance-used", at: noon, run: "r1" };

const runs: Readonly<Record<string, readonly [events: readonly LogEvent[], records: readonly object[]]>> = {
  "a team that was created, with the identifier that the answer shows": [
    [
      runStarted("r1"),
      intended("r1", "c", creationIntent("ada", "Science")),
      succeeded("c", created("ada", { prefix: "k-1", team: science, teamIdentifier: "t-1" })),
      puts,
      succeeded("p", rolesSet("k-1")),
    ],
    [plan, { ...creation, team, ...done, prefix: "k-1", rolesAfter: ["TEAM_ROLE"] }, { ...developer, team }],
  ],
  "what was allowed of a plan, with whom it is about and what it covers": [
    [{ type: "allowances-used", at: noon, allowances: [forAda, forNew] }],
    [
      { ...used, ...forAda, person: ada, team: { name: "acc-1/science" } },
      { ...used, ...forNew },
    ],
  ],
  "a created user, with the key that came": [
    [createsAda, succeeded("c", created("ada", { prefix: "k-1", roles: roleSet(["USER"]) }))],
    [{ ...creation, ...done, prefix: "k-1", rolesAfter: ["USER"] }],
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
      intended("r1", "p", { ...roles, ownership: { note: "JIRA-2" } } as Intent),
      failed("p"),
    ],
    [
      { ...creation, ...done, ownership: { owner: "hr", note: "new" } },
      { ...addition, person: ada, ...done },
      { ...addition, person: bo, ...done, ownership: { note: "JIRA-1" } },
      { ...replacement, team, ...no, ownership: { note: "JIRA-2" } },
    ],
  ],
  "a user who was there before": [
    [createsAda, succeeded("c", created("ada", { was: "there-before" }))],
    [{ ...creation, outcome: "there-before" }],
  ],
  "each person once of a refused call that was sent again person by person, also who was not sent again": [
    [
      intended("r1", "m", additionIntent("ada", "bo", "cy")),
      addsAda,
      memberRefused("m", "ada"),
      intended("r1", "m", additionIntent("bo")),
      resolved("r1", "m", addedTo(added("bo", "k-2"))),
      succeeded("m", addedTo(notAdded("ada", refusedNo), added("bo", "k-2"), notAdded("cy", other))),
    ],
    [
      { ...addition, person: ada, ...no },
      { ...addition, person: bo, ...done, prefix: "k-2" },
      { ...addition, person: cy, ...no, why: other.message },
    ],
  ],
  "no addition of a person who was a member already, but the key that a read showed": [
    [addsAda, succeeded("m", addedTo(added("ada", "k-1"), added("bo", "k-2"), added("cy")))],
    [
      { ...addition, person: ada, ...done, prefix: "k-1" },
      { kind: "key-learned", at: noon, run: "r1", person: bo, prefix: "k-2", team },
    ],
  ],
  "a call that was resolved twice, and each person once": [
    [addsBoth, resolved("r1", "m", addedTo(added("ada")), { except: ["bo"] }), resolved("r1", "m", "not-done")],
    [
      { ...addition, person: ada, ...done },
      { ...addition, person: bo, outcome: "failed" },
    ],
  ],
  "a call that was resolved but for some of its people": [
    [addsBoth, resolved("r1", "m", "not-done", { except: ["bo"] }), resolved("r1", "m", addedTo(added("bo")))],
    [
      { ...addition, person: ada, outcome: "failed" },
      { ...addition, person: bo, ...done },
    ],
  ],
  "the roles of a key, before and after": [[puts, succeeded("p", rolesSet("k-1", "DEVELOPER"))], [developer]],
  "a failure, and nothing that was sent": [[puts, failed("p")], [{ ...replacement, team: { name: "Science" }, ...no }]],
  "a call of an unknown outcome, and then what a read has shown of it": [
    [createsAda, unknownOutcome("c"), resolved("r1", "c", created("ada", { prefix: "k-1" }))],
    [
      { ...creation, ...no, outcome: "unknown" },
      { ...creation, ...done, prefix: "k-1" },
    ],
  ],
  "that nobody knows if roles were replaced that reads do not show": [
    [intended("r1", "k", rolesIntent("k-1", "DEVELOPER")), resolved("r1", "k", "unproven")],
    [{ ...common, action: "k", call: "replace-roles", prefix: "k-1", outcome: "unknown" }],
  ],
  "a call that an earlier run left open": [
    [resolved("r0", "old", "not-done")],
    [{ ...common, action: "old", call: "create-user", person: bo, outcome: "failed", announcedBy: "r0" }],
  ],
  "a call that an earlier run left open, and that a read shows after another run has taken it for not done": [
    [resolved("r0", "old", "not-done"), commandStarted("r2"), resolved("r0", "old", created("bo", { prefix: "k-2" }))],
    [
      { ...common, action: "old", call: "create-user", person: bo, outcome: "failed", announcedBy: "r0" },
      { kind: "run-started", at: noon, run: "r2", command: "apply" },
      {
        ...common,
        run: "r2",
        action: "old",
        call: "create-user",
        person: bo,
        ...done,
        prefix: "k-2",
        announcedBy: "r0",
      },
    ],
  ],
  "nothing of a call that was announced and not sent": [
    [createsAda, { type: "stale", at: noon, action: "c", why: "moved" }],
    [],
  ],
  "no prefix twice": [
    [createsAda, succeeded("c", created("ada", { prefix: "k-1" })), keyLearned("ada", "k-1")],
    [{ ...creation, ...done, prefix: "k-1" }],
  ],
  "a prefix that a read has shown": [
    [keyLearned("ada", "k-9", science)],
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
  const started = ["r0", "r1"].map((run) => ({ kind: "run-started", at: noon, run, command: "apply" }));
  const records = recordsOf(...before, ...events);
  expect(records.slice(0, 2).map(({ position }) => position)).toEqual([1, 3]);
  expect(records.map(({ record }) => record)).toEqual([...started, ...expected]);
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
    addsBoth,
    succeeded("m", addedTo(added("ada"), added("bo"))),
    ended,
    { type: "checkpoint-taken", at: noon, head: { position: 4, hash: "" }, digest: "" },
    commandStarted("r2", { command: "state set-endpoint" }),
    { type: "endpoint-changed", at: noon, service: "https://new.example" },
    { ...ended, plan: "none" },
    commandStarted("r3", { command: "state copy" }),
    { type: "moved-to", at: noon, to: "s3://acme/log" },
  ];
  const record = (position: number, kind: string, run: string, more: object) => {
    return { position, record: { kind, at: noon, run, ...more } };
  };
  expect(recordsOf(...log)).toEqual([
    record(2, "run-started", "r1", { command: "apply", ...said }),
    { position: 4, record: { ...addition, person: ada, ...done } },
    { position: 4, record: { ...addition, person: bo, ...done } },
    record(5, "run-ended", "r1", { plan: "completed" }),
    record(7, "run-started", "r2", { command: "state set-endpoint" }),
    record(8, "endpoint-changed", "r2", { to: "https://new.example" }),
    record(9, "run-ended", "r2", { plan: "none" }),
    record(10, "run-started", "r3", { command: "state copy" }),
    record(11, "moved-to", "r3", { to: "s3://acme/log" }),
  ]);
});

test("a prefix that an earlier run learned is recorded once more where a later run learns it", () => {
  const learned = keyLearned("ada", "k-1");
  const records = recordsOf(commandStarted("r1"), learned, learned, commandStarted("r2"), learned);
  expect(records.filter(({ record }) => record.kind === "key-learned").map(({ position }) => position)).toEqual([2, 5]);
});
