import { describe, expect, test } from "vitest";
import { readSequence } from "../../../../src/cli/commands/apply.ts";
import { checkSequence } from "../../../../src/library/run-plan.ts";
import { emptyState } from "../../../../src/model/state.ts";
import { errorOf, settled } from "../../../support/settled.ts";

describe("the sequence of a run", () => {
  test.each([
    ["0", 0],
    ["4711", 4711],
    [undefined, undefined],
  ])("%s is %s", (sequence, number) => {
    expect(readSequence(sequence)).toBe(number);
  });

  test.each(["-1", "1.5", "1e3", "", "v7", "9007199254740993"])("%j is none", async (sequence) => {
    expect((await errorOf(() => readSequence(sequence))).code).toBe("bad-flag-value");
  });

  test.each<[string, number | undefined, number | undefined, boolean]>([
    ["a run after the last one", 8, 7, false],
    ["the last run again", 7, 7, false],
    ["a run before the last one", 6, 7, true],
    ["a run that names no place", undefined, 7, false],
    ["the first that names one", 6, undefined, false],
  ])("%s: overtaken or not", async (_, sequence, applied, late) => {
    const state = { ...emptyState("l"), ...(applied === undefined ? {} : { sequence: applied }) };
    const checked = await settled(() => checkSequence(sequence, state));
    expect(checked.ok ? "may go on" : [checked.error.reason, checked.error.message]).toEqual(
      late ? ["stale", "this run has number 6, but number 7 with a newer roster was already applied"] : "may go on",
    );
  });
});
