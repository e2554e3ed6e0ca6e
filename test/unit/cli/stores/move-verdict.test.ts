import { describe, expect, test } from "vitest";
import { checkMove } from "../../../../src/cli/stores/move-verdict.ts";
import { emptyState, type State } from "../../../../src/model/state.ts";
import { creationIntent, noon, openIntent } from "../../../support/event-builders.ts";

const open = [openIntent("r1", "c", creationIntent("ada"))];
const state: State = { ...emptyState("ours"), serial: 7, sequence: 3, open };

describe("moving a state", () => {
  test.each<[string, State, string]>([
    ["to a place that holds nothing", emptyState("new"), "copy"],
    ["to a place with an older version of it", { ...state, serial: 6, open: [] }, "copy"],
    ["back to where it was moved from", { ...emptyState("ours"), serial: 9, moved: { to: "here", at: noon } }, "copy"],
    ["again, after the copy was made and before the old place was marked", { ...state, serial: 8 }, "only-mark"],
    [
      "to a place with a newer version of it",
      { ...state, serial: 8, open: [] },
      "it holds a newer version of the same state (serial 8, and serial 7 was to be moved)",
    ],
    [
      "to a place with another state",
      { ...state, lineage: "theirs" },
      "it holds another state (lineage theirs, serial 7)",
    ],
    [
      "to a place that a run has begun and never saved",
      { ...emptyState("theirs"), open },
      "it holds another state (lineage theirs, serial 0)",
    ],
    [
      "to a place from which another state was moved",
      { ...emptyState("theirs"), serial: 2, moved: { to: "elsewhere", at: noon } },
      "it holds another state (lineage theirs, serial 2)",
    ],
  ])("%s", (_, there, verdict) => {
    const judged = checkMove(state, there);
    expect(judged.may === "no" ? judged.why : judged.may).toBe(verdict);
  });
});
