import { describe, expect, test } from "vitest";
import { consistencyWindow, settlementWindow } from "../../../src/model/capabilities.ts";

const minute = 60_000;

describe("the consistency window", () => {
  test.each([
    ["is 15 minutes while nothing is known", undefined, { prompt: 0, longest: 0 }, 15 * minute],
    ["is 15 minutes after 49 prompt writes", undefined, { prompt: 49, longest: 0 }, 15 * minute],
    ["is a minute after 50 prompt writes", undefined, { prompt: 50, longest: 2000 }, minute],
    ["is never less than ten times the slowest write", undefined, { prompt: 50, longest: 20_000 }, 200_000],
    [
      "is never less than that while nothing else is known either",
      undefined,
      { prompt: 0, longest: 120_000 },
      1_200_000,
    ],
    ["is what a person has set, whatever was learned", 5000, { prompt: 0, longest: 120_000 }, 5000],
  ])("%s", (_, set, writes, window) => {
    expect(consistencyWindow(set, writes)).toBe(window);
  });

  test("leaves a call that may wait in a queue undecided for ten minutes at least", () => {
    const writes = { prompt: 50, longest: 0 };
    expect(settlementWindow(undefined, writes, { mayBeQueued: true })).toBe(10 * minute);
    expect(settlementWindow(undefined, writes, { mayBeQueued: false })).toBe(minute);
    expect(settlementWindow(20 * minute, writes, { mayBeQueued: true })).toBe(20 * minute);
  });
});
