import { describe, expect, test } from "vitest";
import { applyEvents } from "../../../src/log/fold.ts";
import type { EventOf, RunEvent } from "../../../src/model/event.ts";
import { membershipKeyOf } from "../../../src/model/membership.ts";
import { emptyState, type State } from "../../../src/model/state.ts";
import { teamKeyOf } from "../../../src/model/team.ts";
import {
  added,
  addedTo,
  additionIntent,
  created,
  creationIntent,
  intended,
  noon,
  notAdded,
  openIntent,
  rolesIntent,
  runStarted,
  science,
  succeeded,
} from "../../support/event-builders.ts";
import { addressOf, emailOf } from "../../support/roster-builders.ts";

const byService = (at: string) => ({ by: "service", at }) as const;

const [ada, bo] = [addressOf("ada"), addressOf("bo")];
const service = "https://simulated.example";
const empty = emptyState("lineage-1");
const failure = { code: "refused", message: "no" } as const;

const creation = [
  intended("r1", "c", creationIntent("ada")),
  succeeded("c", created("ada", { identifier: "u-1", prefix: "k-1" })),
];
const recordedAda = {
  address: ada,
  email: emailOf("ada"),
  account: "acc-1",
  identifier: "u-1",
  createdAt: noon,
  key: "k-1",
  profile: { sent: { firstName: "ada", lastName: "Test" }, answered: { firstName: "ada" } },
};

const afternoon = "2026-11-20T15:00:00.000Z";

function manyFiles(count: number): readonly EventOf<"plan-file-begun">[] {
  return Array.from({ length: count }, (_, index) => ({ type: "plan-file-begun", at: noon, file: `f-${index}` }));
}

interface Folding {
  readonly before?: State;
  readonly events: readonly RunEvent[];
  readonly adds: Partial<State>;
}

const member = membershipKeyOf(science, ada);
const scienceTeam = { team: science, name: "Science", account: "acc-1", at: noon };

const foldings: Readonly<Record<string, Folding>> = {
  "a run names the service": { events: [runStarted("r1")], adds: { service: "https://simulated.example" } },
  "an apply names its sequence": { events: [{ type: "sequenced", at: noon, sequence: 7 }], adds: { sequence: 7 } },
  "a roster that is applied names its people": {
    events: [{ type: "roster-applied", at: noon, digest: "d-1", people: [{ address: ada, email: emailOf("ada") }] }],
    adds: { applied: { at: noon, digest: "d-1", people: new Map([[ada, { address: ada, email: emailOf("ada") }]]) } },
  },
  "the next roster takes the place of the last one": {
    before: {
      ...empty,
      applied: { at: noon, digest: "d-1", people: new Map([[ada, { address: ada, email: emailOf("ada") }]]) },
    },
    events: [{ type: "roster-applied", at: "later", digest: "d-2", people: [] }],
    adds: { applied: { at: "later", digest: "d-2", people: new Map() } },
  },
  "a lower sequence is no step back": {
    before: { ...empty, sequence: 7 },
    events: [{ type: "sequenced", at: noon, sequence: 6 }],
    adds: { sequence: 7 },
  },
  "a plan file is begun": {
    events: [{ type: "plan-file-begun", at: noon, file: "f-1" }],
    adds: { planFiles: [{ file: "f-1", at: noon }] },
  },
  "of very many plan files the last hundred are remembered": {
    events: manyFiles(120),
    adds: {
      planFiles: manyFiles(120)
        .slice(20)
        .map(({ file, at }) => ({ file, at })),
    },
  },
  "an announced call is open": {
    events: [intended("r1", "c", creationIntent("ada"))],
    adds: { open: [openIntent("r1", "c", creationIntent("ada"))] },
  },
  "an unknown outcome leaves it open, and counts from when the answer was given up": {
    events: [
      intended("r1", "c", creationIntent("ada")),
      {
        type: "unknown-outcome",
        at: "later",
        dated: byService("later"),
        action: "c",
        failure: { code: "unreachable", message: "lost" },
      },
    ],
    adds: { open: [openIntent("r1", "c", creationIntent("ada"), "later")] },
  },
  "an outcome that no server dated is not counted from the announcement": {
    events: [
      intended("r1", "c", creationIntent("ada")),
      { type: "unknown-outcome", at: "later", action: "c", failure: { code: "unreachable", message: "lost" } },
    ],
    adds: { open: [{ run: "r1", action: "c", at: "later", intent: creationIntent("ada") }] },
  },
  "a call that was taken for later stays open, and tells of the service that it queues calls": {
    events: [
      intended("r1", "c", creationIntent("ada")),
      {
        type: "unknown-outcome",
        at: "later",
        dated: byService("later"),
        action: "c",
        failure: { code: "unreachable", message: "queued" },
        accepted: true,
      },
    ],
    adds: {
      open: [{ ...openIntent("r1", "c", creationIntent("ada"), "later"), accepted: true }],
      queues: { at: "later" },
    },
  },
  "a call that is announced again counts from then on": {
    events: [intended("r1", "c", creationIntent("ada")), intended("r1", "c", creationIntent("ada"), "later")],
    adds: { open: [openIntent("r1", "c", creationIntent("ada"), "later")] },
  },
  "a failure closes it and records nothing that may pass": {
    events: [
      intended("r1", "c", creationIntent("ada")),
      { type: "failed", at: noon, action: "c", failure: { code: "forbidden", message: "no" } },
    ],
    adds: {},
  },
  "a creation records the user with their key": { events: creation, adds: { users: new Map([[ada, recordedAda]]) } },
  "a creation of a team records the user, the team and the membership with the key": {
    events: [
      intended("r1", "c", creationIntent("ada", "Science")),
      succeeded("c", created("ada", { identifier: "u-1", prefix: "k-1", team: science, teamIdentifier: "t-1" })),
    ],
    adds: {
      users: new Map([[ada, { ...recordedAda, createdTeam: science }]]),
      teams: new Map([[science, { ...scienceTeam, firstMember: ada, identifier: "t-1" }]]),
      memberships: new Map([[member, { team: science, address: ada, how: "created", at: noon, prefix: "k-1" }]]),
    },
  },
  "an addition records those who were added and not those who were refused": {
    events: [
      intended("r1", "a", additionIntent("ada", "bo")),
      succeeded("a", addedTo(added("ada", "k-2"), notAdded("bo", failure))),
    ],
    adds: {
      teams: new Map([[science, { ...scienceTeam, identifier: "t-1" }]]),
      memberships: new Map([[member, { team: science, address: ada, how: "added", at: noon, prefix: "k-2" }]]),
    },
  },
  "a replacement records what was asked for and what the answer showed": {
    events: [
      intended("r1", "p", rolesIntent("k-1", "DEVELOPER")),
      succeeded("p", { kind: "replace-roles", prefix: "k-1", roles: ["DEVELOPER", "TEAM_ROLE"] }),
    ],
    adds: {
      keys: new Map([
        ["k-1", { prefix: "k-1", setRoles: ["DEVELOPER"], at: noon, observedRoles: ["DEVELOPER", "TEAM_ROLE"] }],
      ]),
    },
  },
  "a replacement that nobody knows the outcome of leaves no record of what was asked for before": {
    before: {
      ...empty,
      keys: new Map([["k-1", { prefix: "k-1", setRoles: ["TEAM_ROLE"], at: noon }]]),
      open: [openIntent("r1", "p", rolesIntent("k-1", "DEVELOPER"))],
    },
    events: [{ type: "resolved", at: noon, run: "r1", action: "p", as: { done: false } }],
    adds: { keys: new Map(), open: [] },
  },
  "what a key read as is remembered beside what was asked for": {
    before: { ...empty, keys: new Map([["k-1", { prefix: "k-1", setRoles: [], at: noon }]]) },
    events: [
      { type: "key-read", at: noon, prefix: "k-1", roles: ["TEAM_ROLE"] },
      { type: "key-read", at: noon, prefix: "k-2", roles: ["TEAM_ROLE"] },
    ],
    adds: { keys: new Map([["k-1", { prefix: "k-1", setRoles: [], at: noon, observedRoles: ["TEAM_ROLE"] }]]) },
  },
  "a key that was shown as wanted is remembered as if it had been asked for": {
    events: [{ type: "unneeded", at: noon, action: "p", why: "exact", shown: { prefix: "k-1", roles: ["DEVELOPER"] } }],
    adds: {
      keys: new Map([["k-1", { prefix: "k-1", setRoles: ["DEVELOPER"], at: noon, observedRoles: ["DEVELOPER"] }]]),
    },
  },
  "an outcome that was resolved by reading records the same as an answer": {
    before: { ...empty, open: [openIntent("r0", "c", creationIntent("ada"))] },
    events: [
      {
        type: "resolved",
        at: noon,
        run: "r0",
        action: "c",
        as: { done: true, learned: created("ada", { identifier: "u-1", prefix: "k-1" }) },
      },
    ],
    adds: { users: new Map([[ada, recordedAda]]), open: [] },
  },
  "a call that was resolved as not done is closed": {
    before: { ...empty, open: [openIntent("r0", "c", creationIntent("ada"))] },
    events: [{ type: "resolved", at: noon, run: "r0", action: "c", as: { done: false } }],
    adds: { open: [] },
  },
  "an outcome closes the intent of its own run, never one that an earlier run left open": {
    before: { ...empty, open: [openIntent("r0", "a", additionIntent("ada"))] },
    events: [
      { type: "stale", at: noon, action: "a", why: "moved" },
      { type: "failed", at: noon, action: "a", failure },
      intended("r1", "a", additionIntent("bo")),
      { type: "failed", at: noon, action: "a", failure },
    ],
    adds: { open: [openIntent("r0", "a", additionIntent("ada"))] },
  },
  "the next run in the same journal closes nothing of the one before": {
    events: [
      runStarted("r1"),
      intended("r1", "a", additionIntent("ada")),
      runStarted("r2"),
      { type: "stale", at: noon, action: "a", why: "moved" },
    ],
    adds: { service: "https://simulated.example", open: [openIntent("r1", "a", additionIntent("ada"))] },
  },
  "a call that was announced before its turn may be on its way until the time that was said": {
    events: [{ ...intended("r1", "a", additionIntent("ada")), until: "2026-11-20T12:00:10.000Z" }],
    adds: {
      open: [{ ...openIntent("r1", "a", additionIntent("ada"), "2026-11-20T12:00:10.000Z"), dated: byService(noon) }],
    },
  },
  "what was announced before its turn and not sent is not open": {
    events: [
      runStarted("r1"),
      intended("r1", "a", additionIntent("ada")),
      intended("r1", "b", rolesIntent("k-1", "DEVELOPER")),
      { type: "skipped", at: noon, action: "a", why: "the run was stopped" },
      { type: "unneeded", at: noon, action: "b", why: "the key was shown with exactly these roles" },
    ],
    adds: { service: "https://simulated.example" },
  },
  "a learned own key completes its user": {
    before: { ...empty, users: new Map([[ada, { address: ada, email: emailOf("ada"), account: "acc-1" }]]) },
    events: [{ type: "key-learned", at: noon, address: ada, prefix: "k-9" }],
    adds: { users: new Map([[ada, { address: ada, email: emailOf("ada"), account: "acc-1", key: "k-9" }]]) },
  },
  "a learned team key completes its membership, and makes one where none was recorded": {
    events: [{ type: "key-learned", at: noon, address: ada, team: science, prefix: "k-9" }],
    adds: {
      memberships: new Map([[member, { team: science, address: ada, how: "seen", at: noon, prefix: "k-9" }]]),
    },
  },
  "an addition that is answered for somebody whom it did not name records the key that is shown": {
    events: [succeeded("a", addedTo({ ...notAdded("ada", failure), prefix: "k-9" }))],
    adds: {
      memberships: new Map([[member, { team: science, address: ada, how: "seen", at: noon, prefix: "k-9" }]]),
    },
  },
  "an identified team keeps what else is known of it": {
    before: { ...empty, teams: new Map([[science, { ...scienceTeam, firstMember: ada }]]) },
    events: [
      { type: "team-identified", at: "later", team: science, name: "Science", account: "acc-1", identifier: "t-1" },
    ],
    adds: { teams: new Map([[science, { ...scienceTeam, firstMember: ada, identifier: "t-1" }]]) },
  },
  "people and teams who were met are known from then on": {
    events: [
      {
        type: "users-observed",
        service,
        at: noon,
        people: [{ address: ada, email: emailOf("ada"), account: "acc-1", identifier: "u-1" }],
        teams: [{ team: science, name: "Science", account: "acc-1", identifier: "t-1" }],
      },
    ],
    adds: {
      service,
      users: new Map([
        [ada, { address: ada, email: emailOf("ada"), account: "acc-1", identifier: "u-1", seenAt: noon }],
      ]),
      teams: new Map([[science, { ...scienceTeam, identifier: "t-1" }]]),
    },
  },
  "members and keys that a read showed are known from then on, and what a run did keeps its date": {
    before: {
      ...empty,
      users: new Map([[ada, { address: ada, email: emailOf("ada"), account: "acc-1", createdAt: noon }]]),
      memberships: new Map([[member, { team: science, address: ada, how: "added", at: noon, prefix: "k-2" }]]),
    },
    events: [
      {
        type: "access-seen",
        service,
        at: "later",
        users: [ada],
        members: [
          { team: science, address: ada, prefix: "k-2" },
          { team: science, address: bo, prefix: "k-3" },
        ],
        keys: [{ prefix: "k-3", address: bo, roles: ["DEVELOPER"] }],
      },
    ],
    adds: {
      service,
      users: new Map([
        [ada, { address: ada, email: emailOf("ada"), account: "acc-1", createdAt: noon, seenAt: "later" }],
      ]),
      memberships: new Map([
        [member, { team: science, address: ada, how: "added", at: noon, prefix: "k-2", seenAt: "later" }],
        [membershipKeyOf(science, bo), { team: science, address: bo, how: "seen", at: "later", prefix: "k-3" }],
      ]),
      seenKeys: new Map([["k-3", { prefix: "k-3", address: bo, roles: ["DEVELOPER"], at: "later" }]]),
    },
  },
  "a user who is created again is another one, though the service gives the same identifier once more": {
    before: {
      ...applyEvents(empty, creation),
      memberships: new Map([[member, { team: science, address: ada, how: "added", at: noon, prefix: "k-2" }]]),
      keys: new Map([["k-2", { prefix: "k-2", setRoles: ["DEVELOPER"], at: noon }]]),
    },
    events: [
      { ...intended("r2", "c", creationIntent("ada")), at: afternoon },
      { ...succeeded("c", created("ada", { identifier: "u-1", prefix: "k-9" })), at: afternoon },
    ],
    adds: {
      users: new Map([[ada, { ...recordedAda, key: "k-9", createdAt: afternoon }]]),
      memberships: new Map(),
      keys: new Map(),
    },
  },
};

describe("the state that events add up to", () => {
  test("keeps calls of unknown outcome alone where a person says that the service starts anew", () => {
    const known = applyEvents(empty, [...creation, intended("r1", "d", creationIntent("bo"))]);
    const before: State = {
      ...known,
      teams: new Map([[science, scienceTeam]]),
      memberships: new Map([[member, { team: science, address: ada, how: "added", at: noon, prefix: "k-2" }]]),
      keys: new Map([["k-1", { prefix: "k-1", setRoles: ["DEVELOPER"], at: noon }]]),
      seenKeys: new Map([["k-3", { prefix: "k-3", address: ada, roles: ["DEVELOPER"], at: noon }]]),
    };
    const after = applyEvents(before, [{ type: "epoch-started", at: afternoon, service }]);
    expect(after).toEqual({ ...empty, open: before.open, service, epoch: afternoon });
    expect(after.open).toHaveLength(1);
  });

  test.each(Object.entries(foldings))("%s", (_, { before = empty, events, adds }) => {
    // Who gave which access: access.test.ts.
    expect({ ...applyEvents(before, events), access: empty.access }).toEqual({
      ...before,
      ...adds,
      access: empty.access,
    });
  });

  describe("of a creation with a team that no read showed", () => {
    const teamCreation = intended("r1", "c", creationIntent("ada", "Science"));
    const undone: RunEvent = { type: "resolved", at: noon, run: "r1", action: "c", as: { done: false } };
    const presumed = applyEvents(empty, [teamCreation, undone]);

    test("remembers the call", () => {
      expect(presumed).toEqual({ ...empty, presumedUndone: [openIntent("r1", "c", creationIntent("ada", "Science"))] });
    });

    test("counts user and team as created once the call turns out to be done", () => {
      const learned = created("ada", { identifier: "u-1" });
      const done: RunEvent = { type: "resolved", at: afternoon, run: "r1", action: "c", as: { done: true, learned } };
      const { presumedUndone, users, teams } = applyEvents(presumed, [done]);
      expect([presumedUndone, users.get(ada)?.createdTeam, teams.get(science)?.firstMember]).toEqual([
        undefined,
        science,
        ada,
      ]);
    });

    test.each([
      ["user is created anew", creationIntent("ada"), "ada"],
      ["team is created with another user", creationIntent("bo", "Science"), "bo"],
    ])("forgets the call once the %s", (_, intent, name) => {
      const after = applyEvents(presumed, [intended("r2", "d", intent), succeeded("d", created(name))]);
      expect(after.presumedUndone).toBeUndefined();
    });

    test("keeps it under the address of today", () => {
      const people = [{ from: ada, to: addressOf("zoe"), email: emailOf("zoe") }];
      const [call] =
        applyEvents(presumed, [{ type: "records-moved", at: noon, people, teams: [] }]).presumedUndone ?? [];
      expect(call?.intent).toMatchObject({ address: addressOf("zoe"), email: emailOf("zoe") });
    });
  });

  test("the state it starts from stays as it is", () => {
    applyEvents(empty, creation);
    expect(empty).toEqual(emptyState("lineage-1"));
  });

  const holding: State = {
    ...applyEvents(empty, creation),
    memberships: new Map([
      [member, { team: science, address: ada, how: "added", at: noon, prefix: "k-2" }],
      [membershipKeyOf(science, bo), { team: science, address: bo, how: "added", at: noon, prefix: "k-3" }],
    ]),
    keys: new Map(["k-1", "k-2", "k-3"].map((prefix) => [prefix, { prefix, setRoles: [], at: noon }])),
  };
  const leftOfBo = {
    memberships: [
      [membershipKeyOf(science, bo), { team: science, address: bo, how: "added", at: noon, prefix: "k-3" }],
    ],
    keys: ["k-3"],
  };
  const heldIn = ({ memberships, keys }: State) => ({ memberships: [...memberships], keys: [...keys.keys()] });

  test("another user met at a recorded address inherits no record, membership or key, only when roles were last set", () => {
    const people = [{ address: ada, email: emailOf("ada"), account: "acc-1", identifier: "u-2" }];
    const met = applyEvents(holding, [{ type: "users-observed", at: noon, service, people, teams: [] }]);
    expect(met.users.get(ada)).toEqual({
      address: ada,
      email: emailOf("ada"),
      account: "acc-1",
      identifier: "u-2",
      seenAt: noon,
      formerRolesAt: noon,
    });
    expect(heldIn(met)).toEqual(leftOfBo);
  });

  test("a user created again inherits nothing", () => {
    const again = [intended("r2", "c", creationIntent("ada")), succeeded("c", created("ada", { identifier: "u-9" }))];
    expect(heldIn(applyEvents(holding, again))).toEqual(leftOfBo);
  });

  test("a user met again is still the one that we created", () => {
    const known = applyEvents(empty, creation);
    const people = [{ address: ada, email: emailOf("ada"), account: "acc-1", identifier: "u-1" }];
    const met = applyEvents(known, [{ type: "users-observed", at: "later", service, people, teams: [] }]);
    expect(met.users.get(ada)).toEqual({ ...recordedAda, seenAt: "later" });
  });

  test("events folded at once or one after the other come to the same, run by run", () => {
    const first = [runStarted("r1"), ...creation];
    const team = teamKeyOf("acc-1", "Ops");
    const second: RunEvent[] = [
      runStarted("r2"),
      { type: "team-identified", at: noon, team, name: "Ops", account: "acc-1", identifier: "t-7" },
    ];
    expect(applyEvents(applyEvents(empty, first), second)).toEqual(applyEvents(empty, [...first, ...second]));
  });

  test("tens of thousands of events are one fold, not one copy each", () => {
    const events = Array.from({ length: 20_000 }, (_, index) => [
      intended("r1", `c${index}`, creationIntent(`p${index}`)),
      succeeded(`c${index}`, created(`p${index}`)),
    ]).flat();
    expect(applyEvents(empty, events).users.size).toBe(20_000);
  });
});
