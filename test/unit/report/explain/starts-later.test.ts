import { expect, test } from "vitest";
import { explainTarget } from "../../../../src/report/explain/explain.ts";
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
  if (roster === undefined) throw new Error("the roster is invalid");
  const context = {
    roster,
    snapshot: snapshotOf(aWorld(), { roster }),
    state: aState(),
    plan: aPlan([]),
    inSync: [],
  };
  const place = { file: "f.yaml", line: 3, column: 78 };
  const said = (target: Parameters<typeof explainTarget>[0]) =>
    explainTarget(target, context).flatMap((thing) => thing.roster.map(({ says, place: at }) => ({ says, place: at })));
  const later = { says: "ada@acme.example is a member of T from 2099-01-31 on", place };
  expect(said({ is: "user", name: addressOf("ada") })).toContainEqual(later);
  expect(said({ is: "user", name: addressOf("ada") })).toContainEqual({
    says: "ada@acme.example starts on 2099-01-31",
    place,
  });
  expect(said({ is: "team", name: "T" })).toContainEqual(later);
});
