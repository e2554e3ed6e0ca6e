import { describe, expect, test } from "vitest";
import { applyEvents } from "../../../src/log/fold.ts";
import type { Intent } from "../../../src/model/call.ts";
import type { EventOf, LogEvent, RunEvent } from "../../../src/model/event.ts";
import type { State } from "../../../src/model/state.ts";
import { teamKeyOf } from "../../../src/model/team.ts";
import {
  added,
  addedTo,
  additionIntent,
  created,
  creationIntent,
  declined,
  failed,
  intended,
  keyLearned,
  keyRead,
  noon,
  notAdded,
  openIntent,
  refusedNo,
  resolved,
  rolesIntent,
  rolesSet,
  runStarted,
  science,
  shownExact,
  succeeded,
  unknownOutcome,
} from "../../support/event-builders.ts";
import { asking, taken } from "../../support/refusal-builders.ts";
import { addressOf, emailOf } from "../../support/roster-builders.ts";
import { remembering } from "../../support/state-builders.ts";

const holding = (parts: Parameters<typeof remembering>[0]): State => remembering(parts, noon);
const byService = (at: string) => ({ by: "service", at }) as const;

const [ada, bo, zoe] = [addressOf("ada"), addressOf("bo"), addressOf("zoe")];
const service = "https://simulated.example";
const empty = holding({});
const [later, afternoon] = ["later", "2026-11-20T15:00:00.000Z"];

const createsAda = intended("r1", "c", creationIntent("ada"));
const creation = [createsAda, succeeded("c", created("ada", { identifier: "u-1", prefix: "k-1" }))];
const profile = { sent: { firstName: "ada", lastName: "Test" }, answered: { firstName: "ada" } };
const recorded = { ada: { identifier: "u-1", createdAt: noon, key: "k-1", profile } };
const open = (run: string, action: string, intent: Intent, at?: string) => ({
  open: [openIntent(run, action, intent, at)],
});
const people = (...names: readonly string[]) =>
  names.map((name) => ({ address: addressOf(name), email: emailOf(name) }));
const applied = (digest: string, at: string, ...names: readonly string[]) => {
  const users = new Map(people(...names).map((user) => [user.address, user]));
  return { applied: { at, digest, people: users } };
};
const stale: RunEvent = { type: "stale", at: noon, action: "a", why: "moved" };
const observed = (identifier: string, at: string, teams: EventOf<"users-observed">["teams"] = []): RunEvent => {
  return {
    type: "users-observed",
    service,
    at,
    people: [{ address: ada, email: emailOf("ada"), account: "acc-1", identifier }],
    teams,
  };
};
const files = Array.from({ length: 120 }, (_, index) => ({ file: `f-${index}`, at: noon }));

const foldings: Readonly<
  Record<string, { readonly before?: State; readonly events: readonly RunEvent[]; readonly after: State }>
> = {
  "a run names the service": { events: [runStarted("r1")], after: holding({ service }) },
  "an apply names its sequence": {
    events: [{ type: "sequenced", at: noon, sequence: 7 }],
    after: holding({ sequence: 7 }),
  },
  "a lower sequence is no step back": {
    before: holding({ sequence: 7 }),
    events: [{ type: "sequenced", at: noon, sequence: 6 }],
    after: holding({ sequence: 7 }),
  },
  "a roster that is applied names its people": {
    events: [{ type: "roster-applied", at: noon, digest: "d-1", people: people("ada") }],
    after: holding(applied("d-1", noon, "ada")),
  },
  "the next roster takes the place of the last one": {
    before: holding(applied("d-1", noon, "ada")),
    events: [{ type: "roster-applied", at: later, digest: "d-2", people: [] }],
    after: holding(applied("d-2", later)),
  },
  "of very many plan files the last hundred are remembered": {
    events: files.map((begun) => ({ type: "plan-file-begun", ...begun })),
    after: holding({ planFiles: files.slice(20) }),
  },
  "an announced call is open": { events: [createsAda], after: holding(open("r1", "c", creationIntent("ada"))) },
  "an outcome that no server dated is not counted from the announcement": {
    events: [createsAda, unknownOutcome("c", { at: later })],
    after: holding({ open: [{ run: "r1", action: "c", at: later, intent: creationIntent("ada") }] }),
  },
  "a call that was taken for later stays open, and tells of the service that it queues calls": {
    events: [createsAda, unknownOutcome("c", { at: later, dated: byService(later), accepted: true })],
    after: holding({
      open: [{ ...openIntent("r1", "c", creationIntent("ada"), later), accepted: true }],
      queues: { at: later },
    }),
  },
  "a creation records the user with their key": { events: creation, after: holding({ users: recorded }) },
  "a creation of a team records the user, the team and the membership with the key": {
    events: [
      intended("r1", "c", creationIntent("ada", "Science")),
      succeeded("c", created("ada", { identifier: "u-1", prefix: "k-1", team: science, teamIdentifier: "t-1" })),
    ],
    after: holding({
      users: { ada: { ...recorded.ada, createdTeam: science } },
      teams: { Science: { firstMember: ada, identifier: "t-1" } },
      members: { "Science/ada": { how: "created", prefix: "k-1" } },
    }),
  },
  "an addition records those who were added and not those who were refused": {
    events: [
      intended("r1", "a", additionIntent("ada", "bo")),
      succeeded("a", addedTo(added("ada", "k-2"), notAdded("bo", refusedNo))),
    ],
    after: holding({ teams: { Science: { identifier: "t-1" } }, members: { "Science/ada": { prefix: "k-2" } } }),
  },
  "a replacement records what was asked for and what the answer showed": {
    events: [
      intended("r1", "p", rolesIntent("k-1", "DEVELOPER")),
      succeeded("p", rolesSet("k-1", "DEVELOPER", "TEAM_ROLE")),
    ],
    after: holding({ keys: { "k-1": { setRoles: ["DEVELOPER"], observedRoles: ["DEVELOPER", "TEAM_ROLE"] } } }),
  },
  "a replacement that nobody knows the outcome of leaves no record of what was asked for before": {
    before: holding({ keys: { "k-1": ["TEAM_ROLE"] }, ...open("r1", "p", rolesIntent("k-1", "DEVELOPER")) }),
    events: [resolved("r1", "p", "not-done")],
    after: empty,
  },
  "what a key read as is remembered beside what was asked for": {
    before: holding({ keys: { "k-1": [] } }),
    events: [keyRead("k-1", "TEAM_ROLE"), keyRead("k-2", "TEAM_ROLE")],
    after: holding({ keys: { "k-1": { setRoles: [], observedRoles: ["TEAM_ROLE"] } } }),
  },
  "a key that was shown as wanted is remembered as if it had been asked for": {
    events: [shownExact("p", "k-1", "DEVELOPER")],
    after: holding({ keys: { "k-1": { setRoles: ["DEVELOPER"], observedRoles: ["DEVELOPER"] } } }),
  },
  "a call that was resolved as not done is closed": {
    before: holding(open("r0", "c", creationIntent("ada"))),
    events: [resolved("r0", "c", "not-done")],
    after: empty,
  },
  "an outcome closes the intent of its own run, never one that an earlier run left open": {
    before: holding(open("r0", "a", additionIntent("ada"))),
    events: [stale, failed("a"), intended("r1", "a", additionIntent("bo")), failed("a")],
    after: holding(open("r0", "a", additionIntent("ada"))),
  },
  "the next run in the same journal closes nothing of the one before": {
    events: [runStarted("r1"), intended("r1", "a", additionIntent("ada")), runStarted("r2"), stale],
    after: holding({ service, ...open("r1", "a", additionIntent("ada")) }),
  },
  "a call that was announced before its turn may be on its way until the time that was said": {
    events: [{ ...intended("r1", "a", additionIntent("ada")), until: afternoon }],
    after: holding({ open: [{ ...openIntent("r1", "a", additionIntent("ada"), afternoon), dated: byService(noon) }] }),
  },
  "what was announced before its turn and not sent is not open": {
    events: [
      runStarted("r1"),
      intended("r1", "a", additionIntent("ada")),
      intended("r1", "b", rolesIntent("k-1", "DEVELOPER")),
      { type: "skipped", at: noon, action: "a", why: "the run was stopped" },
      { type: "unneeded", at: noon, action: "b", why: "the key was shown with exactly these roles" },
    ],
    after: holding({ service }),
  },
  "a learned own key completes its user": {
    before: holding({ users: { ada: {} } }),
    events: [keyLearned("ada", "k-9")],
    after: holding({ users: { ada: { key: "k-9" } } }),
  },
  "an addition that is answered for somebody whom it did not name records the key that is shown": {
    events: [succeeded("a", addedTo({ ...notAdded("ada", refusedNo), prefix: "k-9" }))],
    after: holding({ members: { "Science/ada": { how: "seen", prefix: "k-9" } } }),
  },
  "an identified team keeps what else is known of it": {
    before: holding({ teams: { Science: { firstMember: ada } } }),
    events: [
      { type: "team-identified", at: later, team: science, name: "Science", account: "acc-1", identifier: "t-1" },
    ],
    after: holding({ teams: { Science: { firstMember: ada, identifier: "t-1" } } }),
  },
  "people and teams who were met are known from then on": {
    events: [observed("u-1", noon, [{ team: science, name: "Science", account: "acc-1", identifier: "t-1" }])],
    after: holding({
      service,
      users: { ada: { identifier: "u-1", seenAt: noon } },
      teams: { Science: { identifier: "t-1" } },
    }),
  },
  "members and keys that a read showed are known from then on, and what a run did keeps its date": {
    before: holding({ users: { ada: { createdAt: noon } }, members: { "Science/ada": { prefix: "k-2" } } }),
    events: [
      {
        type: "access-seen",
        service,
        at: later,
        users: [ada],
        members: [
          { team: science, address: ada, prefix: "k-2" },
          { team: science, address: bo, prefix: "k-3" },
        ],
        keys: [{ prefix: "k-3", address: bo, roles: ["DEVELOPER"] }],
      },
    ],
    after: holding({
      service,
      users: { ada: { createdAt: noon, seenAt: later } },
      members: {
        "Science/ada": { prefix: "k-2", seenAt: later },
        "Science/bo": { how: "seen", at: later, prefix: "k-3" },
      },
      seenKeys: new Map([["k-3", { prefix: "k-3", address: bo, roles: ["DEVELOPER"], at: later }]]),
    }),
  },
  "a user who is created again is another one, though the service gives the same identifier once more": {
    before: holding({ users: recorded, members: { "Science/ada": { prefix: "k-2" } }, keys: { "k-2": ["DEVELOPER"] } }),
    events: [
      intended("r2", "c", creationIntent("ada"), afternoon),
      succeeded("c", created("ada", { identifier: "u-1", prefix: "k-9" }), afternoon),
    ],
    after: holding({ users: { ada: { ...recorded.ada, key: "k-9", createdAt: afternoon } } }),
  },
  "a user met again is still the one that we created": {
    before: holding({ users: recorded }),
    events: [observed("u-1", later)],
    after: holding({ service, users: { ada: { ...recorded.ada, seenAt: later } } }),
  },
  "where a person says that the service starts anew, calls of unknown outcome alone are kept": {
    before: holding({
      users: recorded,
      teams: { Science: {} },
      members: { "Science/ada": { prefix: "k-2" } },
      keys: { "k-1": ["DEVELOPER"] },
      seenKeys: new Map([["k-3", { prefix: "k-3", address: ada, roles: ["DEVELOPER"], at: noon }]]),
      open: [
        openIntent("r1", "d", creationIntent("bo", "Data")),
        openIntent("r1", "e", additionIntent("ada")),
        openIntent("r1", "f", rolesIntent("k-1", "DEVELOPER")),
      ],
    }),
    events: [{ type: "epoch-started", at: afternoon, service }],
    after: holding({
      open: [
        openIntent("r1", "d", creationIntent("bo", "Data")),
        { ...openIntent("r1", "e", additionIntent("ada")), former: true },
        openIntent("r1", "f", rolesIntent("k-1", "DEVELOPER")),
      ],
      service,
      epoch: afternoon,
    }),
  },
  "an addition of before that was done does not tell the identifier of its team": {
    before: holding({
      teams: { Science: { identifier: "t-2" } },
      open: [{ ...openIntent("r1", "e", additionIntent("ada")), former: true }],
    }),
    events: [resolved("r1", "e", addedTo(added("ada", "k-2")))],
    after: holding({
      teams: { Science: { identifier: "t-2" } },
      members: { "Science/ada": { how: "added", prefix: "k-2" } },
    }),
  },
};

describe("the state that events add up to", () => {
  test.each(Object.entries(foldings))("%s", (_, { before = empty, events, after }) => {
    expect({ ...applyEvents(before, events), access: empty.access }).toEqual(after);
  });

  describe("of a creation with a team that no read showed", () => {
    const presumed = applyEvents(empty, [
      intended("r1", "c", creationIntent("ada", "Science")),
      resolved("r1", "c", "not-done"),
    ]);
    const call = openIntent("r1", "c", creationIntent("ada", "Science"));

    test("remembers the call", () => {
      expect(presumed).toEqual(holding({ presumedUndone: [call] }));
    });

    test("counts user and team as created once the call turns out to be done", () => {
      const done = resolved("r1", "c", created("ada", { identifier: "u-1" }), { at: afternoon });
      const { presumedUndone, users, teams } = applyEvents(presumed, [done]);
      const [createdTeam, firstMember] = [users.get(ada)?.createdTeam, teams.get(science)?.firstMember];
      expect([presumedUndone, createdTeam, firstMember]).toEqual([undefined, science, ada]);
    });

    test.each([
      ["user is created anew", creationIntent("ada"), "ada"],
      ["team is created with another user", creationIntent("bo", "Science"), "bo"],
    ])("forgets the call once the %s", (_, intent, name) => {
      const after = applyEvents(presumed, [intended("r2", "d", intent), succeeded("d", created(name))]);
      expect(after.presumedUndone).toBeUndefined();
    });

    test("keeps it under the address of today", () => {
      const moved = [{ from: ada, to: zoe, email: emailOf("zoe") }];
      const after = applyEvents(presumed, [{ type: "records-moved", at: noon, people: moved, teams: [] }]);
      expect(after.presumedUndone?.[0]?.intent).toMatchObject({ address: zoe, email: emailOf("zoe") });
    });
  });

  test("the state it starts from stays as it is", () => {
    applyEvents(empty, creation);
    expect(empty).toEqual(holding({}));
  });

  test.each<[string, readonly RunEvent[]]>([
    ["met at a recorded address", [observed("u-2", noon)]],
    [
      "who is created again",
      [intended("r2", "c", creationIntent("ada")), succeeded("c", created("ada", { identifier: "u-9" }))],
    ],
  ])("another user %s inherits no record, membership or key", (_, events) => {
    const held = holding({
      members: { "Science/ada": { prefix: "k-2" }, "Science/bo": { prefix: "k-3" } },
      keys: { "k-1": [], "k-2": [], "k-3": [] },
    });
    const before = { ...held, users: holding({ users: recorded }).users, access: applyEvents(empty, creation).access };
    const { users, memberships, keys } = applyEvents(before, events);
    const left = holding({ members: { "Science/bo": { prefix: "k-3" } }, keys: { "k-3": [] } });
    expect([memberships, keys]).toEqual([left.memberships, left.keys]);
    const met = { address: ada, email: emailOf("ada"), account: "acc-1", identifier: "u-2", seenAt: noon };
    // Only when roles were last set is known of the one who was met.
    if (events.length === 1) expect(users.get(ada)).toEqual({ ...met, formerRolesAt: noon });
  });

  test("events folded at once or one after the other come to the same, run by run", () => {
    const team = teamKeyOf("acc-1", "Ops");
    const first = [runStarted("r1"), ...creation];
    const second: RunEvent[] = [
      runStarted("r2"),
      { type: "team-identified", at: noon, team, name: "Ops", account: "acc-1", identifier: "t-7" },
    ];
    expect(applyEvents(applyEvents(empty, first), second)).toEqual(applyEvents(empty, [...first, ...second]));
  });

  test("a call that a later command finds refused is remembered without the plan of the former run", () => {
    const refused = asking(creationIntent("ada"));
    const first = [runStarted("r1"), intended("r1", "c", refused), declined("c", taken)];
    const second: LogEvent[] = [
      { type: "command-started", at: noon, run: "r2", command: "apply" },
      resolved("r1", "c", "not-done"),
    ];
    const state = applyEvents(applyEvents(empty, first), second);
    expect([...state.refusals.values()].map(({ plan }) => plan)).toEqual([undefined]);
    expect(applyEvents(empty, [...first, ...second])).toEqual(state);
  });

  test("tens of thousands of events are one fold, not one copy each", () => {
    const events = Array.from({ length: 20_000 }, (_, index) => [
      intended("r1", `c${index}`, creationIntent(`p${index}`)),
      succeeded(`c${index}`, created(`p${index}`)),
    ]).flat();
    expect(applyEvents(empty, events).users.size).toBe(20_000);
  });
});

describe("what runs saw to differ", () => {
  const [missing, privilege] = [
    { fingerprint: "f1", code: "user-missing", subject: "user ada@acme.example" },
    { fingerprint: "f2", code: "unmanaged-privilege", subject: "key k" },
  ];
  const seen = (at: string, found: EventOf<"findings-seen">["seen"], gone: readonly string[] = []): RunEvent => {
    return { type: "findings-seen", at, service, seen: found, gone };
  };

  test("is remembered with the first time, whatever is seen again, until it is gone", () => {
    const twice = applyEvents(empty, [seen(noon, [missing]), seen(later, [missing, privilege])]);
    const both = [
      ["f1", { ...missing, since: noon }],
      ["f2", { ...privilege, since: later }],
    ] as const;
    expect(twice).toEqual(holding({ service, openFindings: new Map(both) }));
    const after = applyEvents(twice, [seen(later, [], ["f1"])]);
    expect(after.openFindings).toEqual(new Map(both.slice(1)));
  });

  test("that came back after it was gone is new again", () => {
    const events = [seen(noon, [missing]), seen(noon, [], ["f1"]), seen(later, [missing])];
    expect(applyEvents(empty, events).openFindings?.get("f1")?.since).toBe(later);
  });

  test("leaves nothing behind once all of it is gone", () => {
    expect(applyEvents(empty, [seen(noon, [missing]), seen(later, [], ["f1"])]).openFindings).toBeUndefined();
  });

  test("is bounded: of ten thousand and one, the first ten thousand", () => {
    const many = Array.from({ length: 10_001 }, (_, n) => ({ ...missing, fingerprint: `f${n}` }));
    const { openFindings } = applyEvents(empty, [seen(noon, many)]);
    expect([openFindings?.size, openFindings?.has("f9999"), openFindings?.has("f10000")]).toEqual([
      10_000,
      true,
      false,
    ]);
  });
});
