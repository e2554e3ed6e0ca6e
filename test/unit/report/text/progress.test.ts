import { expect, test } from "vitest";
import { foldAddress } from "../../../../src/model/address.ts";
import type { LearnedOutcome, RunEvent } from "../../../../src/model/event.ts";
import type { Failure } from "../../../../src/model/recorded.ts";
import { teamKeyOf } from "../../../../src/model/team.ts";
import { progressLine } from "../../../../src/report/text/progress.ts";
import { samplePlan } from "../../../support/report-samples.ts";

const at = "2026-11-20T06:00:00.000Z";
const [createAda, createCy, addToPlatform, replaceBo] = samplePlan.actions.map((action) => action.id) as [
  string,
  string,
  string,
  string,
];
const failure: Failure = { code: "conflict", message: "somebody is there already", status: 409 };
const bo = foldAddress("bo@acme.example");
const cy = foldAddress("cy@acme.example");
const platform = teamKeyOf("acc-1", "Platform");

function addedOnly(...people: readonly (typeof bo)[]): LearnedOutcome {
  const members = people.map((address) => ({ address, outcome: { added: true as const } }));
  return { kind: "add-members", team: platform, members };
}

const events: readonly (readonly [string, RunEvent])[] = [
  [
    "created Ada@acme.example and team Data Science",
    {
      type: "succeeded",
      at,
      action: createAda,
      learned: { kind: "create-user", address: foldAddress("ada@acme.example"), answered: {} },
    },
  ],
  [
    "created cy@acme.example",
    { type: "succeeded", at, action: createCy, learned: { kind: "create-user", address: cy, answered: {} } },
  ],
  [
    "added 1 person to Platform; refused cy@acme.example: somebody is there already (status 409)",
    {
      type: "succeeded",
      at,
      action: addToPlatform,
      learned: {
        kind: "add-members",
        team: platform,
        members: [
          { address: bo, outcome: { added: true } },
          { address: cy, outcome: { added: false, failure } },
        ],
      },
    },
  ],
  [
    "replaced the roles of bo@acme.example's key in Platform (12pref1x121)",
    { type: "succeeded", at, action: replaceBo, learned: { kind: "replace-roles", prefix: "12pref1x121" } },
  ],
  [
    "failed to create user cy@acme.example: somebody is there already (status 409)",
    { type: "failed", at, action: createCy, failure },
  ],
  [
    "unknown outcome: add 2 people to team Platform: the connection was lost",
    {
      type: "unknown-outcome",
      at,
      action: addToPlatform,
      failure: { code: "unreachable", message: "the connection was lost" },
    },
  ],
  [
    "skipped: add 2 people to team Platform, because nobody is left",
    { type: "skipped", at, action: addToPlatform, why: "nobody is left" },
  ],
  [
    "stale: create user cy@acme.example, because she is there by now",
    { type: "stale", at, action: createCy, why: "she is there by now" },
  ],
  [
    "unchanged: bo@acme.example's key in Platform (12pref1x121)",
    { type: "unneeded", at, action: replaceBo, why: "it has them" },
  ],
  [
    "resolved by reading: create-user:of an earlier run (it was not done)",
    { type: "resolved", at, run: "r", action: "create-user:of an earlier run", as: { done: false } },
  ],
  [
    "resolved by reading: replace the roles of bo@acme.example's key in Platform (12pref1x121) (reads do not show if it was done)",
    { type: "resolved", at, run: "r", action: replaceBo, as: { done: false, unproven: true } },
  ],
  [
    "resolved by reading: add 2 people to team Platform (it was done for bo@acme.example)",
    { type: "resolved", at, run: "r", action: addToPlatform, as: { done: true, learned: addedOnly(bo) } },
  ],
  [
    "resolved by reading: add 2 people to team Platform (it was done)",
    { type: "resolved", at, run: "r", action: addToPlatform, as: { done: true, learned: addedOnly(bo, cy) } },
  ],
  [
    "resolved by reading: add 2 people to team Platform (it was done, still unknown for cy@acme.example)",
    { type: "resolved", at, run: "r", action: addToPlatform, as: { done: true, learned: addedOnly(bo) }, except: [cy] },
  ],
  [
    "resolved by reading: add 2 people to team Platform (no member was added)",
    {
      type: "resolved",
      at,
      run: "r",
      action: addToPlatform,
      as: {
        done: true,
        learned: {
          kind: "add-members",
          team: platform,
          members: [{ address: bo, outcome: { added: false, failure } }],
        },
      },
    },
  ],
  ["waiting 1.3 s: the service is busy", { type: "waiting", at, milliseconds: 1234, why: "the service is busy" }],
];

test.each(events)("somebody who waits reads: %s", (line, event) => {
  expect(progressLine(event, samplePlan)).toBe(line);
});

test("what nobody waits for is not told", () => {
  expect(progressLine({ type: "key-learned", at, address: bo, team: platform, prefix: "p" }, samplePlan)).toBe(
    undefined,
  );
  expect(progressLine({ type: "run-finished", at, ended: "completed" }, samplePlan)).toBe(undefined);
});
