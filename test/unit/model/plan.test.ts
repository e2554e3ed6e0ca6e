import { expect, test } from "vitest";
import { countPlan } from "../../../src/model/plan.ts";
import { samplePlan } from "../../support/report-samples.ts";

test("a plan is counted by what it does", () => {
  expect(countPlan(samplePlan)).toEqual({
    createUsers: 2,
    createTeams: 1,
    addMembers: 1,
    replaceRoles: 3,
    mails: 2,
    calls: { reads: 7, writes: 6, atMost: 7 },
    findings: 2,
    blockingFindings: 1,
  });
});
