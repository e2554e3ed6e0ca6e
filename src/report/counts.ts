import type { CallEstimate, Plan } from "../model/plan.ts";

/** A plan in numbers. */
export interface PlanCounts {
  readonly createUsers: number;
  /** Creations that found a team. */
  readonly foundTeams: number;
  /** Teams that gain members by an add-members call. */
  readonly addMembers: number;
  readonly replaceRoles: number;
  /** People times teams that they are added to: the only mails that the interface shows. */
  readonly mails: number;
  readonly calls: CallEstimate;
  readonly findings: number;
  readonly blockingFindings: number;
}

export function countPlan(plan: Plan): PlanCounts {
  const counts = { createUsers: 0, foundTeams: 0, addMembers: 0, replaceRoles: 0, mails: 0 };
  for (const action of plan.actions) {
    switch (action.kind) {
      case "create-user":
        counts.createUsers += 1;
        counts.foundTeams += action.founds === undefined ? 0 : 1;
        break;
      case "add-members":
        counts.addMembers += 1;
        counts.mails += action.members.length;
        break;
      case "replace-roles":
        counts.replaceRoles += 1;
        break;
    }
  }
  const blockingFindings = plan.findings.filter((finding) => finding.blocking).length;
  return { ...counts, calls: plan.calls, findings: plan.findings.length, blockingFindings };
}
