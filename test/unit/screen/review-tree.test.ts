import { expect, test } from "vitest";
import { defaultPrivilegedRoles } from "../../../src/model/values.ts";
import { countMatchingActions, filterMatches, initiallyFolded, reviewTree } from "../../../src/screen/review-tree.ts";
import { companyPlan } from "../../support/company-plan.ts";
import { samplePlan } from "../../support/report-samples.ts";

const treeOf = (privileged: readonly string[]) => reviewTree({ plan: samplePlan, privileged });

test("privileged roles are those of this run", () => {
  const privileged = (roles: readonly string[]) =>
    treeOf(roles).flatMap(({ severity, actions }) => (severity === "privileged" ? actions : []));
  expect(privileged(["TEAM_ROLE"])).toContain("replace-roles:12pref1x121");
  // What a key has for a short time is privileged by the plan itself.
  expect(privileged([])).not.toContain("replace-roles:12pref1x121");
});

test("the groups of a large plan begin folded, those of a small one do not", () => {
  const folded = (teams: number) => initiallyFolded(reviewTree({ plan: companyPlan(teams), privileged: [] })).size;
  expect([folded(18), folded(19)]).toEqual([0, 19]);
});

test.each([
  ["platform bo", 2],
  ["platform", 3],
  ["ada@", 2],
  ["without-firstMember", 0],
  ["", 6],
])("a filter for %j leaves the actions of what it finds", (filter, actions) => {
  const tree = treeOf(defaultPrivilegedRoles);
  expect(countMatchingActions(tree, filterMatches(tree, filter))).toBe(actions);
});
