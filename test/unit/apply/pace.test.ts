import { expect, test } from "vitest";
import { type ConcurrencyLimit, concurrencyUpTo } from "../../../src/apply/pace.ts";

function limits(pace: ConcurrencyLimit, ...steps: readonly ("succeeded" | "throttled")[]): readonly number[] {
  return steps.map((step) => {
    pace[step]();
    return pace.limit;
  });
}

test("writes start two at a time and grow one by one up to the bound", () => {
  const pace = concurrencyUpTo(4);
  expect(pace.limit).toBe(2);
  expect(limits(pace, "succeeded", "succeeded", "succeeded")).toEqual([3, 4, 4]);
});

test("throttling halves them, down to one, and they grow again", () => {
  const pace = concurrencyUpTo(9);
  for (let done = 0; done < 9; done += 1) pace.succeeded();
  expect(limits(pace, "throttled", "throttled", "throttled", "throttled", "succeeded")).toEqual([4, 2, 1, 1, 2]);
});

test("where one at a time is the bound, it stays so", () => {
  expect(limits(concurrencyUpTo(1), "succeeded", "throttled", "succeeded")).toEqual([1, 1, 1]);
});
