import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { troublesOf } from "../support/disturbed-applies.ts";
import { clockDraws } from "../support/drawn/draw.ts";
import { tallyOf } from "../support/drawn/play.ts";
import type { KillPoint } from "../support/fault.ts";
import { isDeep, runs } from "../support/property-runs.ts";
import type { Setting } from "../support/stage.ts";
import type { WallDraw } from "../support/virtual-time.ts";

const minute = 60_000;

/** A run that is killed at a creation, one that is killed at an addition, and one after each, at once and with another time. */
function killed(when: KillPoint, first: WallDraw, next: WallDraw, state: Setting["state"] = "file") {
  const kill = (among: "creations" | "additions") => ({
    kill: { place: { among, number: 1 }, when, turns: 1 },
    wall: first,
  });
  return troublesOf([kill("creations"), { wall: next }, kill("additions"), { wall: next }], {
    state,
    lag: 8000,
    pause: 2000,
  });
}

describe("a call of a run that was killed, while reads are 8 s late, is not sent again", () => {
  test.for<[string, WallDraw, WallDraw]>([
    ["16 minutes ahead", { ahead: 0 }, { ahead: 16 * minute }],
    ["an hour ahead", { ahead: 0 }, { ahead: 60 * minute }],
    ["right again, and was an hour back before", { ahead: -60 * minute }, { ahead: 0 }],
    ["set 16 minutes ahead as it begins to read", { ahead: 0 }, { ahead: 0, step: { after: 20, by: 16 * minute } }],
    ["set an hour back in the killed run", { ahead: 0, step: { after: 20, by: -60 * minute } }, { ahead: 0 }],
  ])("where the clock of the next run is %s", async ([, first, next]) => {
    expect(await killed("after-commit", first, next)).toEqual([]);
    if (isDeep) expect(await killed("before-commit", first, next)).toEqual([]);
  });

  test("nor is one that was never done, until reads can tell", async () => {
    expect(await killed("before-commit", { ahead: 0 }, { ahead: 60 * minute })).toEqual([]);
  });

  test("where the state is written whole each time", async () => {
    expect(await killed("after-commit", { ahead: 0 }, { ahead: 16 * minute }, "bucket")).toEqual([]);
  });
});

test("whatever service is drawn, nobody is created or mailed twice by machines whose clocks are wrong and are set", async () => {
  const numRuns = runs(480, 80);
  const { failure, ...tally } = await tallyOf(fc.sample(clockDraws, { seed: 27, numRuns }));
  expect(failure ?? "nothing").toBe("nothing");
  expect(tally.draws).toBe(numRuns);
});
