import { expect, test } from "vitest";
import { summarizeRun } from "../../../src/log/summary.ts";
import { additionIntent, intended, rolesIntent, runStarted } from "../../support/event-builders.ts";

test("counts the calls that were sent again; the parts of a batch are not", () => {
  const roles = intended("run-1", "roles", rolesIntent("abc", "DEVELOPER"));
  const { retries } = summarizeRun([
    runStarted("run-1"),
    intended("run-1", "add", additionIntent("ada", "bo")),
    intended("run-1", "add", additionIntent("ada")),
    roles,
    intended("run-1", "add", additionIntent("bo")),
    roles,
    roles,
  ]);
  expect(retries).toEqual(new Map([["roles", 2]]));
});
