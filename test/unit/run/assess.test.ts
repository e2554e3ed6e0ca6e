import { describe, expect, test } from "vitest";
import { applyEvents } from "../../../src/log/fold.ts";
import type { Intent, OpenIntent } from "../../../src/model/call.ts";
import type { EventOf } from "../../../src/model/event.ts";
import { emptyState, type State } from "../../../src/model/state.ts";
import { disambiguatedTeamKey } from "../../../src/model/team.ts";
import { resolveOpen } from "../../../src/run/assess.ts";
import { noon } from "../../support/event-builders.ts";
import { plainText } from "../../support/plain-text.ts";
import { taken } from "../../support/refusal-builders.ts";
import { addressOf } from "../../support/roster-builders.ts";
import { brief, openCall, type Parts, partsOf, play } from "../../support/scenes.ts";

const ada = addressOf("ada");
const [tooEarly, later] = ["2026-11-20T12:00:04.999Z", "2026-11-20T12:00:05.000Z"];
const resolvedAt = "2026-11-20T12:00:06.000Z";

/** What reads say of the calls that a state has open, and which stay open by it. */
function resolvedBy(known: Partial<State>, snapshot: Parts["snapshot"]) {
  const state = { ...emptyState("l"), ...known };
  const events = resolveOpen(state, snapshot, { at: resolvedAt, consistency: 5000 });
  const after = applyEvents(state, events);
  const open = after.open.map(({ intent }) => {
    const people = intent.kind === "add-members" ? ` ${intent.addresses.join()}` : "";
    return brief(`${intent.kind}${people} stays open`);
  });
  return { after, runs: events.map(({ run }) => run), lines: [...events.flatMap(told), ...open] };
}

function told({ as }: EventOf<"resolved">): readonly string[] {
  if (!as.done) return [as.unproven === true ? "unproven" : "not done"];
  const { learned } = as;
  if (learned.kind === "replace-roles") return [`${learned.prefix} has ${learned.roles?.join()}`];
  if (learned.kind === "create-user") {
    const { kind: _, address, answered, ...more } = learned;
    const profile = Object.keys(answered ?? {}).length === 0 ? "" : ` as ${plainText(answered)}`;
    return [brief(`created ${address}${profile}, ${plainText(more)}`)];
  }
  return learned.members.map(({ address, outcome, prefix }) =>
    brief(
      `${address} ${outcome.added ? `added to ${learned.team} with ${prefix}` : `not added: ${outcome.failure.code}, ${outcome.failure.message}`}`,
    ),
  );
}

play("of a call it is told:", ({ state, snapshot }) => resolvedBy(state ?? {}, snapshot).lines)`
  there: {root: {own: none, in: {Other: [TEAM_ROLE]}}}
  users: {ada}
  hides: [user-profiles]
a creation whose user is shown was done, and their own key is theirs
  there: {ada}
  hides: []
  open: {create ada}
  > created ada as {firstName: Ada, lastName: Test, title: "", externalIdentifier: "", source: ""}, {prefix: k-ada, identifier: u-ada}
a user whose keys are hidden was created all the same
  there: {ada}
  hides: [user-profiles, keys]
  open: {create ada}
  > created ada, {identifier: u-ada}
of several keys without a team none is taken for the own key
  there: {ada: {own: none, keys: {k-1: {}, k-2: {}}}}
  hides: [user-profiles, key-kinds]
  open: {create ada}
  > created ada, {identifier: u-ada}
a key of a project is neither a team key nor an own key
  there: {ada: {keys: {k-2: {kind: project}}}}
  open: {create ada}
  > created ada, {prefix: k-ada, identifier: u-ada}
a creation of a team whose user is shown with the team was done, and their key is the team's
  there: {ada: {in: {Data}}}
  open: {create ada creating Data}
  > created ada, {prefix: k-ada-data, identifier: u-ada, team: acc-1/data, teamIdentifier: t-data}
a user who is there without the team was not created by the creation of a team
  there: {ada}
  open: {create ada creating Data}
  > not done
a user whose keys do not tell their teams counts as created with the team
  there: {ada: {own: none, keys: {k-0: {}}}}
  hides: [user-profiles, teams, key-kinds]
  open: {create ada creating Data}
  > created ada, {identifier: u-ada, team: acc-1/data}
a creation whose user is proven absent was not done
  open: {create ada}
  > not done
a creation whose user is absent without proof stays open
  unproven: {ada: truncated}
  open: {create ada}
  > create-user stays open
a creation that nobody asked about stays open
  unproven: {ada}
  open: {create ada}
  > create-user stays open
a user of another account at the address is not the one to be created
  accounts: {acc-2}
  there: {ada: {account: acc-2}}
  open: {create ada}
  > not done
two users at the address leave the creation open
  there: {ada, Ada: {identifier: u-2}}
  open: {create ada}
  > create-user stays open
an addition whose people all hold a key of the team was done
  there: {ada: {in: {Data}}, bo: {in: {Data}}}
  open: {add ada+bo to Data as t-data}
  > ada added to acc-1/data with k-ada-data
  > bo added to acc-1/data with k-bo-data
an addition that reached some is told person by person
  there: {ada: {in: {Data}}, bo}
  open: {add ada+bo to Data as t-data}
  > ada added to acc-1/data with k-ada-data
  > bo not added: unreachable, the answer was lost, and the service showed later that bo was not added to the team Data
an addition that reached nobody was not done
  there: {ada}
  users: {bo}
  open: {add ada+bo to Data as t-data}
  > not done
an addition none of whose people can be told stays open
  users: {ada: gone}
  there: {bo: {own: hidden}}
  open: {add ada+bo to Data as t-data}
  > add-members ada,bo stays open
an addition of whose people some cannot be told is resolved for the others
  there: {ada: {in: {Data}}, bo: {own: hidden}}
  open: {add ada+bo to Data as t-data}
  > ada added to acc-1/data with k-ada-data
  > add-members bo stays open
a team of the same name with another identifier is another team
  shown: {Data: {identifier: t-2}}
  there: {ada: {in: {Data}}}
  open: {add ada to Data as t-data}
  > not done
a team is known by its name where keys do not carry identifiers
  shown: {Data: {name: " data"}}
  there: {ada: {in: {Data}}}
  hides: [user-profiles, team-identifiers]
  open: {add ada to Data as t-data}
  > ada added to acc-1/data with k-ada-data
where no read shows teams, keys say nothing about membership
  there: {ada: {in: {Data}}}
  hides: [user-profiles, teams]
  open: {add ada to Data as t-data}
  > add-members ada stays open
where no read shows teams, an empty list of keys says nothing about membership either
  there: {ada: {own: none}}
  hides: [user-profiles, teams]
  open: {add ada to Data as t-data}
  > add-members ada stays open
a member may be of another account than the team
  accounts: {acc-2}
  there: {ada: {account: acc-2, in: {Data}}}
  open: {add ada to Data as t-data}
  > ada added to acc-1/data with k-ada-data
a member of another account whose teams are hidden cannot be told
  accounts: {acc-2}
  there: {ada: {account: acc-2, in: {Data}}}
  hides: [user-profiles, teams]
  open: {add ada to Data as t-data}
  > add-members ada stays open
a key that was deleted is no membership
  there: {ada: {keys: {k-1: {team: Data, kind: team, status: Deleted}}}}
  open: {add ada to Data as t-data}
  > not done
a replacement of roles can be asked for again
  open: {set k-1 to DEVELOPER}
  > unproven
a replacement of roles is done where the key reads as was wanted
  there: {ada: {own: [DEVELOPER]}}
  open: {set k-ada to DEVELOPER of ada}
  > k-ada has DEVELOPER
a replacement of roles can be asked for again where the key reads otherwise
  there: {ada}
  open: {set k-ada to DEVELOPER of ada}
  > unproven
a replacement is not done by roles that the key had before a change that reads may not show yet
  there: {ada: {own: [DEVELOPER]}}
  state: {keys: {k-ada: {prefix: k-ada, setRoles: [AUDITOR], at: 2026-11-20T09:59:55.000Z, observedRoles: [AUDITOR]}}}
  open: {set k-ada to DEVELOPER of ada: 2026-11-20T09:59:59.000Z}
  > unproven
nor where another call of unknown outcome may have changed the key
  there: {ada: {own: [DEVELOPER]}}
  open: {set k-ada to AUDITOR of ada: 2026-11-20T09:59:58.000Z, set k-ada to DEVELOPER of ada: 2026-11-20T09:59:59.000Z}
  > unproven
  > unproven
nor where an earlier call may have changed a key of the user
  there: {ada: {own: [DEVELOPER]}}
  state: {users: {ada: {seenAt: RECORDED, formerRolesAt: 2026-11-20T09:59:55.000Z}}}
  open: {set k-ada to DEVELOPER of ada: 2026-11-20T09:59:59.000Z}
  > unproven
nor where somebody else changed the key, and the call puts its roles back
  there: {ada: {own: [DEVELOPER]}}
  state: {keys: {k-ada: {prefix: k-ada, setRoles: [DEVELOPER], at: 2026-11-20T09:00:00.000Z}}}
  open: {set k-ada to DEVELOPER of ada: 2026-11-20T09:59:59.000Z}
  > unproven
a replacement is done by roles that the key had before, once the call is old enough
  there: {ada: {own: [DEVELOPER]}}
  state: {keys: {k-ada: {prefix: k-ada, setRoles: [AUDITOR], at: 2026-11-20T09:59:55.000Z, observedRoles: [AUDITOR]}}}
  open: {set k-ada to DEVELOPER of ada: 2026-11-20T09:59:55.000Z}
  > k-ada has DEVELOPER
and where the earlier change is so old that reads show it
  there: {ada: {own: [DEVELOPER]}}
  state: {keys: {k-ada: {prefix: k-ada, setRoles: [AUDITOR], at: 2026-11-20T09:59:54.999Z}}}
  open: {set k-ada to DEVELOPER of ada: 2026-11-20T09:59:59.000Z}
  > k-ada has DEVELOPER
what is shown is done however young the intent is
  there: {ada: {own: hidden}}
  open: {create ada: 2026-11-20T10:00:00.000Z}
  > created ada, {identifier: u-ada}
a creation that does not show stays open until the settling time is over
  open: {create ada: 2026-11-20T09:59:55.001Z}
  > create-user stays open
a creation that does not show was not done from then on
  open: {create ada: 2026-11-20T09:59:55.000Z}
  > not done
a creation of a team that does not show stays open until then
  there: {ada}
  open: {create ada creating Data: 2026-11-20T09:59:55.001Z}
  > create-user stays open
an addition that does not show stays open until then
  there: {ada}
  open: {add ada to Data as t-data: 2026-11-20T09:59:55.001Z}
  > add-members ada stays open
`;

const opened = (call: string, more: Partial<OpenIntent> = {}): OpenIntent => ({
  ...openCall([call, noon], 0),
  ...more,
});
const [creation, withTeam, both] = ["create ada", "create ada creating Data", "add ada+bo to Data as t-data"];

/** What was read at a time, by the clock of the service too unless the times say otherwise. */
function readAt(time: string, scene = "users: {ada, bo}", times: Parts["snapshot"]["times"] = { service: time }) {
  return { ...partsOf(scene).snapshot, readAt: time, times };
}

describe("a call that does not show", () => {
  const year = "2027-11-20T12:00:00.000Z";
  const byStore: Partial<OpenIntent> = { dated: { by: "store", at: noon } };
  const told = (open: OpenIntent, time: string, times?: Parts["snapshot"]["times"]) =>
    resolvedBy({ open: [open] }, readAt(time, undefined, times)).lines;

  test.each<[string, string, Parts["snapshot"]["times"], Partial<OpenIntent>]>([
    ["a year by our clock, and too little by that of the service", year, { service: tooEarly }, {}],
    ["a year by the clock of the service, and too little by ours", tooEarly, { service: year }, {}],
    ["a year, and the service does not show its time", year, {}, {}],
    ["a year, and only the store shows its time", year, { store: year }, {}],
    ["a year, and too little by the store", year, { service: year, store: tooEarly }, byStore],
    ["nothing, as another clock announced it for a time to come", "2026-11-20T11:59:05.000Z", undefined, {}],
    ["the same, and it was taken for later", "2026-11-20T11:59:04.999Z", undefined, { accepted: true }],
  ])("stays open after %s", (_, time, times, dated) => {
    expect(told(opened(creation, dated), time, times)).toEqual(["create-user stays open"]);
  });

  test("was not done once the window is over by the clock of the store that dated it", () => {
    expect(told(opened(creation, byStore), later, { store: later })).toEqual(["not done"]);
  });

  test("stays open where nobody dated it", () => {
    expect(told(openCall([creation, `${noon} undated`], 0), year)).toEqual(["create-user stays open"]);
  });

  const queues = { queues: { at: "2026-11-19T12:00:00.000Z" } };

  test.each([
    ["stays open within seconds", later, ["add-members ada,bo stays open"]],
    ["stays open within minutes", "2026-11-20T12:09:59.999Z", ["add-members ada,bo stays open"]],
    ["stays open by another clock, which is far ahead", "2026-11-20T11:50:00.000Z", ["add-members ada,bo stays open"]],
    ["was not done once the service has had its time", "2026-11-20T12:10:00.000Z", ["not done"]],
  ])("where a service takes calls for later and nobody recorded the answer %s", (_, time, expected) => {
    const snapshot = readAt(time, "{there: {ada}, users: {bo}}");
    expect(resolvedBy({ ...queues, open: [opened(both)] }, snapshot).lines).toEqual(expected);
  });

  test("and that a service declined which takes calls for later was answered, and waits for nothing", () => {
    const open = [opened(creation, { declined: taken })];
    expect(resolvedBy({ ...queues, open }, readAt(later)).lines).toEqual(["not done"]);
  });
});

const [keysHidden, ownKeyAlone] = [
  "{there: {ada: {own: hidden}}, hides: [user-profiles]}",
  "there: {ada, bo: {in: {Data}}}",
];

describe("a creation with a team that was taken for not done", () => {
  test.each([
    ["was done where a later read shows the user", keysHidden, [`created ada, {identifier: u-ada, team: acc-1/data}`]],
    ["stays what it is where nobody shows", "users: {ada}", []],
    ["stays what it is where the user has keys, and the team is on none", ownKeyAlone, []],
  ])("%s", (_, scene, lines) => {
    expect(resolvedBy({ presumedUndone: [opened(withTeam)] }, readAt(later, scene)).lines).toEqual(lines);
  });

  test("and was sent again: only the later one is taken for done", () => {
    const [first, again] = [opened(withTeam), openCall([withTeam, noon], 1)];
    for (const known of [{ presumedUndone: [first], open: [again] }, { presumedUndone: [first, again] }])
      expect(resolvedBy(known, readAt(later, keysHidden)).runs).toEqual(["r-2"]);
  });
});

test("a first member's only key is the team's even where teams have no names", () => {
  const { users, ...snapshot } = readAt(later, "{there: {ada: {own: none, in: {Data}}}, hides: [user-profiles]}");
  const nameless = users.map(({ keys = [], ...user }) => ({
    ...user,
    keys: keys.map((key) => ({ ...key, team: { identifier: "t-data" } })),
  }));
  const { lines } = resolvedBy({ open: [opened(withTeam)] }, { ...snapshot, users: nameless });
  expect(lines).toEqual([
    "created ada, {prefix: k-ada-data, identifier: u-ada, team: acc-1/data, teamIdentifier: t-data}",
  ]);
});

test("a team that shares its name with another is not known by its name", () => {
  const call = opened("add ada to Data as t-data");
  const open = [
    { ...call, intent: { ...call.intent, team: disambiguatedTeamKey("acc-1", "Data", "t-data") } as Intent },
  ];
  const byName = "{there: {ada: {in: {Data}}}, hides: [team-identifiers]}";
  expect(resolvedBy({ open }, readAt(later, byName)).lines).toEqual(["add-members ada stays open"]);
});

test("an addition that is resolved for some of its people has added them", () => {
  const scene = "{there: {ada: {in: {Data}}, bo: {own: hidden}}}";
  const { memberships } = resolvedBy({ open: [opened(both)] }, readAt(later, scene)).after;
  expect([...memberships.values()].map(({ address }) => address)).toEqual([ada]);
});

describe("a creation that the service had declined when the run died", () => {
  const declined = (call: string, scene: string) =>
    resolvedBy({ open: [opened(call, { declined: taken })] }, readAt(later, scene)).after;

  test("has met whoever is there, and not created them", () => {
    const { users, open } = declined(creation, keysHidden);
    const met = { address: ada, email: "ada@acme.example", account: "acc-1", identifier: "u-ada", seenAt: resolvedAt };
    expect([users.get(ada), open]).toEqual([met, []]);
  });

  test("has created whoever is shown with the team, which comes into being in no other way", () => {
    const { users } = declined(withTeam, "there: {ada: {own: none, in: {Data}}}");
    expect(users.get(ada)).toMatchObject({ createdAt: resolvedAt, createdTeam: "acc-1/data", key: "k-ada-data" });
  });

  test.each([
    ["nobody is there", creation, "users: {ada}"],
    ["somebody is there without the team", withTeam, ownKeyAlone],
    ["it is hidden in which team somebody is", withTeam, keysHidden],
  ])("was not done where %s", (_, call, scene) => {
    const { open, users, teams } = declined(call, scene);
    expect([open.length, users.size, teams.size]).toEqual([0, 0, 0]);
  });
});
