import { describe, expect, test } from "vitest";
import { type RunProgress, trackProgress } from "../../../src/log/summary.ts";
import type { RunEvent } from "../../../src/model/event.ts";
import { aPlan, createId } from "../../support/action-builders.ts";
import { companyPlan } from "../../support/company-plan.ts";
import {
  created,
  creationIntent,
  failed,
  intended,
  resolved,
  runStarted,
  succeeded,
  unknownOutcome,
} from "../../support/event-builders.ts";
import { addition, boRoles, everything, firstMemberRoles, teamCreation } from "../../support/science-plan.ts";

const noon = Date.parse("2026-11-20T12:00:00.000Z");
const at = (seconds: number) => new Date(noon + seconds * 1000).toISOString();
const creationOfBo = createId("bo");
const unneeded = (action: string, second: number): RunEvent => ({
  type: "unneeded",
  at: at(second),
  action,
  why: "shown",
});

/** How far the run is so many seconds after it began. */
function after(events: readonly RunEvent[], seconds = 10, plan = aPlan(everything)): RunProgress {
  const fold = trackProgress(plan, noon);
  for (const event of events) fold.take(event);
  return fold.at(noon + seconds * 1000);
}

const begun = [runStarted("r1"), intended("r1", teamCreation, creationIntent("ada", "Science"), at(1))];
const createdTeam = [...begun, succeeded(teamCreation, created("ada"), at(2))];

/** Each stage as how many are done, run, wait, failed, are unknown and were left out. */
const counts = ({ stages }: RunProgress) =>
  stages.map(({ stage, done, running, waiting, failed: lost, unknown, leftOut }) =>
    [stage, done, running, waiting, lost, unknown, leftOut].join(" "),
  );
const nothing = ["found 0 0 1 0 0 0", "create 0 0 1 0 0 0", "add 0 0 1 0 0 0", "replace 0 0 3 0 0 0"];
const [, ...others] = nothing;

test.each<[string, readonly RunEvent[], readonly string[]]>([
  ["nothing yet", [], nothing],
  ["a call is announced", begun, ["found 0 1 0 0 0 0", ...others]],
  [
    "what is not needed is done as well",
    [...createdTeam, unneeded(firstMemberRoles, 3)],
    ["found 1 0 0 0 0 0", ...others.slice(0, 2), "replace 1 0 2 0 0 0"],
  ],
  [
    "one fails, and another is left out for it",
    [
      ...createdTeam,
      failed(creationOfBo),
      { type: "skipped", at: at(3), action: addition, cause: creationOfBo, why: "it failed" },
      { type: "stale", at: at(3), action: boRoles, why: "it moved" },
    ],
    ["found 1 0 0 0 0 0", "create 0 0 0 1 0 0", "add 0 0 0 0 0 1", "replace 0 0 2 0 0 1"],
  ],
  [
    "an outcome that is not known yet is counted by itself",
    [...begun, unknownOutcome(teamCreation)],
    ["found 0 0 0 0 1 0", ...others],
  ],
  [
    "an unknown outcome that reading settles a moment later has not failed",
    [...begun, unknownOutcome(teamCreation), resolved("r1", teamCreation, created("ada"))],
    ["found 1 0 0 0 0 0", ...others],
  ],
  ["what an earlier run left open is none of this run's", [resolved("r0", teamCreation, created("ada"))], nothing],
])("stages count what is done, runs, waits, failed and was left out: %s", (_, events, stages) => {
  const { stages: told, ...progress } = after(events);
  expect(counts({ ...progress, stages: told })).toEqual(stages);
  expect(told.map(({ total }) => total)).toEqual([1, 1, 1, 3]);
});

test("it tells what runs, and since when", () => {
  const running = after(begun).running.map(({ action, since }) => [action.id, since]);
  expect([running, after(createdTeam).running]).toEqual([[[teamCreation, noon + 1000]], []]);
});

test("it tells what waits, and for what", () => {
  const told = (progress: RunProgress) => progress.waiting.map(({ count, for: cause }) => `${count} ${cause?.id}`);
  expect(told(after(begun))).toEqual([`3 ${teamCreation}`, `1 ${creationOfBo}`, `1 ${addition}`]);
  expect(told(after(createdTeam))).toEqual(["2 undefined", `2 ${creationOfBo}`, `1 ${addition}`]);
});

test("it tells what the run itself waits for, until when and how often", () => {
  const waiting = (seconds: number, milliseconds: number, why: string): RunEvent => {
    return { type: "waiting", at: at(seconds), milliseconds, why };
  };
  const { pauses } = after([waiting(1, 2000, "throttled"), waiting(2, 500, "throttled"), waiting(3, 100, "settling")]);
  expect(pauses).toEqual([
    { why: "throttled", until: noon + 3000, times: 2 },
    { why: "settling", until: noon + 3100, times: 1 },
  ]);
});

describe("rate and time left", () => {
  const plan = companyPlan(2);
  const ends = (count: number, second: number) => plan.actions.slice(0, count).map(({ id }) => unneeded(id, second));

  test.each<[string, readonly RunEvent[], number, readonly (number | undefined)[]]>([
    ["nothing is told before three have ended", ends(2, 1), 4, [undefined, undefined]],
    ["the rate is that of the run, while it is young", ends(8, 1), 4, [2, 17_000]],
    ["later it is that of the last ten seconds", [...ends(2, 1), ...ends(22, 25)], 30, [2, 10_000]],
    ["where too little ended of late, it is that of the run again", ends(22, 1), 44, [0.5, 40_000]],
    ["when nothing is left, no time is", ends(42, 1), 4, [10.5, undefined]],
  ])("%s", (_, events, seconds, expected) => {
    const { rate, timeLeft } = after(events, seconds, plan);
    expect([rate, timeLeft]).toEqual(expected);
  });
});

test("it tells when only reading again is left, and when the run is over", () => {
  const all = everything.map(({ id }) => unneeded(id, 1));
  const finished: RunEvent = { type: "run-finished", at: at(2), ended: "completed" };
  const phases = [begun, all, [...all, finished]].map((events) => after(events).phase);
  expect(phases).toEqual(["running", "reading-again", "finished"]);
});
