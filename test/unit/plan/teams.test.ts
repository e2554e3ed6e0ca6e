import { describe, expect, test } from "vitest";
import type { Plan } from "../../../src/model/plan.ts";
import { type DesiredTeam, disambiguatedTeamKey, type RecordedTeam } from "../../../src/model/team.ts";
import { creationIntent, openIntent } from "../../support/event-builders.ts";
import { judged } from "../../support/guards.ts";
import { aCode, aPolicy, aState } from "../../support/plan-inputs.ts";
import {
  type Circumstances,
  deeds,
  outcome,
  planFor,
  troubles,
  troublesApartFromIdle,
} from "../../support/plan-words.ts";
import { addressOf, aRoster, aTeam, aUser, type TeamWish } from "../../support/roster-builders.ts";
import { snapshotOf } from "../../support/simulated-snapshot.ts";
import { aWorld, aWorldOf, putTeam, putUser, type World, type WorldUser } from "../../support/simulated-world.ts";
import { recordedAt, remembering } from "../../support/state-builders.ts";

const recorded = (name: string, parts: Partial<RecordedTeam> = {}) => remembering({ teams: { [name]: parts } });
const openTeamCreation = aState({ open: [openIntent("r-1", "c", creationIntent("cy", "Data"), recordedAt)] });

interface Case extends Circumstances {
  readonly world?: (world: World, root: WorldUser) => void;
  readonly team?: TeamWish;
  readonly plans?: readonly string[];
  /** The identifier that the addition names the team with, and how it is known. */
  readonly identifier?: readonly [string, string];
}

const createdTeam = [
  "create ada creating Data with TEAM_ROLE",
  "set key of ada in Data to TEAM_ROLE after create-user:ada@acme.example",
];
const joined = ["create ada", "add ada to Data after create-user:ada@acme.example"];

const cases: Readonly<Record<string, Case>> = {
  "is created where a complete list shows teams and none is this one's": { plans: createdTeam },
  "is known by the identifier that the roster gives": {
    world: (world, root) => putTeam(world, { name: "Data", identifier: "t-observed", members: [root] }),
    team: { identifier: "t-declared", open: true },
    state: recorded("Data", { identifier: "t-recorded" }),
    plans: joined,
    identifier: ["t-declared", "declared"],
  },
  "is known by record before it is known by name": {
    world: (world, root) => putTeam(world, { name: "Data", identifier: "t-observed", members: [root] }),
    team: { open: true },
    state: recorded("Data", { identifier: "t-recorded" }),
    plans: joined,
    identifier: ["t-recorded", "recorded"],
  },
  "is known by the folded name that keys show": {
    world: (world, root) => putTeam(world, { name: "  DATA", identifier: "t-1", members: [root] }),
    team: { open: true },
    plans: joined,
    identifier: ["t-1", "observed"],
  },
  "is used as it is under a former name that keys show": {
    world: (world, root) => putTeam(world, { name: "Numbers", identifier: "t-1", members: [root] }),
    team: { open: true, previously: ["Numbers"] },
    plans: [...joined, "team-name-differs: team acc-1/data"],
    identifier: ["t-1", "observed"],
  },
  "is used as it is under a former name that the state knows": {
    team: { previously: ["Numbers"] },
    state: recorded("Numbers", { identifier: "t-1" }),
    plans: [...joined, "team-name-differs: team acc-1/data"],
    identifier: ["t-1", "recorded"],
  },
  "in doubt between two of the same name, waits for its identifier": {
    world: (world, root) => {
      putTeam(world, { name: "Data", identifier: "t-1", members: [root] });
      putTeam(world, { name: "data", identifier: "t-2", members: [root] });
    },
    plans: ["create ada", "! team-identifier-unknown: team acc-1/data"],
  },
  "is not the team of that name whose holders are all in other accounts": {
    world: (world) => {
      const stranger = putUser(world, { email: "stranger@acme.example", account: "acc-2" });
      putTeam(world, { name: "Data", account: "acc-2", members: [stranger] });
    },
    plans: createdTeam,
  },
  "is perhaps the team of that name whose holders' accounts are hidden": {
    world: (world) => {
      const stranger = putUser(world, { email: "stranger@acme.example", account: "acc-2" });
      putTeam(world, { name: "Data", identifier: "t-1", account: "acc-2", members: [stranger] });
    },
    team: { open: true },
    hides: ["user-accounts", "account-members"],
    plans: joined,
    identifier: ["t-1", "observed"],
  },
  "shown without its identifier, is neither created nor added to": {
    world: (world, root) => putTeam(world, { name: "Data", members: [root] }),
    team: { open: true },
    hides: ["team-identifiers"],
    plans: ["create ada", "! team-identifier-unknown: team acc-1/data"],
  },
  "recorded as created without its identifier, is never created again": {
    state: recorded("Data", { firstMember: addressOf("cy") }),
    plans: ["create ada", "! team-identifier-unknown: team acc-1/data"],
  },
  "recorded without its identifier, takes the one that keys show": {
    world: (world, root) => putTeam(world, { name: "Data", identifier: "t-1", members: [root] }),
    team: { open: true },
    state: recorded("Data"),
    plans: joined,
    identifier: ["t-1", "observed"],
  },
  "perhaps created by a run that never learned it, is not created again": {
    state: openTeamCreation,
    plans: ["create ada", "! unknown-outcome: team acc-1/data"],
  },
  "is not created where the users were not read completely": {
    everyone: { read: "not-read" },
    plans: ["! unproven-absence: team acc-1/data"],
  },
  "is not created on an incomplete list": {
    everyone: { read: "incomplete", why: "page 7 failed" },
    plans: ["! incomplete-read: user ada@acme.example", "! incomplete-read: team acc-1/data"],
  },
  "is not created where the service does not show teams": {
    hides: ["teams"],
    plans: ["! unproven-absence: team acc-1/data"],
  },
  "is created where a person says that it is absent": {
    hides: ["teams"],
    allows: ["unproven-absence:DATA"],
    plans: createdTeam,
  },
  "is created where a person says that every such team is absent": {
    hides: ["teams"],
    allows: ["unproven-absence:*"],
    plans: createdTeam,
  },
  "is not created where a person says that another team is absent": {
    hides: ["teams"],
    allows: ["unproven-absence:dat"],
    plans: ["! unproven-absence: team acc-1/data"],
  },
};

describe("a team of the roster", () => {
  test.each(Object.entries(cases))("%s", (_, { world: change, team, plans = [], identifier, ...circumstances }) => {
    const world = aWorld({ accounts: ["acc-1", "acc-2"] });
    const root = putUser(world, { email: "root@acme.example" });
    change?.(world, root);
    const roster = aRoster({ users: [aUser("ada")], teams: [aTeam("Data", { members: ["ada"], ...team })] });
    const plan = planFor(world, roster, circumstances);
    expect([...deeds(plan), ...troublesApartFromIdle(plan)]).toEqual(plans);
    if (identifier === undefined) return;
    const [value, known] = identifier;
    const addition = plan.actions.find((action) => action.kind === "add-members");
    expect(addition && plan.teams.get(addition.team)?.identifier).toMatchObject({ known, value });
  });

  test("and another of the same name in another account never share one team of the service", () => {
    const world = aWorldOf({
      accounts: ["acc-1", "acc-2"],
      users: { root: {} },
      teams: { Data: { identifier: "t-1", members: ["root"] } },
    });
    const users = [aUser("ada"), aUser("bo", { account: "acc-2" })];
    const teams = [
      aTeam("Data", { open: true, members: ["ada"] }),
      aTeam("Data", { account: "acc-2", open: true, members: ["bo"] }),
    ];
    const hides = ["user-accounts", "account-members"] as const;
    const doubtful = planFor(world, aRoster({ users, teams }), { hides });
    expect(outcome(doubtful)).toEqual([
      "create ada",
      "create bo",
      "! team-identifier-unknown: team acc-1/data",
      "! team-identifier-unknown: team acc-2/data",
    ]);
    const told = [aTeam("Data", { open: true, identifier: "t-1" }), aTeam("Data", { account: "acc-2", open: true })];
    expect(troubles(planFor(world, aRoster({ teams: told }), { hides }))).toEqual([
      "! cannot-create-team: team acc-2/data",
    ]);
  });

  test("is not the one that its record names where the roster gives that identifier to another of its teams", () => {
    const world = aWorld();
    const root = putUser(world, { email: "root@acme.example", lastName: "Test" });
    putTeam(world, { name: "Data", identifier: "t-1", members: [root] });
    const roster = aRoster({
      users: [aUser("root"), aUser("ada")],
      teams: [
        aTeam("Science", { members: ["root"], previously: ["Data"], identifier: "t-1" }),
        aTeam("Data", { members: ["ada"] }),
      ],
    });
    expect(deeds(planFor(world, roster, { state: recorded("Data", { identifier: "t-1" }) }))).toEqual(createdTeam);
  });

  test("without an identifier is told with the line to fill in", () => {
    const world = aWorldOf({ users: { root: {} }, teams: { "R & D: core": { members: ["root"] } } });
    const roster = aRoster({ teams: [aTeam("R & D: core", { open: true })] });
    const [finding] = planFor(world, roster, { hides: ["team-identifiers"] }).findings;
    expect(finding?.suggestedYaml).toBe('teams:\n  - name: "R & D: core"\n    identifier: IDENTIFIER\n');
  });
});

describe("two teams of one name", () => {
  const first = disambiguatedTeamKey("acc-1", "Data", "t-1");
  const second = disambiguatedTeamKey("acc-1", "Data", "t-2");

  function twins(one: TeamWish, other: TeamWish): readonly DesiredTeam[] {
    return [
      { ...aTeam("Data", { identifier: "t-1", ...one }), key: first },
      { ...aTeam("data", { identifier: "t-2", ...other }), key: second },
    ];
  }

  function worldOfTwo(): { readonly world: World; readonly ada: WorldUser } {
    const world = aWorld();
    const ada = putUser(world, { email: "ada@acme.example", lastName: "Test" });
    putTeam(world, { name: "Data", identifier: "t-1", members: [ada] });
    putTeam(world, { name: "data", identifier: "t-2" });
    return { world, ada };
  }

  test("are compared each with the keys of its own identifier", () => {
    const { world } = worldOfTwo();
    const roster = aRoster({ users: [aUser("ada")], teams: twins({ members: ["ada"] }, { members: ["ada"] }) });
    const plan = planFor(world, roster);
    expect(outcome(plan)).toEqual(["add ada to data"]);
    expect(plan.actions.map(({ id }) => id)).toEqual([`add-members:${second}`]);
  });

  test("are not told apart by a key that shows the name alone: nobody is invited on it", () => {
    const { world } = worldOfTwo();
    const roster = aRoster({ users: [aUser("ada")], teams: twins({}, { members: ["ada"] }) });
    const plan = planFor(world, roster, { hides: ["team-identifiers"] });
    expect(outcome(plan)).toEqual([`! unproven-absence: member ada@acme.example of team ${second}`]);
  });

  test.each([
    ["the one that the record names", "t-2", ["! member-removed: member ada@acme.example of team acc-1/data ID t-2"]],
    ["not the other", "t-1", []],
    [
      "either, where the record names none",
      undefined,
      ["! member-removed: member ada@acme.example of team acc-1/data ID t-2"],
    ],
  ])("keep what was recorded while the roster had but one: %s", (_sentence, identifier, expected) => {
    const { world } = worldOfTwo();
    const state = remembering({ teams: { Data: { identifier } }, members: { "Data/ada": {} } });
    const roster = aRoster({ users: [aUser("ada")], teams: twins({ members: ["ada"] }, { members: ["ada"] }) });
    expect(troubles(planFor(world, roster, { state }))).toEqual(expected);
  });
});

describe("a creation of a team that a person says was not done", () => {
  const doubt = { state: openTeamCreation, hides: ["teams"] } as const;

  test("is named as it was sent, and the word works for the team under its new name", () => {
    const roster = aRoster({
      users: [aUser("ada")],
      teams: [aTeam("Numbers", { previously: ["Data"], open: true, members: ["ada"] })],
    });
    const [finding] = planFor(aWorld(), roster, doubt).findings.filter(({ code }) => code === "unknown-outcome");
    const word = "unknown-outcome:data";
    expect(finding?.allow?.map((one) => one.slice(0, -13))).toEqual([word]);
    const allowed = planFor(aWorld(), roster, { ...doubt, allows: [word] });
    expect(outcome(allowed)).toEqual([
      "create ada creating Numbers with TEAM_ROLE",
      "set key of ada in Numbers to TEAM_ROLE after create-user:ada@acme.example",
    ]);
  });

  test("says nothing of a team of the same name in another account", () => {
    const roster = aRoster({
      users: [aUser("ada"), aUser("bo", { account: "acc-2" })],
      teams: [aTeam("Data", { members: ["ada"] }), aTeam("Data", { account: "acc-2", members: ["bo"] })],
    });
    const world = aWorld({ accounts: ["acc-1", "acc-2"] });
    const plan = planFor(world, roster, { ...doubt, allows: ["unknown-outcome:data"] });
    expect(outcome(plan)).toEqual([
      "create ada creating Data with TEAM_ROLE",
      "set key of ada in Data to TEAM_ROLE after create-user:ada@acme.example",
      "! unproven-absence: team acc-2/data",
    ]);
  });

  test("is named call by call, where several are open", () => {
    const [first] = openTeamCreation.open;
    if (first === undefined) throw new Error("no call is open");
    const state = aState({ ...openTeamCreation, open: [first, { ...first, run: "r-2" }] });
    const roster = aRoster({ users: [aUser("ada")], teams: [aTeam("Data", { members: ["ada"] })] });
    const snapshot = snapshotOf(aWorld(), { roster, hides: ["teams"] });
    const judge = (codes: readonly string[]) =>
      judged({ roster, snapshot, state, policy: aPolicy({ allowed: codes.map(aCode) }) });
    const offered = (plan: Plan) => plan.findings.flatMap(({ allow = [] }) => allow);
    const [one = ""] = offered(judge([]).plan);
    const [other = ""] = offered(judge([one]).plan);
    expect([one, other].map((code) => code.slice(0, -13))).toEqual(["unknown-outcome:data", "unknown-outcome:data"]);
    expect(other).not.toBe(one);
    const both = judge([one, other]);
    expect([deeds(both.plan)[0], troubles(both.plan), both.refusal]).toEqual([
      "create ada creating Data with TEAM_ROLE",
      [],
      undefined,
    ]);
    expect(judge(["unknown-outcome:data#0badca110bad"]).refusal?.stops.map(({ code }) => code)).toEqual([
      "unknown-outcome",
      "unknown-outcome",
    ]);
  });
});
