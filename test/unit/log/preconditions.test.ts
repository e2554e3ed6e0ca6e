import { describe, expect, test } from "vitest";
import { applyEvents } from "../../../src/log/fold.ts";
import { changedPreconditions, digestPreconditions } from "../../../src/log/preconditions.ts";
import type { Action } from "../../../src/model/action.ts";
import type { RunEvent } from "../../../src/model/event.ts";
import { recorded, unknown } from "../../../src/model/fact.ts";
import { emptyState, type State } from "../../../src/model/state.ts";
import { aCreation, anAddition, aPlan, aReplacement, person, teamRef } from "../../support/action-builders.ts";
import {
  added,
  addedTo,
  additionIntent,
  created,
  creationIntent,
  intended,
  noon,
  rolesIntent,
  runStarted,
  succeeded,
} from "../../support/event-builders.ts";
import { asking, asks } from "../../support/refusal-builders.ts";
import { addressOf, emailOf } from "../../support/roster-builders.ts";

const empty = emptyState("l");
const later = "2026-11-21T12:00:00.000Z";
const hidden = { known: "unknown", why: "the service does not show it" } as const;

const creation = { ...aCreation("ada"), request: asks.creation("ada").request };
const teamCreationOfScience = aCreation("ada", {
  createsTeam: "Science",
  admin: { ...person("chief"), identifier: hidden },
});
const addition = anAddition(teamRef("Science", "t-1"), [person("ada", "u-1"), person("bo", "u-2")]);
const shownRoles = aReplacement(
  "shown",
  { of: "prefix", prefix: { known: "observed", value: "k-0", by: "s" } },
  ["A"],
  {
    before: { known: "observed", value: ["B"], by: "s" },
  },
);
const recordedRoles = aReplacement("recorded", { of: "prefix", prefix: recorded("k-1", noon) }, ["A"], {
  before: unknown("not shown"),
  owner: person("ada"),
});

const recordedTeamRoles = aReplacement(
  "recorded-in-team",
  { of: "prefix", prefix: recorded("k-1", noon), team: teamRef("Science", "t-1") },
  ["A"],
  { owner: person("ada") },
);

function creationOf(name: string, at = noon): readonly RunEvent[] {
  return [
    runStarted("r1"),
    intended("r1", "c", creationIntent(name), at),
    succeeded("c", created(name, { identifier: "u-1", prefix: "k-1" }), at),
  ];
}

const refusal = { code: "refused", message: "no" } as const;

/** What has happened since the plan was made, and what of the plan it moves. */
const moves: Readonly<Record<string, readonly [readonly Action[], readonly RunEvent[], readonly string[]]>> = {
  "nothing at all": [[creation, teamCreationOfScience, addition, shownRoles, recordedRoles], [], []],
  "somebody else was created": [[creation, addition], creationOf("cy"), []],
  "the person was created": [[creation], creationOf("ada"), ["creation ada@acme.example"]],
  "the person was announced to be created": [
    [creation],
    [intended("r1", "c", creationIntent("ada"))],
    ["creation ada@acme.example"],
  ],
  "the person was met": [
    [creation],
    [
      {
        type: "users-observed",
        at: noon,
        service: "s",
        people: [{ address: addressOf("ada"), email: emailOf("ada"), account: "acc-1" }],
        teams: [],
      },
    ],
    ["creation ada@acme.example"],
  ],
  "the creation was refused": [
    [creation],
    [intended("r1", "c", asking(creationIntent("ada"))), { type: "failed", at: noon, action: "c", failure: refusal }],
    ["creation ada@acme.example"],
  ],
  "the team was created with somebody else": [
    [teamCreationOfScience],
    [
      runStarted("r1"),
      intended("r1", "c", creationIntent("bo", "Science")),
      succeeded("c", created("bo", { teamIdentifier: "t-1" })),
    ],
    ["creation ada@acme.example"],
  ],
  "an administrator whom the service names by nothing was learned": [
    [teamCreationOfScience],
    creationOf("chief"),
    ["creation ada@acme.example"],
  ],
  "one of two was added": [
    [addition],
    [runStarted("r1"), intended("r1", "a", additionIntent("ada")), succeeded("a", addedTo(added("ada", "k-9")))],
    ["addition acc-1/science ada@acme.example"],
  ],
  "the addition of one of two was announced": [
    [addition],
    [intended("r1", "a", additionIntent("bo"))],
    ["addition acc-1/science bo@acme.example"],
  ],
  "roles that are not shown were replaced": [
    [shownRoles, recordedRoles],
    [
      runStarted("r1"),
      intended("r1", "p", rolesIntent("k-1", "B")),
      succeeded("p", { kind: "replace-roles", prefix: "k-1" }),
    ],
    ["roles k-1"],
  ],
  "a prefix that is not shown was recorded of its owner": [
    [shownRoles, recordedRoles],
    creationOf("ada"),
    ["roles k-1"],
  ],
  "a prefix that is not shown was recorded in a team": [
    [recordedTeamRoles],
    [runStarted("r1"), intended("r1", "a", additionIntent("ada")), succeeded("a", addedTo(added("ada", "k-9")))],
    ["roles k-1"],
  ],
};

describe("what the state says of a plan's actions has moved, where since", () => {
  test.each(Object.entries(moves))("%s", (_, [actions, events, about]) => {
    const plan = aPlan(actions);
    expect(digestPreconditions(plan, empty)).toEqual([]);
    const changed = changedPreconditions(plan, applyEvents(empty, events), []);
    expect(changed.map((one) => one.about)).toEqual(about);
  });
});

test("the same, recorded anew at another time, has not moved", () => {
  const known: State = applyEvents(empty, creationOf("ada"));
  const again: State = applyEvents(empty, creationOf("ada", later));
  const plan = aPlan([creation, addition, recordedRoles]);
  const digested = digestPreconditions(plan, known);
  expect(digested.map(({ about }) => about)).toEqual(["creation ada@acme.example", "roles k-1"]);
  expect(changedPreconditions(plan, again, digested)).toEqual([]);
  expect(changedPreconditions(plan, empty, digested).map(({ about }) => about)).toEqual([
    "creation ada@acme.example",
    "roles k-1",
  ]);
});
