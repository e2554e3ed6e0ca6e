import { describe, expect, test } from "vitest";
import { readSequence } from "../../../../src/cli/apply/apply-under-lock.ts";
import { supersededRun } from "../../../../src/library/apply/apply.ts";
import { emptyState } from "../../../../src/model/state.ts";

describe("the sequence of a run", () => {
  test.each([
    ["0", 0],
    ["4711", 4711],
    [undefined, undefined],
  ])("%s is %s", (sequence, number) => {
    expect(readSequence({ sequence })).toEqual({ ok: true, value: number });
  });

  test.each(["-1", "1.5", "1e3", "", "v7", "9007199254740993"])("%j is none", (sequence) => {
    expect(readSequence({ sequence })).toMatchObject({ error: { diagnostics: [{ code: "bad-flag-value" }] } });
  });

  test.each<[string, number | undefined, number | undefined, boolean]>([
    ["a run after the last one", 8, 7, false],
    ["the last run again", 7, 7, false],
    ["a run before the last one", 6, 7, true],
    ["a run that names no place", undefined, 7, false],
    ["the first that names one", 6, undefined, false],
  ])("%s: overtaken or not", (_, sequence, applied, late) => {
    const state = { ...emptyState("l"), ...(applied === undefined ? {} : { sequence: applied }) };
    const stop = supersededRun(sequence, state);
    expect([stop?.reason, stop?.problem?.message]).toEqual(
      late
        ? ["stale", "this run has number 6, but number 7 with a newer roster was already applied"]
        : [undefined, undefined],
    );
  });
});
