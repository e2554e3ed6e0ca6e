import { describe, expect, test } from "vitest";
import { observed, recorded } from "../../../src/model/fact.ts";
import type { State } from "../../../src/model/state.ts";
import { teamKeyOf } from "../../../src/model/team.ts";
import { aState } from "../../support/plan-inputs.ts";
import { planFor, troubles } from "../../support/plan-words.ts";
import { aRoster, aTeam, aUser, emailOf } from "../../support/roster-builders.ts";
import { aWorld, putTeam, putUser } from "../../support/simulated-world.ts";

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

const renamed = [`team-renamed: team ${teamKeyOf("acc-1", "Data")}`];
const former = [`former-team-name: team ${teamKeyOf("acc-1", "Data")}`];

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
    ["is the new one by now, and a former one only in our record", "Data", { previously: ["Old"] }, knownAs("Old"), []],
  ])("%s", (_, shown, wish, state, expected) => {
    expect(troubles(planWith(shown, wish, state))).toEqual(expected);
  });

  test("is not shown, and a former one in our record", () => {
    expect(troubles(planWith("Old", { previously: ["Old"] }, knownAs("Old"), ["teams"]))).toEqual(former);
  });

  test("is told with the YAML that says so too", () => {
    expect(planWith("Data: Science", {}, knownAs("Data")).findings[0]).toMatchObject({
      blocking: false,
      message:
        "The service shows the team t-1 as Data: Science, which the roster calls Data: it was renamed there. The team is used as it is; " +
        "write Data: Science as its name in the roster, and Data under `previously`, to silence this notice.",
      suggestedYaml: 'teams:\n  - name: "Data: Science"\n    previously: [Data]\n',
    });
  });

  const about = `team ${teamKeyOf("acc-1", "Data")}`;

  test.each([
    ["the read that shows it", [], observed("present as Old", "list")],
    ["our record of it", ["teams"], recorded("present as Old", at)],
  ] as const)("is told as a former one with %s", (_, hides, fact) => {
    const { findings } = planWith("Old", { previously: ["Old"] }, knownAs("Old"), [...hides]);
    expect(findings).toMatchObject([{ code: "former-team-name", restsOn: [{ about, fact }] }]);
  });

  test("is told as a former one with the read, where nothing is recorded", () => {
    const { findings } = planWith("Old", { previously: ["Old"] }, aState());
    expect(findings).toMatchObject([{ restsOn: [{ about, fact: observed("present as Old", "list") }] }]);
  });
});
