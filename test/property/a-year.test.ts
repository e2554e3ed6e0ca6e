import { expect, test } from "vitest";
import { isDeep } from "../support/property-runs.ts";
import { eventNames } from "../support/year-events.ts";
import { yearOf } from "../support/year-story.ts";

const year = isDeep ? { seed: 14, people: 60, teams: 8, merges: 40 } : { seed: 15, people: 30, teams: 3, merges: 24 };

test("through many merges at a company, nobody is doubled, brought back or mailed twice, no guard is passed without an allowance, and the roster is reached", async () => {
  const { troubles, happened } = await yearOf(year);
  expect(troubles).toEqual([]);
  expect(happened).toContain("a company is bought");
  const missing = eventNames.filter((name) => !happened.has(name));
  expect(missing.length).toBeLessThanOrEqual(isDeep ? 0 : eventNames.length / 2);
});
