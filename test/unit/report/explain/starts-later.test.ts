import { expect, test } from "vitest";
import { teamInRoster } from "../../../../src/report/explain/team.ts";
import { userInRoster } from "../../../../src/report/explain/user.ts";
import { aPlan } from "../../../support/action-builders.ts";
import { aState } from "../../../support/plan-inputs.ts";
import { addressOf } from "../../../support/roster-builders.ts";
import { rosterFrom } from "../../../support/roster-text.ts";
import { snapshotOf } from "../../../support/simulated-snapshot.ts";
import { aWorld } from "../../../support/simulated-world.ts";

test("a user who starts later is explained with the day, for the user and for each team", () => {
  const { roster } = rosterFrom({
    "f.yaml": `version: 1
account: acc-1
users: [{ email: ada@acme.example, firstName: Ada, lastName: Lovelace, from: 2099-01-31 }]
teams: [{ name: T, members: [ada@acme.example] }]
`,
  });
  const team = roster?.teams[0];
  if (roster === undefined || team === undefined) throw new Error("the roster is invalid");
  const context = {
    roster,
    snapshot: snapshotOf(aWorld(), { roster }),
    state: aState(),
    plan: aPlan([]),
    inSync: [],
  };
  const place = { file: "f.yaml", line: 3, column: 78 };
  expect(userInRoster(addressOf("ada"), context).slice(1)).toEqual([
    { says: "starts on 2099-01-31", place },
    { says: "a member of T from 2099-01-31 on", place },
  ]);
  expect(teamInRoster({ key: team.key, name: team.name }, context).slice(1)).toEqual([
    { says: "ada@acme.example: from 2099-01-31 on", place },
  ]);
});
