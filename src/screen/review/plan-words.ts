import type { Plan } from "../../model/plan.ts";
import { countPlan } from "../../report/counts.ts";
import { formatCount } from "../../report/words.ts";

/** A plan in a few words, the shorter the better, the most important first: what it does, what it costs, what it notices. */
export function formatPlanCounts(plan: Plan): readonly string[] {
  const { createUsers, foundTeams, mails, replaceRoles, calls, findings, blockingFindings } = countPlan(plan);
  return [
    ...(createUsers === 0 ? [] : [formatCount(createUsers, "new user")]),
    ...(foundTeams === 0 ? [] : [formatCount(foundTeams, "new team")]),
    ...(mails === 0 ? [] : [formatCount(mails, "mail")]),
    ...(replaceRoles === 0 ? [] : [formatCount(replaceRoles, "key")]),
    formatCount(calls.writes, "call"),
    ...(findings === blockingFindings ? [] : [formatCount(findings - blockingFindings, "notice")]),
  ];
}
