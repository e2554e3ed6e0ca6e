import { describe, expect, test } from "vitest";
import { consistencyWindow, decisionWindow } from "../../../src/model/consistency-window.ts";

const minute = 60_000;

describe("the consistency window", () => {
  test.each([
    ["is 15 minutes", undefined, 15 * minute],
    ["is what a person has set", 5000, 5000],
  ])("%s", (_, set, window) => {
    expect(consistencyWindow(set)).toBe(window);
  });

  test("leaves a call that may wait in a queue undecided for ten minutes at least", () => {
    expect(decisionWindow(minute, { mayBeQueued: true })).toBe(10 * minute);
    expect(decisionWindow(minute, { mayBeQueued: false })).toBe(minute);
    expect(decisionWindow(20 * minute, { mayBeQueued: true })).toBe(20 * minute);
  });
});
