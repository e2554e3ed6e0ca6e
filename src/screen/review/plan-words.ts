import type { Plan } from "../../model/plan.ts";
import { countPlan } from "../../report/counts.ts";
import { counted } from "../../report/words.ts";

/** A plan in a few words, the shorter the better, the most important first: what it does, what it costs, what it notices. */
export function planWords(plan: Plan): readonly string[] {
  const { createUsers, foundTeams, mails, replaceRoles, calls, findings, blockingFindings } = countPlan(plan);
  return [
    ...(createUsers === 0 ? [] : [counted(createUsers, "new user")]),
    ...(foundTeams === 0 ? [] : [counted(foundTeams, "new team")]),
    ...(mails === 0 ? [] : [counted(mails, "mail")]),
    ...(replaceRoles === 0 ? [] : [counted(replaceRoles, "key")]),
    counted(calls.writes, "call"),
    ...(findings === blockingFindings ? [] : [counted(findings - blockingFindings, "notice")]),
  ];
}
