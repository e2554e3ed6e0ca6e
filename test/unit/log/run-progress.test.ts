import { describe, expect, test } from "vitest";
import { type RunProgress, trackProgress } from "../../../src/log/run-progress.ts";
import type { RunEvent } from "../../../src/model/event.ts";
import { aPlan } from "../../support/action-builders.ts";
import { companyPlan } from "../../support/company-plan.ts";
import {
  added,
  addedTo,
  created,
  creationIntent,
  intended,
  runStarted,
  succeeded,
} from "../../support/event-builders.ts";
import { addressOf } from "../../support/roster-builders.ts";
import { addition, boRoles, everything, firstMemberRoles, teamCreation } from "../../support/science-plan.ts";

const noon = Date.parse("2026-11-20T12:00:00.000Z");
const at = (seconds: number) => new Date(noon + seconds * 1000).toISOString();
const failure = { code: "refused", message: "no", status: 422 } as const;
const creationOfBo = "create-user:bo@acme.example";

/** How far the run is so many seconds after it began. */
function after(events: readonly RunEvent[], seconds = 10, plan = aPlan(everything)): RunProgress {
  const fold = trackProgress(plan, noon);
  for (const event of events) fold.take(event);
  return fold.at(noon + seconds * 1000);
}

const begun = [runStarted("run-1"), intended("run-1", teamCreation, creationIntent("ada", "Science"), at(1))];
const createdTeam = [...begun, succeeded(teamCreation, created("ada"), at(2))];

const counts = ({ stages }: RunProgress) =>
  Object.fromEntries(
    stages.map(({ stage, done, running, waiting, failed, leftOut }) => [
      stage,
      [done, running, waiting, failed, leftOut].join(" "),
    ]),
  );

describe("stages count what is done, runs, waits, failed and was left out", () => {
  test.each<[string, readonly RunEvent[], Record<string, string>]>([
    ["nothing yet", [], { found: "0 0 1 0 0", create: "0 0 1 0 0", add: "0 0 1 0 0", replace: "0 0 3 0 0" }],
    ["a call is announced", begun, { found: "0 1 0 0 0", create: "0 0 1 0 0", add: "0 0 1 0 0", replace: "0 0 3 0 0" }],
    ["it is done", createdTeam, { found: "1 0 0 0 0", create: "0 0 1 0 0", add: "0 0 1 0 0", replace: "0 0 3 0 0" }],
    [
      "what is not needed is done as well",
      [...createdTeam, { type: "unneeded", at: at(3), action: firstMemberRoles, why: "shown" }],
      { found: "1 0 0 0 0", create: "0 0 1 0 0", add: "0 0 1 0 0", replace: "1 0 2 0 0" },
    ],
    [
      "one fails, and another is left out for it",
      [
        ...createdTeam,
        { type: "failed", at: at(3), action: creationOfBo, failure },
        { type: "skipped", at: at(3), action: addition, cause: creationOfBo, why: "it failed" },
        { type: "stale", at: at(3), action: boRoles, why: "it moved" },
      ],
      { found: "1 0 0 0 0", create: "0 0 0 1 0", add: "0 0 0 0 1", replace: "0 0 2 0 1" },
    ],
    [
      "an unknown outcome that reading settles a moment later has not failed",
      [
        ...begun,
        { type: "unknown-outcome", at: at(3), action: teamCreation, failure },
        {
          type: "resolved",
          at: at(5),
          run: "run-1",
          action: teamCreation,
          as: { done: true, learned: created("ada") },
        },
      ],
      { found: "1 0 0 0 0", create: "0 0 1 0 0", add: "0 0 1 0 0", replace: "0 0 3 0 0" },
    ],
    [
      "what an earlier run left open is none of this run's",
      [
        {
          type: "resolved",
          at: at(0),
          run: "run-0",
          action: teamCreation,
          as: { done: true, learned: created("ada") },
        },
      ],
      { found: "0 0 1 0 0", create: "0 0 1 0 0", add: "0 0 1 0 0", replace: "0 0 3 0 0" },
    ],
  ])("%s", (_, events, stages) => {
    expect(counts(after(events))).toEqual(stages);
  });
});

test("an outcome that is not known yet is counted by itself", () => {
  const lost: RunEvent = { type: "unknown-outcome", at: at(3), action: teamCreation, failure };
  const [stage] = after([...begun, lost]).stages;
  expect(stage).toEqual({
    stage: "found",
    total: 1,
    done: 0,
    running: 0,
    waiting: 0,
    failed: 0,
    unknown: 1,
    leftOut: 0,
  });
});

test("it tells what runs, and since when", () => {
  const { running } = after(begun);
  expect(running.map(({ action, since }) => [action.id, since])).toEqual([[teamCreation, noon + 1000]]);
  expect(after(createdTeam).running).toEqual([]);
});

test("it tells what waits, and for what", () => {
  const told = (progress: RunProgress) => progress.waiting.map(({ count, for: cause }) => [count, cause?.id]);
  expect(told(after(begun))).toEqual([
    [3, teamCreation],
    [1, creationOfBo],
    [1, addition],
  ]);
  expect(told(after(createdTeam))).toEqual([
    [2, undefined],
    [2, creationOfBo],
    [1, addition],
  ]);
});

test("it tells what the run itself waits for, until when and how often", () => {
  const waiting = (seconds: number, milliseconds: number, why: string): RunEvent => ({
    type: "waiting",
    at: at(seconds),
    milliseconds,
    why,
  });
  const { pauses } = after([waiting(1, 2000, "throttled"), waiting(2, 500, "throttled"), waiting(3, 100, "settling")]);
  expect(pauses).toEqual([
    { why: "throttled", until: noon + 3000, times: 2 },
    { why: "settling", until: noon + 3100, times: 1 },
  ]);
});

test("a call that was answered is done, although somebody was refused", () => {
  const refused = { address: addressOf("bo"), outcome: { added: false, failure } } as const;
  const progress = after([...createdTeam, succeeded(addition, addedTo(added("cy"), refused), at(3))]);
  expect(counts(progress)["add"]).toBe("1 0 0 0 0");
});

describe("rate and time left", () => {
  const plan = companyPlan(2);
  const ends = (count: number, second: number): readonly RunEvent[] =>
    plan.actions.slice(0, count).map(({ id }) => ({ type: "unneeded", at: at(second), action: id, why: "shown" }));

  test.each<[string, readonly RunEvent[], number, { rate?: number; timeLeft?: number }]>([
    ["nothing is told before three have ended", ends(2, 1), 4, {}],
    ["the rate is that of the run, while it is young", ends(8, 1), 4, { rate: 2, timeLeft: 17_000 }],
    ["later it is that of the last ten seconds", [...ends(2, 1), ...ends(22, 25)], 30, { rate: 2, timeLeft: 10_000 }],
    ["where too little ended of late, it is that of the run again", ends(22, 1), 44, { rate: 0.5, timeLeft: 40_000 }],
    ["when nothing is left, no time is", ends(42, 1), 4, { rate: 10.5 }],
  ])("%s", (_, events, seconds, expected) => {
    const { rate, timeLeft } = after(events, seconds, plan);
    expect({ ...(rate === undefined ? {} : { rate }), ...(timeLeft === undefined ? {} : { timeLeft }) }).toEqual(
      expected,
    );
  });
});

test("it tells when only reading again is left, and when the run is over", () => {
  const all = everything.map(({ id }): RunEvent => ({ type: "unneeded", at: at(1), action: id, why: "shown" }));
  expect(after(begun).phase).toBe("running");
  expect(after(all).phase).toBe("reading-again");
  expect(after([...all, { type: "run-finished", at: at(2), ended: "completed" }]).phase).toBe("finished");
});
