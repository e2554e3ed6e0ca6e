import { expect, test } from "vitest";
import { defaultPrivilegedRoles } from "../../../src/model/role-set.ts";
import {
  buildTree,
  countMatchingActions,
  filterMatches,
  planNodes,
  type Tree,
} from "../../../src/screen/review-tree.ts";
import { companyPlan } from "../../support/company-plan.ts";
import { samplePlan } from "../../support/report-samples.ts";

const treeOf = (privileged: readonly string[]): Tree => buildTree(planNodes({ plan: samplePlan, privileged }));

test("privileged roles are those of this run", () => {
  const privileged = (roles: readonly string[]) =>
    treeOf(roles).flatMap(({ node }) => (node.severity === "privileged" ? [node.keywords.includes("TEAM_ROLE")] : []));
  expect(privileged(["TEAM_ROLE"])).toContain(true);
  expect(privileged([])).not.toContain(true);
});

test("each row knows how many rows inside it a reviewer has to look at", () => {
  const inside = treeOf(defaultPrivilegedRoles).flatMap((row) => (row.depth === 0 ? [row.inside] : []));
  expect(inside).toEqual([
    { blocking: 0, privileged: 1 },
    { blocking: 0, privileged: 1 },
    { blocking: 0, privileged: 0 },
    { blocking: 1, privileged: 0 },
    { blocking: 0, privileged: 0 },
  ]);
});

test("the teams of a large plan begin folded, those of a small one do not", () => {
  const folded = (teams: number) => planNodes({ plan: companyPlan(teams), privileged: [] })[0]?.folded;
  expect([folded(20), folded(21)]).toEqual([undefined, "at-first"]);
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
