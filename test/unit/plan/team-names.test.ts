import { describe, expect, test } from "vitest";
import { observed, recorded } from "../../../src/model/fact.ts";
import type { State } from "../../../src/model/state.ts";
import { decodeSubject } from "../../../src/model/subject.ts";
import { teamKeyOf } from "../../../src/model/team.ts";
import { aState } from "../../support/plan-inputs.ts";
import { deeds, outcome, planFor, troubles } from "../../support/plan-words.ts";
import { aRoster, aTeam, aUser, emailOf, type TeamWish } from "../../support/roster-builders.ts";
import { aWorld, putTeam, putUser, type World } from "../../support/simulated-world.ts";

describe("passed names", () => {
  const at = "2026-11-01T00:00:00.000Z";
  const there = ["ada", "bo"];

  /** Ada and Bo are there, and so many of them in the team t-1. */
  function worldWith(name: string, count = 2): World {
    const world = aWorld();
    const people = there.map((one) =>
      putUser(world, { email: `${one}@acme.example`, firstName: one, lastName: "Test" }),
    );
    putTeam(world, { name, identifier: "t-1", members: people.slice(0, count) });
    return world;
  }

  function recorded(name: string) {
    const team = teamKeyOf("acc-1", name);
    return aState({ teams: new Map([[team, { team, name, account: "acc-1", identifier: "t-1", at }]]) });
  }

  /** Science was called Data before; whoever is new has a team that is called so now. */
  function roster(science: TeamWish = {}, data: TeamWish = {}) {
    return aRoster({
      users: [...there, "cy", "di"].map((name) => aUser(name, { firstName: name })),
      teams: [
        aTeam("Science", { previously: ["Data"], members: [...there, "cy"], ...science }),
        aTeam("Data", { members: ["di"], ...data }),
      ],
    });
  }

  const data = [
    "create di creating Data with TEAM_ROLE",
    "set key of di in Data to TEAM_ROLE after create-user:di@acme.example",
  ];
  const joined = "add cy to Science after create-user:cy@acme.example";

  describe("where another team has the former name of a team now", () => {
    test.each([
      ["the service shows a team by that name", undefined],
      ["the state knows a team by that name", recorded("Data")],
    ])("both wait for an identifier, and nobody is spent: %s", (_, state) => {
      const plan = planFor(worldWith("Data"), roster(), state === undefined ? {} : { state });
      expect(outcome(plan)).toEqual([
        "! team-identifier-unknown: team acc-1/science",
        "! team-identifier-unknown: team acc-1/data",
      ]);
      expect(plan.findings.map(({ message }) => message)).toEqual([
        "roster cannot know which team Science is: its former name Data is now the name of another team of " +
          "the roster, so the team t-1 may be either team. roster changes neither team. Write the `identifier` " +
          "of one of them into the roster. Until then, roster does not create cy@acme.example. The team needs " +
          "a new user.",
        "roster cannot know which team Data is: its former name Data is now the name of another team of the " +
          "roster, so the team t-1 may be either team. roster changes neither team. Write the `identifier` of " +
          "one of them into the roster. Until then, roster does not create di@acme.example. The team needs a " +
          "new user.",
      ]);
    });

    test("both wait where the service does not show the identifier", () => {
      const plan = planFor(worldWith("Data"), roster(), { hides: ["team-identifiers"] });
      expect(outcome(plan)).toEqual([
        "! team-identifier-unknown: team acc-1/science",
        "! team-identifier-unknown: team acc-1/data",
      ]);
    });

    test.each([
      ["has an identifier", "Data", roster({ identifier: "t-1" }), recorded("Data")],
      ["is shown by its name of today", "Science", roster(), undefined],
      ["is recorded by its name of today", "Data", roster(), recorded("Science")],
    ])("the other one is created where the renamed one %s", (_, name, wanted, state) => {
      const plan = planFor(worldWith(name), wanted, state === undefined ? {} : { state });
      expect(deeds(plan)).toEqual(["create cy", data[0], joined, data[1]]);
    });

    test("the renamed one is created where the roster says that the team is the other one", () => {
      const plan = planFor(worldWith("Data"), roster({}, { identifier: "t-1", open: true }), {
        state: recorded("Data"),
      });
      expect(deeds(plan)[0]).toBe("create cy creating Science with TEAM_ROLE");
    });

    test("both are created where nothing leads to either", () => {
      expect(deeds(planFor(worldWith("Operations", 1), roster())).slice(0, 2)).toEqual([
        "create cy creating Science with TEAM_ROLE",
        data[0],
      ]);
    });
  });
});

describe("shown team names", () => {
  const at = "2026-11-01T00:00:00.000Z";

  function knownAs(name: string): State {
    const team = teamKeyOf("acc-1", name);
    return aState({ teams: new Map([[team, { team, name, account: "acc-1", identifier: "t-1", at }]]) });
  }

  /** The service shows the team t-1 under a name; the roster may call it otherwise. */
  function planWith(shown: string, wish: Parameters<typeof aTeam>[1], state: State, hides: readonly "teams"[] = []) {
    const world = aWorld();
    const ada = putUser(world, { email: emailOf("ada"), lastName: "Test" });
    putTeam(world, { name: shown, identifier: "t-1", members: [ada] });
    const team = aTeam("Data", { members: [{ user: "ada", key: "k3" }], ...wish });
    return planFor(world, aRoster({ users: [aUser("ada")], teams: [team] }), { state, hides });
  }

  const renamed = [`team-name-differs: team ${teamKeyOf("acc-1", "Data")}`];
  const former = [`team-name-differs: team ${teamKeyOf("acc-1", "Data")}`];

  describe("the name under which the service shows a team", () => {
    test.each([
      ["is the roster's", "DATA ", {}, knownAs("Data"), []],
      ["is a new one, of a recorded team", "Data Science", {}, knownAs("Data"), renamed],
      ["is a new one, of a team with an identifier", "Data Science", { identifier: "t-1" }, aState(), renamed],
      ["is a former one, by record", "Old", { previously: ["Old"] }, knownAs("Old"), former],
      [
        "is a former one, of a team with an identifier",
        "Old",
        { identifier: "t-1", previously: ["Old"] },
        aState(),
        former,
      ],
      ["is a former one, though only that was shown", "Old", { previously: ["Old"] }, aState(), former],
      [
        "is the new one by now, and a former one only in our record",
        "Data",
        { previously: ["Old"] },
        knownAs("Old"),
        [],
      ],
    ])("%s", (_, shown, wish, state, expected) => {
      expect(troubles(planWith(shown, wish, state))).toEqual(expected);
    });

    test("is not shown, and a former one in our record", () => {
      expect(troubles(planWith("Old", { previously: ["Old"] }, knownAs("Old"), ["teams"]))).toEqual(former);
    });

    test("is told with the YAML that says so too", () => {
      expect(planWith("Data: Science", {}, knownAs("Data")).findings[0]).toMatchObject({
        kind: "notice",
        message:
          "The team t-1 is Data in the roster and Data: Science in the service. It was renamed there. roster " +
          "uses it as it is. To hide this notice, write Data: Science as its name, and Data under " +
          "`previously`.",
        suggestedYaml: 'teams:\n  - name: "Data: Science"\n    previously: [Data]\n',
      });
    });

    const about = decodeSubject(`team ${teamKeyOf("acc-1", "Data")}`);

    test.each([
      ["the read that shows it", [], observed("present as Old", "list")],
      ["our record of it", ["teams"], recorded("present as Old", at)],
    ] as const)("is told as a former one with %s", (_, hides, fact) => {
      const { findings } = planWith("Old", { previously: ["Old"] }, knownAs("Old"), [...hides]);
      expect(findings).toMatchObject([{ code: "team-name-differs", restsOn: [{ about, fact }] }]);
    });

    test("is told as a former one with the read, where nothing is recorded", () => {
      const { findings } = planWith("Old", { previously: ["Old"] }, aState());
      expect(findings).toMatchObject([{ restsOn: [{ about, fact: observed("present as Old", "list") }] }]);
    });
  });
});
