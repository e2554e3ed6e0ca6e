import { expect, test } from "vitest";
import { eventNames } from "../support/year-events.ts";
import { yearOf } from "../support/year-story.ts";

const seed = Number(process.env["CHAOS_SEED"] ?? Date.now() % 1_000_000);
const years = Number(process.env["CHAOS_YEARS"] ?? 1);

test.each(Array.from({ length: years }, (_, index) => ({ from: seed + index })))(
  "of a year with 250 merges at a company of 400 with CHAOS_SEED=$from, nothing is told that should not have been",
  async ({ from }) => {
    const { troubles, happened } = await yearOf({ seed: from, people: 400, teams: 35, merges: 250 });
    expect(troubles).toEqual([]);
    expect(eventNames.filter((name) => !happened.has(name)).length).toBeLessThanOrEqual(eventNames.length / 2);
  },
);
