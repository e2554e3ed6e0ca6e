import { describe, expect, test } from "vitest";
import { applyEvents } from "../../../src/log/fold.ts";
import type { LearnedOutcome, RunEvent } from "../../../src/model/event.ts";
import type { Intent, OpenIntent } from "../../../src/model/recorded.ts";
import { roleSet } from "../../../src/model/role-set.ts";
import type { Snapshot } from "../../../src/model/snapshot.ts";
import { emptyState, type State } from "../../../src/model/state.ts";
import { disambiguatedTeamKey } from "../../../src/model/team.ts";
import { resolveOpen } from "../../../src/run/assess.ts";
import {
  added,
  addedTo,
  additionIntent,
  created,
  creationIntent,
  noon,
  notAdded,
  openIntent,
  rolesIntent,
  science,
} from "../../support/event-builders.ts";
import { taken } from "../../support/refusal-builders.ts";
import { addressOf } from "../../support/roster-builders.ts";
import { aShownKey, aShownUser, aSnapshot } from "../../support/snapshot-builders.ts";

const [ada, bo] = [addressOf("ada"), addressOf("bo")];
const later = "2026-11-20T12:00:05.000Z";
const tooEarly = "2026-11-20T12:00:04.999Z";
const resolvedAt = "2026-11-20T12:00:06.000Z";
const times = { at: resolvedAt, consistency: 5000 };
const lost = (name: string) => ({
  code: "unreachable" as const,
  message: `the answer was lost, and later reads show that ${name}@acme.example was not added to the team Science`,
});

/** What reads say of the open calls, and which stay open by it. */
function resolved(state: State, ...given: readonly [Snapshot, Parameters<typeof resolveOpen>[2]]) {
  const events = resolveOpen(state, ...given);
  return { events, open: applyEvents(state, events).open };
}

interface Case {
  readonly intent: Intent;
  readonly shown: Parameters<typeof aSnapshot>[0];
  /** What resolving tells; undefined where the intent stays open. */
  readonly tells: readonly RunEvent[] | undefined;
}

function done(learned: LearnedOutcome): readonly RunEvent[] {
  return [{ type: "resolved", at: resolvedAt, run: "r0", action: "x", as: { done: true, learned } }];
}

const notDone: readonly RunEvent[] = [
  { type: "resolved", at: resolvedAt, run: "r0", action: "x", as: { done: false } },
];
const unproven: readonly RunEvent[] = [
  { type: "resolved", at: resolvedAt, run: "r0", action: "x", as: { done: false, unproven: true } },
];
const inScience = (prefix: string) => aShownKey(prefix, { identifier: "t-1", name: "Science" });
const hidden: Snapshot["capabilities"] = {
  keysOnUsers: "hidden",
  rolesOnKeys: "hidden",
  teamsOnKeys: "hidden",
  titles: "shown",
  totals: "unknown",
  paging: { firstPage: "unknown" },
};
const nobodyKnows = { answered: {}, identifier: "u-ada" };

const cases: Readonly<Record<string, Case>> = {
  "a creation whose user is shown was done, and their own key is theirs": {
    intent: creationIntent("ada"),
    shown: { users: [aShownUser("ada", { firstName: "Ada", keys: [aShownKey("k-1", "none")] })] },
    tells: done(created("ada", { answered: { firstName: "Ada" }, identifier: "u-ada", prefix: "k-1" })),
  },
  "a user whose keys are hidden was created all the same": {
    intent: creationIntent("ada"),
    shown: { users: [aShownUser("ada")], capabilities: hidden },
    tells: done(created("ada", nobodyKnows)),
  },
  "of several keys without a team none is taken for the own key": {
    intent: creationIntent("ada"),
    shown: { users: [aShownUser("ada", { keys: [aShownKey("k-1", "none"), aShownKey("k-2", "none")] })] },
    tells: done(created("ada", nobodyKnows)),
  },
  "a creation of a team whose user is shown with the team was done, and their key is the team's": {
    intent: creationIntent("ada", "Science"),
    shown: { users: [aShownUser("ada", { keys: [aShownKey("k-0", "none"), inScience("k-1")] })] },
    tells: done(created("ada", { ...nobodyKnows, prefix: "k-1", team: science, teamIdentifier: "t-1" })),
  },
  "a user who is there without the team was not created by the creation of a team": {
    intent: creationIntent("ada", "Science"),
    shown: { users: [aShownUser("ada", { keys: [aShownKey("k-0", "none")] })] },
    tells: notDone,
  },
  "a user whose keys do not tell their teams counts as created with the team": {
    intent: creationIntent("ada", "Science"),
    shown: { users: [aShownUser("ada", { keys: [{ prefix: "k-0" }] })], capabilities: hidden },
    tells: done(created("ada", { ...nobodyKnows, team: science })),
  },
  "a creation whose user is proven absent was not done": {
    intent: creationIntent("ada"),
    shown: { absent: ["ada"] },
    tells: notDone,
  },
  "a creation whose user is absent without proof stays open": {
    intent: creationIntent("ada"),
    shown: { absences: new Map([[ada, { proven: false, why: "truncated" }]]) },
    tells: undefined,
  },
  "a creation that nobody asked about stays open": { intent: creationIntent("ada"), shown: {}, tells: undefined },
  "a user of another account at the address is not the one to be created": {
    intent: creationIntent("ada"),
    shown: { users: [aShownUser("ada", { account: "acc-2" })] },
    tells: notDone,
  },
  "two users at the address leave the creation open": {
    intent: creationIntent("ada"),
    shown: { users: [aShownUser("ada"), aShownUser("ada", { identifier: "u-2" })] },
    tells: undefined,
  },
  "an addition whose people all hold a key of the team was done": {
    intent: additionIntent("ada", "bo"),
    shown: { users: [aShownUser("ada", { keys: [inScience("k-1")] }), aShownUser("bo", { keys: [inScience("k-2")] })] },
    tells: done(addedTo(added("ada", "k-1"), added("bo", "k-2"))),
  },
  "an addition that reached some is told person by person": {
    intent: additionIntent("ada", "bo"),
    shown: { users: [aShownUser("ada", { keys: [inScience("k-1")] }), aShownUser("bo", { keys: [] })] },
    tells: done(addedTo(added("ada", "k-1"), notAdded("bo", lost("bo")))),
  },
  "an addition that reached nobody was not done": {
    intent: additionIntent("ada", "bo"),
    shown: { users: [aShownUser("ada", { keys: [] })], absent: ["bo"] },
    tells: notDone,
  },
  "a team of the same name with another identifier is another team": {
    intent: additionIntent("ada"),
    shown: { users: [aShownUser("ada", { keys: [aShownKey("k-1", { identifier: "t-2", name: "Science" })] })] },
    tells: notDone,
  },
  "a team is known by its name where keys do not carry identifiers": {
    intent: additionIntent("ada"),
    shown: { users: [aShownUser("ada", { keys: [aShownKey("k-1", { name: " science" })] })] },
    tells: done(addedTo(added("ada", "k-1"))),
  },
  "a team that shares its name with another is not known by its name": {
    intent: { ...additionIntent("ada"), team: disambiguatedTeamKey("acc-1", "Science", "t-1") } as Intent,
    shown: { users: [aShownUser("ada", { keys: [aShownKey("k-1", { name: "Science" })] })] },
    tells: undefined,
  },
  "where no read shows teams, an empty list of keys says nothing about membership": {
    intent: additionIntent("ada"),
    shown: { users: [aShownUser("ada", { keys: [] })], capabilities: hidden },
    tells: undefined,
  },
  "a member may be of another account than the team": {
    intent: additionIntent("ada"),
    shown: { users: [aShownUser("ada", { account: "acc-2", keys: [inScience("k-1")] })] },
    tells: done(addedTo(added("ada", "k-1"))),
  },
  "a member of another account whose teams are hidden cannot be told": {
    intent: additionIntent("ada"),
    shown: { users: [aShownUser("ada", { account: "acc-2", keys: [{ prefix: "k-1" }] })], capabilities: hidden },
    tells: undefined,
  },
  "a key that was deleted is no membership": {
    intent: additionIntent("ada"),
    shown: {
      users: [
        aShownUser("ada", { keys: [aShownKey("k-1", { identifier: "t-1", name: "Science" }, { status: "Deleted" })] }),
      ],
    },
    tells: notDone,
  },
  "a key of a project is neither a team key nor an own key": {
    intent: creationIntent("ada"),
    shown: {
      users: [aShownUser("ada", { keys: [aShownKey("k-1", "none"), aShownKey("k-2", "none", { kind: "project" })] })],
    },
    tells: done(created("ada", { ...nobodyKnows, prefix: "k-1" })),
  },
  "a first member's only key is the team's even where teams have no names": {
    intent: creationIntent("ada", "Science"),
    shown: { users: [aShownUser("ada", { keys: [aShownKey("k-1", { identifier: "t-1" })] })] },
    tells: done(created("ada", { ...nobodyKnows, prefix: "k-1", team: science, teamIdentifier: "t-1" })),
  },
  "a replacement of roles can be asked for again": { intent: rolesIntent("k-1"), shown: {}, tells: unproven },
  "a replacement of roles is done where the key reads as was wanted": {
    intent: { ...rolesIntent("k-1", "DEVELOPER"), owner: ada } as Intent,
    shown: { users: [aShownUser("ada", { keys: [aShownKey("k-1", "none", { roles: roleSet(["DEVELOPER"]) })] })] },
    tells: done({ kind: "replace-roles", prefix: "k-1", roles: roleSet(["DEVELOPER"]) }),
  },
  "a replacement of roles can be asked for again where the key reads otherwise": {
    intent: { ...rolesIntent("k-1", "DEVELOPER"), owner: ada } as Intent,
    shown: { users: [aShownUser("ada", { keys: [aShownKey("k-1", "none", { roles: roleSet(["TEAM_ROLE"]) })] })] },
    tells: unproven,
  },
};

function resolve(intent: Intent, shown: Parameters<typeof aSnapshot>[0], readAt: string) {
  const open = openIntent("r0", "x", intent, noon);
  return {
    open,
    resolution: resolved({ ...emptyState("l"), open: [open] }, aSnapshot({ readAt, ...shown }), times),
  };
}

describe("settling", () => {
  test.each(Object.entries(cases))("%s", (_, { intent, shown, tells }) => {
    const { open, resolution } = resolve(intent, shown, later);
    expect(resolution).toEqual(tells === undefined ? { events: [], open: [open] } : { events: tells, open: [] });
  });

  test.each([
    ["a creation", creationIntent("ada"), { absent: ["ada"] }],
    ["an addition", additionIntent("ada"), { users: [aShownUser("ada", { keys: [] })] }],
    [
      "a creation of a team",
      creationIntent("ada", "Science"),
      { users: [aShownUser("ada", { keys: [aShownKey("k", "none")] })] },
    ],
  ])("%s that does not show stays open until the settling time is over", (_, intent, shown) => {
    const { open, resolution } = resolve(intent, shown, tooEarly);
    expect(resolution).toEqual({ events: [], open: [open] });
  });

  test("what another clock announced for a time to come stays open, whether or not it was taken for later", () => {
    const shown = { absent: ["ada"] } as const;
    const readAt = "2026-11-20T11:59:04.999Z";
    const accepted = { ...openIntent("r0", "x", creationIntent("ada"), noon), accepted: true } as const;
    const { open } = resolved({ ...emptyState("l"), open: [accepted] }, aSnapshot({ ...shown, readAt }), times);
    expect(open).toEqual([accepted]);
    const announced = resolve(creationIntent("ada"), shown, "2026-11-20T11:59:05.000Z");
    expect(announced.resolution.open).toEqual([announced.open]);
  });

  const year = "2027-11-20T12:00:00.000Z";

  test.each<[string, Parameters<typeof aSnapshot>[0], Partial<OpenIntent>]>([
    ["a year by our clock, and too little by that of the service", { readAt: year, times: { service: tooEarly } }, {}],
    ["a year by the clock of the service, and too little by ours", { readAt: tooEarly, times: { service: year } }, {}],
    ["a year, and the service does not show its time", { readAt: year, times: {} }, {}],
    ["a year, and only the store shows its time", { readAt: year, times: { store: year } }, {}],
    [
      "a year, and too little by the clock of the store",
      { readAt: year, times: { service: year, store: tooEarly } },
      { dated: { by: "store", at: noon } },
    ],
  ])("a call that does not show stays open after %s", (_, reading, dated) => {
    const open = { ...openIntent("r0", "x", creationIntent("ada"), noon), ...dated };
    const snapshot = aSnapshot({ absent: ["ada"], ...reading });
    expect(resolved({ ...emptyState("l"), open: [open] }, snapshot, times)).toEqual({
      events: [],
      open: [open],
    });
  });

  test("a call that the store dated was not done once the window is over by the clock of the store", () => {
    const open: OpenIntent = {
      ...openIntent("r0", "x", creationIntent("ada"), noon),
      dated: { by: "store", at: noon },
    };
    const snapshot = aSnapshot({ absent: ["ada"], readAt: later, times: { store: later } });
    expect(resolved({ ...emptyState("l"), open: [open] }, snapshot, times).events).toEqual(notDone);
  });

  test("a call that nobody dated stays open", () => {
    const { dated: _, ...open } = openIntent("r0", "x", creationIntent("ada"), noon);
    const snapshot = aSnapshot({ absent: ["ada"], readAt: year });
    expect(resolved({ ...emptyState("l"), open: [open] }, snapshot, times).open).toEqual([open]);
  });

  describe("of a service that takes calls for later", () => {
    const queues = { at: "2026-11-19T12:00:00.000Z" };
    const nobody = { users: [aShownUser("ada", { keys: [] })], absent: ["bo"] } as const;
    const resolvedOf = (open: OpenIntent, shown: Parameters<typeof aSnapshot>[0], readAt: string) =>
      resolved({ ...emptyState("l"), queues, open: [open] }, aSnapshot({ ...shown, readAt }), times);
    const open = openIntent("r0", "x", additionIntent("ada", "bo"), noon);

    test.each([
      ["within seconds", later],
      ["within minutes", "2026-11-20T12:09:59.999Z"],
      ["by another clock, which is far ahead", "2026-11-20T11:50:00.000Z"],
    ])("a call whose answer nobody recorded is not taken for not done %s", (_, readAt) => {
      expect(resolvedOf(open, nobody, readAt)).toEqual({ events: [], open: [open] });
    });

    test("it is once the service has had its time for that", () => {
      expect(resolvedOf(open, nobody, "2026-11-20T12:10:00.000Z")).toEqual({ events: notDone, open: [] });
    });

    test("a creation that it declined was answered, and waits for nothing", () => {
      const declined = { ...openIntent("r0", "x", creationIntent("ada"), noon), declined: taken };
      expect(resolvedOf(declined, { absent: ["ada"] }, later)).toEqual({ events: notDone, open: [] });
    });
  });

  test("what is shown is done however young the intent is", () => {
    const { resolution } = resolve(creationIntent("ada"), { users: [aShownUser("ada")] }, noon);
    expect(resolution.open).toEqual([]);
  });

  describe("a creation with a team that was taken for not done", () => {
    const presumed = openIntent("r0", "x", creationIntent("ada", "Science"), noon);
    const state = { ...emptyState("l"), presumedUndone: [presumed] };

    test("was done where a later read shows the user", () => {
      const { events, open } = resolved(state, aSnapshot({ users: [aShownUser("ada")], readAt: later }), times);
      expect([events, open]).toEqual([done(created("ada", { ...nobodyKnows, team: science })), []]);
    });

    test.each([
      ["nobody shows", { absent: ["ada"] }],
      [
        "the user is there with keys, and the team is on none",
        { users: [aShownUser("ada", { keys: [aShownKey("k", "none")] })] },
      ],
    ] as const)("stays what it is where %s", (_, shown) => {
      expect(resolved(state, aSnapshot({ ...shown, readAt: later }), times)).toEqual({ events: [], open: [] });
    });
  });

  test("of two calls for one user with one team, only the later one is taken for done", () => {
    const intent = creationIntent("ada", "Science");
    const [first, again] = [openIntent("r0", "x", intent, noon), openIntent("r1", "x", intent, noon)];
    const snapshot = aSnapshot({ users: [aShownUser("ada")], readAt: later });
    const eventsOf = (known: object) => resolved({ ...emptyState("l"), ...known }, snapshot, times).events;
    const expected = done(created("ada", { ...nobodyKnows, team: science })).map((event) => ({ ...event, run: "r1" }));
    expect(eventsOf({ presumedUndone: [first], open: [again] })).toEqual(expected);
    expect(eventsOf({ presumedUndone: [first, again] })).toEqual(expected);
  });

  test("an addition of whose people some cannot be told is resolved for the others, and stays open for them alone", () => {
    const users = [aShownUser("ada", { keys: [inScience("k-1")] }), aShownUser("bo")];
    const { open, resolution } = resolve(additionIntent("ada", "bo"), { users }, later);
    const learned = addedTo(added("ada", "k-1"));
    const left = openIntent("r0", "x", additionIntent("bo"), noon);
    expect(resolution).toEqual({
      events: [{ type: "resolved", at: resolvedAt, run: "r0", action: "x", as: { done: true, learned }, except: [bo] }],
      open: [left],
    });
    const state = applyEvents({ ...emptyState("l"), open: [open] }, resolution.events);
    expect(state.open).toEqual([left]);
    expect([...state.memberships.values()].map(({ address }) => address)).toEqual([ada]);
  });

  test("an addition none of whose people can be told stays open as it is", () => {
    const { open, resolution } = resolve(additionIntent("ada", "bo"), { users: [aShownUser("bo")] }, later);
    expect(resolution).toEqual({ events: [], open: [open] });
  });

  describe("a creation that the service had declined when the run died", () => {
    const declined = (name: string, createsTeam: string | undefined, shown: Case["shown"]) => {
      const open = { ...openIntent("r0", "x", creationIntent(name, createsTeam)), declined: taken };
      const resolution = resolved({ ...emptyState("l"), open: [open] }, aSnapshot({ ...shown, readAt: later }), times);
      return { state: applyEvents({ ...emptyState("l"), open: [open] }, resolution.events), open };
    };

    test("has met whoever is there, and not created them", () => {
      const { state } = declined("ada", undefined, { users: [aShownUser("ada")] });
      expect(state.users.get(ada)).toEqual({
        address: ada,
        email: "ada@acme.example",
        account: "acc-1",
        identifier: "u-ada",
        seenAt: resolvedAt,
      });
      expect(state.open).toEqual([]);
    });

    test("has created whoever is shown with the team, which comes into being in no other way", () => {
      const { state } = declined("ada", "Science", { users: [aShownUser("ada", { keys: [inScience("k-1")] })] });
      expect(state.users.get(ada)).toMatchObject({ createdAt: resolvedAt, createdTeam: science, key: "k-1" });
    });

    test.each([
      ["nobody is there", undefined, { absent: ["ada"] }],
      [
        "somebody is there without the team",
        "Science",
        { users: [aShownUser("ada", { keys: [aShownKey("k", "none")] })] },
      ],
      ["it is hidden in which team somebody is", "Science", { users: [aShownUser("ada")], capabilities: hidden }],
    ])("was not done where %s", (_, createsTeam, shown) => {
      const { state } = declined("ada", createsTeam, shown);
      expect({ open: state.open, users: [...state.users], teams: [...state.teams] }).toEqual({
        open: [],
        users: [],
        teams: [],
      });
    });
  });
});
