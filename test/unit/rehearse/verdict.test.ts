import { expect, test } from "vitest";
import { summarizeRun } from "../../../src/journal/summary.ts";
import { problem, success } from "../../../src/model/result.ts";
import { assessRehearsal, type Replan } from "../../../src/rehearse/verdict.ts";
import { aCreation, aPlan } from "../../support/action-builders.ts";
import { aRoster } from "../../support/roster-builders.ts";
import { snapshotOf } from "../../support/simulated-snapshot.ts";
import { aWorld } from "../../support/simulated-world.ts";

const plan = aPlan([aCreation("ada")]);
const snapshot = snapshotOf(aWorld(), { roster: aRoster({}) });
const nothing: Replan = { plan: aPlan([]), snapshot, against: [] };
const run = summarizeRun([]);

function troubles(before: Replan, again: Parameters<typeof assessRehearsal>[0]["again"]) {
  return assessRehearsal({ plan, run, before: success(before), again }).troubles;
}

test("planning again that comes to no plan, or to one that guards refuse, is trouble", () => {
  expect(troubles({ ...nothing, plan }, problem("nobody answers"))).toEqual([
    { is: "unplanned", why: "nobody answers" },
  ]);
  const stopped = success({ ...nothing, against: ["min-admins: nobody is left"] });
  expect(troubles({ ...nothing, plan }, stopped)).toEqual([{ is: "unplanned", why: "min-admins: nobody is left" }]);
});

test("what the service in memory lacked from the start is no trouble of the plan", () => {
  const against = ["incomplete-snapshot: too many are unknown"];
  const more = aPlan([aCreation("ada"), aCreation("bo")]);
  const left = { ...nothing, plan: aPlan([aCreation("bo")]) };
  expect(troubles({ ...nothing, plan: more, against }, success({ ...left, against }))).toEqual([]);
  expect(troubles({ ...nothing, plan }, success(left))).toEqual([{ is: "remains", action: aCreation("bo") }]);
});
