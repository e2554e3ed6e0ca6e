import { expect, test } from "vitest";
import { type Pace, paceUpTo } from "../../../src/apply/pace.ts";

function limits(pace: Pace, ...steps: readonly ("succeeded" | "throttled")[]): readonly number[] {
  return steps.map((step) => {
    pace[step]();
    return pace.limit;
  });
}

test("writes start two at a time and grow one by one up to the bound", () => {
  const pace = paceUpTo(4);
  expect(pace.limit).toBe(2);
  expect(limits(pace, "succeeded", "succeeded", "succeeded")).toEqual([3, 4, 4]);
});

test("throttling halves them, down to one, and they grow again", () => {
  const pace = paceUpTo(9);
  for (let done = 0; done < 9; done += 1) pace.succeeded();
  expect(limits(pace, "throttled", "throttled", "throttled", "throttled", "succeeded")).toEqual([4, 2, 1, 1, 2]);
});

test("where one at a time is the bound, it stays so", () => {
  expect(limits(paceUpTo(1), "succeeded", "throttled", "succeeded")).toEqual([1, 1, 1]);
});
