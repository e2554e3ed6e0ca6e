import { expect, test } from "vitest";
import { roleSet } from "../../../../src/model/values.ts";
import { partOf } from "../../../../src/report/document/actions.ts";
import { type ExplainTarget, explainFromSavedPlan, explainTarget } from "../../../../src/report/explain/explain.ts";
import {
  aCreation,
  addId,
  anAddition,
  aPlan,
  createId,
  newPerson,
  newTeam,
  rolesId,
  rolesOfAdded,
  rolesOfFirstMember,
} from "../../../support/action-builders.ts";
import { aState } from "../../../support/plan-inputs.ts";
import { samplePlan } from "../../../support/report-samples.ts";
import { addressOf } from "../../../support/roster-builders.ts";
import { rosterFrom } from "../../../support/roster-text.ts";
import { snapshotOf } from "../../../support/simulated-snapshot.ts";
import { aWorld } from "../../../support/simulated-world.ts";

const red = newTeam("Red", "ada");
const plan = aPlan([
  aCreation("ada", { createsTeam: "Red" }),
  aCreation("bo", { after: [createId("ada")] }),
  aCreation("cy", { after: [createId("ada")] }),
  anAddition(red, [newPerson("bo"), newPerson("cy")]),
  rolesOfFirstMember("ada", red, ["DEVELOPER"]),
  rolesOfAdded("bo", red, ["DEVELOPER"]),
  rolesOfAdded("cy", red, ["DEVELOPER"]),
]);

/** Every action about a thing, with what it waits for and what waits for it. */
function told(
  thing: ExplainTarget,
): readonly (readonly [id: string, waitsFor: readonly string[], neededBy: readonly string[]])[] {
  return explainFromSavedPlan(thing, plan).flatMap(({ actions }) =>
    actions.map(({ action, person, neededBy }) => [action.id, partOf(action, person).dependsOn, neededBy] as const),
  );
}

test("of an addition of several, one person's part waits for what they need, and only what is theirs waits for it", () => {
  expect(told({ is: "user", name: addressOf("bo") })).toEqual([
    [createId("bo"), [createId("ada")], [addId("Red")]],
    [addId("Red"), [createId("ada"), createId("bo")], [rolesId("bo", "Red")]],
    [rolesId("bo", "Red"), [addId("Red")], []],
  ]);
});

test("of an action as a whole, all that it waits for and all that waits for it is told", () => {
  expect(told({ is: "action", name: addId("Red") })).toEqual([
    [addId("Red"), [createId("ada"), createId("bo"), createId("cy")], [rolesId("bo", "Red"), rolesId("cy", "Red")]],
  ]);
  const spaced = aPlan([anAddition(newTeam("Data Lab", "ada"), [newPerson("bo")])]);
  const asPrinted = addId("Data Lab").replace(" ", "%20");
  expect(explainFromSavedPlan({ is: "action", name: asPrinted }, spaced)).toHaveLength(1);
});

test("a team of a saved plan is known by its name, and what the plan does not name is not told", () => {
  expect(told({ is: "team", name: "red" }).map(([id]) => id)).toEqual([
    createId("ada"),
    addId("Red"),
    rolesId("ada", "Red"),
    rolesId("bo", "Red"),
    rolesId("cy", "Red"),
  ]);
  expect(explainFromSavedPlan({ is: "team", name: "blue" }, plan)).toEqual([]);
  expect(explainFromSavedPlan({ is: "user", name: addressOf("zoe") }, plan)).toEqual([]);
});

test("a finding is about the roles that it names, whatever words its message has", () => {
  const [notice] = samplePlan.findings;
  if (notice === undefined) throw new Error("the plan has no finding");
  const named = { ...notice, fingerprint: "f1", roles: roleSet(["AUDITOR"]) };
  const inMessage = { ...notice, fingerprint: "f2", message: "The service says that AUDITOR is not allowed." };
  const target = { is: "role", name: "AUDITOR" } as const;
  const explained = explainFromSavedPlan(target, { ...plan, findings: [named, inMessage] });
  expect(explained.flatMap(({ findings }) => findings)).toEqual([named]);
});

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
