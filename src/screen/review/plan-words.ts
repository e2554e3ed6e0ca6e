import type { Plan } from "../../model/plan.ts";
import { countPlan } from "../../report/counts.ts";
import { counted } from "../../report/words.ts";

/** A plan in a few words, the shorter the better: what it does, what it costs, what it leaves. */
export function planWords(plan: Plan): string {
  const { createUsers, foundTeams, mails, replaceRoles, calls, findings, blockingFindings } = countPlan(plan);
  const founding = foundTeams === 0 ? "" : ` (${counted(foundTeams, "team")} founded)`;
  const parts = [
    ...(createUsers === 0 ? [] : [`${counted(createUsers, "new user")}${founding}`]),
    ...(mails === 0 ? [] : [counted(mails, "mail")]),
    ...(replaceRoles === 0 ? [] : [counted(replaceRoles, "key")]),
    counted(calls.writes, "call"),
    ...(blockingFindings === 0 ? [] : [`${blockingFindings} blocking`]),
    ...(findings === blockingFindings ? [] : [counted(findings - blockingFindings, "notice")]),
  ];
  return parts.join(", ");
}
