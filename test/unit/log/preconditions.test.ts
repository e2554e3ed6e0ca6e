import { expect, test } from "vitest";
import { applyEvents } from "../../../src/log/fold.ts";
import { changedPreconditions, digestPreconditions } from "../../../src/log/preconditions.ts";
import type { RunEvent } from "../../../src/model/event.ts";
import { observed, recorded, unknown } from "../../../src/model/fact.ts";
import type { Action } from "../../../src/model/plan.ts";
import { emptyState } from "../../../src/model/state.ts";
import { aCreation, anAddition, aPlan, aReplacement, person, teamRef } from "../../support/action-builders.ts";
import {
  added,
  addedTo,
  additionIntent,
  created,
  creationIntent,
  failed,
  intended,
  noon,
  rolesIntent,
  rolesSet,
  runStarted,
  succeeded,
} from "../../support/event-builders.ts";
import { asking, asks } from "../../support/refusal-builders.ts";

const empty = emptyState("l");
const later = "2026-11-21T12:00:00.000Z";
const science = teamRef("Science", "t-1");

const creation = { ...aCreation("ada"), request: asks.creation("ada").request };
const founding = aCreation("ada", { createsTeam: "Science", admin: person("chief") });
const addition = anAddition(science, [person("ada", "u-1"), person("bo", "u-2")]);
const shownRoles = aReplacement("shown", { of: "prefix", prefix: observed("k-0", "s") }, ["A"], {
  before: observed(["B"], "s"),
});
const recordedKey = { of: "prefix", prefix: recorded("k-1", noon) } as const;
const recordedRoles = aReplacement("recorded", recordedKey, ["A"], { before: unknown("no"), owner: person("ada") });
const recordedTeamRoles = aReplacement("in-team", { ...recordedKey, team: science }, ["A"], { owner: person("ada") });

function creationOf(name: string, at = noon): readonly RunEvent[] {
  const learned = created(name, { identifier: "u-1", prefix: "k-1" });
  return [runStarted("r1"), intended("r1", "c", creationIntent(name), at), succeeded("c", learned, at)];
}

const addsAda = [
  runStarted("r1"),
  intended("r1", "a", additionIntent("ada")),
  succeeded("a", addedTo(added("ada", "k-9"))),
];
const ofAda = "creation ada@acme.example";

/** What has happened since the plan was made, and what of the plan it moves. */
test.each<[string, readonly Action[], readonly RunEvent[], readonly string[]]>([
  ["somebody else was created", [creation, addition], creationOf("cy"), []],
  ["the person was created", [creation], creationOf("ada"), [ofAda]],
  ["the person was announced to be created", [creation], [intended("r1", "c", creationIntent("ada"))], [ofAda]],
  ["the creation was refused", [creation], [intended("r1", "c", asking(creationIntent("ada"))), failed("c")], [ofAda]],
  [
    "the team was created with somebody else",
    [founding],
    [
      runStarted("r1"),
      intended("r1", "c", creationIntent("bo", "Science")),
      succeeded("c", created("bo", { teamIdentifier: "t-1" })),
    ],
    [ofAda],
  ],
  ["an administrator whom the service names by nothing was learned", [founding], creationOf("chief"), [ofAda]],
  ["one of two was added", [addition], addsAda, ["addition acc-1/science ada@acme.example"]],
  [
    "the addition of one of two was announced",
    [addition],
    [intended("r1", "a", additionIntent("bo"))],
    ["addition acc-1/science bo@acme.example"],
  ],
  [
    "roles that are not shown were replaced",
    [shownRoles, recordedRoles],
    [runStarted("r1"), intended("r1", "p", rolesIntent("k-1", "B")), succeeded("p", rolesSet("k-1"))],
    ["roles k-1"],
  ],
  ["a prefix that is not shown was recorded in a team", [recordedTeamRoles], addsAda, ["roles k-1"]],
])("what the state says of a plan's actions has moved, where since %s", (_, actions, events, about) => {
  const plan = aPlan(actions);
  expect(digestPreconditions(plan, empty)).toEqual([]);
  expect(changedPreconditions(plan, applyEvents(empty, events), []).map((one) => one.about)).toEqual(about);
});

test("the same, recorded anew at another time, has not moved", () => {
  const [known, again] = [noon, later].map((at) => applyEvents(empty, creationOf("ada", at)));
  const plan = aPlan([creation, addition, recordedRoles]);
  const digested = digestPreconditions(plan, known ?? empty);
  expect(digested.map(({ about }) => about)).toEqual([ofAda, "roles k-1"]);
  expect(changedPreconditions(plan, again ?? empty, digested)).toEqual([]);
  expect(changedPreconditions(plan, empty, digested).map(({ about }) => about)).toEqual([ofAda, "roles k-1"]);
});
