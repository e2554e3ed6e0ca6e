import { describe, expect, test } from "vitest";
import { type RetryRule, retry, retryAfter } from "../../../src/http/origin.ts";

/** A clock that jumps over each pause, and by `sleep` more. */
function jumpingClock(sleep = 0) {
  let now = 1000;
  const pauses: number[] = [];
  return {
    pauses,
    now: () => now,
    monotonic: () => 0,
    async wait(milliseconds: number) {
      pauses.push(milliseconds);
      now += milliseconds + sleep;
    },
  };
}

describe("retry", () => {
  test.each<
    [string, Omit<RetryRule<number>, "clock">, { readonly result: number; readonly pauses: readonly number[] }]
  >([
    ["attempts once where the first result holds", { pauseAfter: () => undefined }, { result: 1, pauses: [] }],
    [
      "attempts until a result holds, and says how often and for how long",
      { pauseAfter: (result, { tries, elapsed }) => (result < 4 ? tries * 10 + elapsed : undefined) },
      { result: 4, pauses: [10, 30, 70] },
    ],
    [
      "returns the last result where no further attempt is wanted after a pause",
      { pauseAfter: () => 10, isStillWanted: ({ elapsed }) => elapsed < 25 },
      { result: 3, pauses: [10, 10, 10] },
    ],
  ])("%s", async (_what, rule, expected) => {
    const clock = jumpingClock();
    let attempts = 0;
    const result = await retry(
      async () => {
        attempts += 1;
        return attempts;
      },
      { clock, ...rule },
    );
    expect({ result, pauses: clock.pauses }).toEqual(expected);
  });

  test("a process that slept in a pause does not go on where the time is over", async () => {
    const clock = jumpingClock(60_000);
    const result = await retry(async () => "late", {
      clock,
      pauseAfter: () => 10,
      isStillWanted: ({ elapsed }) => elapsed < 1000,
    });
    expect({ result, pauses: clock.pauses }).toEqual({ result: "late", pauses: [10] });
  });
});

describe("Retry-After", () => {
  const now = Date.parse("2026-11-20T10:00:00Z");

  test.each([
    ["seconds", "5", 5000],
    ["a fraction of seconds", "0.5", 500],
    ["a date to come", "Fri, 20 Nov 2026 10:00:07 GMT", 7000],
    ["a date gone by", "Fri, 20 Nov 2026 09:00:00 GMT", 0],
    ["a negative number", "-5", undefined],
    ["words", "soon", undefined],
    ["nothing", undefined, undefined],
    ["an empty text", "", undefined],
  ])("%s", (_name, value, wait) => {
    expect(retryAfter(value, now)).toBe(wait);
  });
});
