import { describe, expect, test } from "vitest";
import { applyEvents } from "../../../src/log/fold.ts";
import type { LearnedOutcome, RunEvent } from "../../../src/model/event.ts";
import type { ObservedKey } from "../../../src/model/key.ts";
import type { Intent, OpenIntent } from "../../../src/model/recorded.ts";
import { roleSet } from "../../../src/model/role-set.ts";
import type { Snapshot } from "../../../src/model/snapshot.ts";
import { emptyState, type State } from "../../../src/model/state.ts";
import { disambiguatedTeamKey } from "../../../src/model/team.ts";
import type { ObservedUser } from "../../../src/model/user.ts";
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
  resolved as resolvedAs,
  rolesIntent,
  rolesSet,
  science,
} from "../../support/event-builders.ts";
import { taken } from "../../support/refusal-builders.ts";
import { addressOf } from "../../support/roster-builders.ts";
import { aShownKey, aShownUser, aSnapshot } from "../../support/snapshot-builders.ts";

type Shown = Parameters<typeof aSnapshot>[0];

const [ada, bo] = [addressOf("ada"), addressOf("bo")];
const [tooEarly, later] = ["2026-11-20T12:00:04.999Z", "2026-11-20T12:00:05.000Z"];
const resolvedAt = "2026-11-20T12:00:06.000Z";

/** What reads say of the calls that a state has open, and which stay open by it. */
function resolved(
  known: Partial<State>,
  shown: Shown,
): { readonly events: readonly RunEvent[]; readonly after: State } {
  const state = { ...emptyState("l"), ...known };
  const events = resolveOpen(state, aSnapshot({ readAt: later, ...shown }), { at: resolvedAt, consistency: 5000 });
  return { events, after: applyEvents(state, events) };
}

const opened = (intent: Intent, more: Partial<OpenIntent> = {}): OpenIntent => ({
  ...openIntent("r0", "x", intent),
  ...more,
});
const resolvedTo = (as: Parameters<typeof resolvedAs>[2], except: { readonly except?: readonly string[] } = {}) =>
  [resolvedAs("r0", "x", as, { at: resolvedAt, ...except })] as const;
const done = (learned: LearnedOutcome) => resolvedTo(learned);
const [notDone, unproven] = [resolvedTo("not-done"), resolvedTo("unproven")];

/** People who are shown with these keys. */
const shows = (
  keys: Readonly<Record<string, readonly ObservedKey[] | undefined>>,
  more: Partial<ObservedUser> = {},
): Shown => ({
  users: Object.entries(keys).map(([name, held]) =>
    aShownUser(name, { ...(held === undefined ? {} : { keys: held }), ...more }),
  ),
});
const own = (prefix: string, parts: Partial<ObservedKey> = {}) => aShownKey(prefix, "none", parts);
const inScience = (prefix: string) => aShownKey(prefix, { identifier: "t-1", name: "Science" });
const hidden: Pick<Snapshot, "capabilities"> = {
  capabilities: {
    keysOnUsers: "hidden",
    rolesOnKeys: "hidden",
    teamsOnKeys: "hidden",
    titles: "shown",
    totals: "unknown",
    paging: { firstPage: "unknown" },
  },
};
const nobodyKnows = { answered: {}, identifier: "u-ada" };
const [creation, founding, addition] = [creationIntent("ada"), creationIntent("ada", "Science"), additionIntent("ada")];
const both = additionIntent("ada", "bo");
const lost = (name: string) => ({
  code: "unreachable" as const,
  message: `the answer was lost, and later reads show that ${name}@acme.example was not added to the team Science`,
});
const developing: Intent = { ...rolesIntent("k-1", "DEVELOPER"), owner: ada } as Intent;
const stays = undefined;

test.each<[string, Intent, Shown, readonly RunEvent[] | undefined]>([
  [
    "a creation whose user is shown was done, and their own key is theirs",
    creation,
    shows({ ada: [own("k-1")] }, { firstName: "Ada" }),
    done(created("ada", { answered: { firstName: "Ada" }, identifier: "u-ada", prefix: "k-1" })),
  ],
  [
    "a user whose keys are hidden was created all the same",
    creation,
    { ...shows({ ada: undefined }), ...hidden },
    done(created("ada", nobodyKnows)),
  ],
  [
    "of several keys without a team none is taken for the own key",
    creation,
    shows({ ada: [own("k-1"), own("k-2")] }),
    done(created("ada", nobodyKnows)),
  ],
  [
    "a creation of a team whose user is shown with the team was done, and their key is the team's",
    founding,
    shows({ ada: [own("k-0"), inScience("k-1")] }),
    done(created("ada", { ...nobodyKnows, prefix: "k-1", team: science, teamIdentifier: "t-1" })),
  ],
  [
    "a user who is there without the team was not created by the creation of a team",
    founding,
    shows({ ada: [own("k-0")] }),
    notDone,
  ],
  [
    "a user whose keys do not tell their teams counts as created with the team",
    founding,
    { ...shows({ ada: [{ prefix: "k-0" }] }), ...hidden },
    done(created("ada", { ...nobodyKnows, team: science })),
  ],
  ["a creation whose user is proven absent was not done", creation, { absent: ["ada"] }, notDone],
  [
    "a creation whose user is absent without proof stays open",
    creation,
    { absences: new Map([[ada, { proven: false, why: "truncated" }]]) },
    stays,
  ],
  ["a creation that nobody asked about stays open", creation, {}, stays],
  [
    "a user of another account at the address is not the one to be created",
    creation,
    shows({ ada: undefined }, { account: "acc-2" }),
    notDone,
  ],
  [
    "two users at the address leave the creation open",
    creation,
    { users: [aShownUser("ada"), aShownUser("ada", { identifier: "u-2" })] },
    stays,
  ],
  [
    "an addition whose people all hold a key of the team was done",
    both,
    shows({ ada: [inScience("k-1")], bo: [inScience("k-2")] }),
    done(addedTo(added("ada", "k-1"), added("bo", "k-2"))),
  ],
  [
    "an addition that reached some is told person by person",
    both,
    shows({ ada: [inScience("k-1")], bo: [] }),
    done(addedTo(added("ada", "k-1"), notAdded("bo", lost("bo")))),
  ],
  ["an addition that reached nobody was not done", both, { ...shows({ ada: [] }), absent: ["bo"] }, notDone],
  ["an addition none of whose people can be told stays open", both, shows({ bo: undefined }), stays],
  [
    "an addition of whose people some cannot be told is resolved for the others",
    both,
    shows({ ada: [inScience("k-1")], bo: undefined }),
    resolvedTo(addedTo(added("ada", "k-1")), { except: ["bo"] }),
  ],
  [
    "a team of the same name with another identifier is another team",
    addition,
    shows({ ada: [aShownKey("k-1", { identifier: "t-2", name: "Science" })] }),
    notDone,
  ],
  [
    "a team is known by its name where keys do not carry identifiers",
    addition,
    shows({ ada: [aShownKey("k-1", { name: " science" })] }),
    done(addedTo(added("ada", "k-1"))),
  ],
  [
    "a team that shares its name with another is not known by its name",
    { ...addition, team: disambiguatedTeamKey("acc-1", "Science", "t-1") } as Intent,
    shows({ ada: [aShownKey("k-1", { name: "Science" })] }),
    stays,
  ],
  [
    "where no read shows teams, an empty list of keys says nothing about membership",
    addition,
    { ...shows({ ada: [] }), ...hidden },
    stays,
  ],
  [
    "a member may be of another account than the team",
    addition,
    shows({ ada: [inScience("k-1")] }, { account: "acc-2" }),
    done(addedTo(added("ada", "k-1"))),
  ],
  [
    "a member of another account whose teams are hidden cannot be told",
    addition,
    { ...shows({ ada: [{ prefix: "k-1" }] }, { account: "acc-2" }), ...hidden },
    stays,
  ],
  [
    "a key that was deleted is no membership",
    addition,
    shows({ ada: [{ ...inScience("k-1"), status: "Deleted" }] }),
    notDone,
  ],
  [
    "a key of a project is neither a team key nor an own key",
    creation,
    shows({ ada: [own("k-1"), own("k-2", { kind: "project" })] }),
    done(created("ada", { ...nobodyKnows, prefix: "k-1" })),
  ],
  [
    "a first member's only key is the team's even where teams have no names",
    founding,
    shows({ ada: [aShownKey("k-1", { identifier: "t-1" })] }),
    done(created("ada", { ...nobodyKnows, prefix: "k-1", team: science, teamIdentifier: "t-1" })),
  ],
  ["a replacement of roles can be asked for again", rolesIntent("k-1"), {}, unproven],
  [
    "a replacement of roles is done where the key reads as was wanted",
    developing,
    shows({ ada: [own("k-1", { roles: roleSet(["DEVELOPER"]) })] }),
    done(rolesSet("k-1", "DEVELOPER")),
  ],
  [
    "a replacement of roles can be asked for again where the key reads otherwise",
    developing,
    shows({ ada: [own("k-1", { roles: roleSet(["TEAM_ROLE"]) })] }),
    unproven,
  ],
  [
    "what is shown is done however young the intent is",
    creation,
    { ...shows({ ada: undefined }), readAt: noon },
    done(created("ada", nobodyKnows)),
  ],
  [
    "a creation that does not show stays open until the settling time is over",
    creation,
    { absent: ["ada"], readAt: tooEarly },
    stays,
  ],
  [
    "an addition that does not show stays open until then",
    addition,
    { ...shows({ ada: [] }), readAt: tooEarly },
    stays,
  ],
  [
    "a creation of a team that does not show stays open until then",
    founding,
    { ...shows({ ada: [own("k")] }), readAt: tooEarly },
    stays,
  ],
])("%s", (_, intent, shown, tells) => {
  const open = opened(intent);
  const { events, after } = resolved({ open: [open] }, shown);
  const left = tells?.[0]?.type === "resolved" && tells[0].except !== undefined ? [opened(additionIntent("bo"))] : [];
  expect([events, after.open]).toEqual(tells === undefined ? [[], [open]] : [tells, left]);
});

describe("a call that does not show", () => {
  const year = "2027-11-20T12:00:00.000Z";
  const byStore: Partial<OpenIntent> = { dated: { by: "store", at: noon } };

  test.each<[string, Shown, Partial<OpenIntent>]>([
    ["a year by our clock, and too little by that of the service", { readAt: year, times: { service: tooEarly } }, {}],
    ["a year by the clock of the service, and too little by ours", { readAt: tooEarly, times: { service: year } }, {}],
    ["a year, and the service does not show its time", { readAt: year, times: {} }, {}],
    ["a year, and only the store shows its time", { readAt: year, times: { store: year } }, {}],
    ["a year, and too little by the store", { readAt: year, times: { service: year, store: tooEarly } }, byStore],
    ["nothing, as another clock announced it for a time to come", { readAt: "2026-11-20T11:59:05.000Z" }, {}],
    ["the same, and it was taken for later", { readAt: "2026-11-20T11:59:04.999Z" }, { accepted: true }],
  ])("stays open after %s", (_, reading, dated) => {
    const open = [opened(creation, dated)];
    const { events, after } = resolved({ open }, { absent: ["ada"], ...reading });
    expect([events, after.open]).toEqual([[], open]);
  });

  test("was not done once the window is over by the clock of the store that dated it", () => {
    const { events } = resolved({ open: [opened(creation, byStore)] }, { absent: ["ada"], times: { store: later } });
    expect(events).toEqual(notDone);
  });

  test("stays open where nobody dated it", () => {
    const { dated: _, ...open } = opened(creation);
    expect(resolved({ open: [open] }, { absent: ["ada"], readAt: year }).events).toEqual([]);
  });

  const queues = { queues: { at: "2026-11-19T12:00:00.000Z" } };

  test.each<[string, string, readonly RunEvent[]]>([
    ["stays open within seconds", later, []],
    ["stays open within minutes", "2026-11-20T12:09:59.999Z", []],
    ["stays open by another clock, which is far ahead", "2026-11-20T11:50:00.000Z", []],
    ["was not done once the service has had its time", "2026-11-20T12:10:00.000Z", notDone],
  ])("where a service takes calls for later and nobody recorded the answer %s", (_, readAt, events) => {
    const nobody = { ...shows({ ada: [] }), absent: ["bo"], readAt };
    expect(resolved({ ...queues, open: [opened(both)] }, nobody).events).toEqual(events);
  });

  test("and that a service declined which takes calls for later was answered, and waits for nothing", () => {
    const open = [opened(creation, { declined: taken })];
    expect(resolved({ ...queues, open }, { absent: ["ada"] }).events).toEqual(notDone);
  });
});

describe("a creation with a team that was taken for not done", () => {
  test.each<[string, Shown, readonly RunEvent[]]>([
    [
      "was done where a later read shows the user",
      shows({ ada: undefined }),
      done(created("ada", { ...nobodyKnows, team: science })),
    ],
    ["stays what it is where nobody shows", { absent: ["ada"] }, []],
    ["stays what it is where the user has keys, and the team is on none", shows({ ada: [own("k")] }), []],
  ])("%s", (_, shown, told) => {
    const { events, after } = resolved({ presumedUndone: [opened(founding)] }, shown);
    expect([events, after.open]).toEqual([told, []]);
  });

  test("and was sent again: only the later one is taken for done", () => {
    const [first, again] = [opened(founding), openIntent("r1", "x", founding)];
    const told = [resolvedAs("r1", "x", created("ada", { ...nobodyKnows, team: science }), { at: resolvedAt })];
    for (const known of [{ presumedUndone: [first], open: [again] }, { presumedUndone: [first, again] }])
      expect(resolved(known, shows({ ada: undefined })).events).toEqual(told);
  });
});

test("an addition that is resolved for some of its people has added them, and stays open for the others", () => {
  const { after } = resolved({ open: [opened(both)] }, shows({ ada: [inScience("k-1")], bo: undefined }));
  expect(after.open.flatMap(({ intent }) => (intent.kind === "add-members" ? intent.addresses : []))).toEqual([bo]);
  expect([...after.memberships.values()].map(({ address }) => address)).toEqual([ada]);
});

describe("a creation that the service had declined when the run died", () => {
  const declined = (intent: Intent, shown: Shown) =>
    resolved({ open: [opened(intent, { declined: taken })] }, shown).after;

  test("has met whoever is there, and not created them", () => {
    const { users, open } = declined(creation, shows({ ada: undefined }));
    const met = { address: ada, email: "ada@acme.example", account: "acc-1", identifier: "u-ada", seenAt: resolvedAt };
    expect([users.get(ada), open]).toEqual([met, []]);
  });

  test("has created whoever is shown with the team, which comes into being in no other way", () => {
    const { users } = declined(founding, shows({ ada: [inScience("k-1")] }));
    expect(users.get(ada)).toMatchObject({ createdAt: resolvedAt, createdTeam: science, key: "k-1" });
  });

  test.each<[string, Intent, Shown]>([
    ["nobody is there", creation, { absent: ["ada"] }],
    ["somebody is there without the team", founding, shows({ ada: [own("k")] })],
    ["it is hidden in which team somebody is", founding, { ...shows({ ada: undefined }), ...hidden }],
  ])("was not done where %s", (_, intent, shown) => {
    const { open, users, teams } = declined(intent, shown);
    expect([open.length, users.size, teams.size]).toEqual([0, 0, 0]);
  });
});
