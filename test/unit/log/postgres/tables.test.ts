import { describe, expect, test } from "vitest";
import { reportOf } from "../../../../src/log/postgres/tables.ts";
import { emptyState } from "../../../../src/model/state.ts";
import { creationIntent, openIntent } from "../../../support/event-builders.ts";

const open = (...actions: readonly string[]) =>
  actions.map((action) => openIntent("r1", action, creationIntent("ada")));

describe("a check of the tables of a state", () => {
  test("says where there are none", () => {
    expect(reportOf("no tables")).toEqual({
      state: emptyState(""),
      parts: ["the database has no tables of roster yet"],
    });
  });

  test.each([
    ["nothing", false, 0, [], ["roster_state is empty: no run has saved it", "every recorded call has an outcome"]],
    ["a saved version", true, 0, [], ["roster_state holds version 3 of l", "every recorded call has an outcome"]],
    [
      "a journal after it, with a call that nobody knows the outcome of",
      true,
      2,
      open("c"),
      [
        "roster_state holds version 3 of l",
        "roster_journal holds 1 event after version 3",
        "1 recorded call has no outcome",
      ],
    ],
    [
      "several calls",
      true,
      3,
      open("c", "d"),
      [
        "roster_state holds version 3 of l",
        "roster_journal holds 2 events after version 3",
        "2 recorded calls have no outcome",
      ],
    ],
  ])("says that they hold %s", (_, saved, lines, calls, parts) => {
    const state = { ...emptyState("l"), serial: 3, open: calls };
    expect(reportOf({ state, saved, lines })).toEqual({ state, parts });
  });
});
