import { expect, test } from "vitest";
import { eventNames } from "../support/year-deck.ts";
import { yearOf } from "../support/year-story.ts";

test("through forty merges at a company of sixty, nobody is doubled, brought back or mailed twice, and the roster is reached", async () => {
  const { troubles, happened } = await yearOf({ seed: 14, people: 60, teams: 8, merges: 40 });
  expect(troubles).toEqual([]);
  expect(eventNames.filter((name) => !happened.has(name))).toEqual([]);
});
