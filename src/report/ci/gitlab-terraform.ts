import type { JsonObject } from "../../codec/mapping.ts";
import { countPlan, type Plan } from "../../model/plan.ts";
import type { CommandOutcome, Rendered } from "../outcome.ts";

/**
 * The report that GitLab shows of a plan in a merge request. Created are users, teams and memberships; updated are keys that
 * get other roles; deleted are the roles of keys that are left with none. Without a plan it is no report, which GitLab says.
 */
export function gitlabTerraformFormat(outcome: CommandOutcome): Rendered {
  const report = outcome.plan === undefined ? {} : countsOf(outcome.plan);
  return { stdout: `${JSON.stringify(report)}\n` };
}

function countsOf(plan: Plan): JsonObject {
  const { createUsers, foundTeams, mails, replaceRoles } = countPlan(plan);
  const emptied = plan.actions.filter((action) => action.kind === "replace-roles" && action.roles.length === 0).length;
  return { create: createUsers + foundTeams + mails, update: replaceRoles - emptied, delete: emptied };
}
