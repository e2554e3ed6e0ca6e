import { type Acceptable, type AcceptEntry, acceptCode } from "../../model/accept.ts";
import { type Finding, isTask } from "../../model/finding.ts";
import { daysAfter } from "../../model/roster.ts";
import type { PlanContext } from "../context.ts";
import { isGuarded } from "./classify.ts";
import { changesBehindFinding, outsideChangeInput } from "./outside-changes.ts";

/** What can be accepted for so long can always be: a person who wants more writes more. */
const offeredDays = 30;

/** What the roster says of each code. Of several entries the one that lasts longest counts. */
export function acceptLookup(entries: readonly AcceptEntry[], today: string): (code: string) => Acceptable {
  const longest = new Map(entries.toSorted((a, b) => (a.until < b.until ? -1 : 1)).map((one) => [one.code, one]));
  return (code) => {
    const entry = longest.get(code);
    const accept = { code, until: daysAfter(today, offeredDays) };
    return entry === undefined ? { accept } : { accept, accepted: { ...entry, isOver: entry.until < today } };
  };
}

/** Says of each finding how the roster can accept it, and whether it does. */
export function withAcceptance(
  findings: readonly Finding[],
  context: Pick<PlanContext, "roster" | "state" | "facts" | "policy">,
): readonly Finding[] {
  if (!findings.some(isAcceptable)) return findings;
  const { roster } = context;
  const { privilegedRoles, today } = context.policy;
  const acceptanceOf = acceptLookup(roster.accept, today);
  const input = outsideChangeInput({ ...context, privilegedRoles });
  const hasPrivilege = (finding: Finding) =>
    changesBehindFinding(finding, input).some(({ privileged }) => privileged.length > 0);
  return findings.map((finding) => {
    if (!isAcceptable(finding)) return finding;
    const nature = isGuarded(finding) || hasPrivilege(finding) ? "guarded" : "ordinary";
    return { ...finding, ...acceptanceOf(acceptCode(finding, nature)) };
  });
}

/** Nobody's word covers what roster may have done itself. */
function isAcceptable(finding: Finding): boolean {
  return finding.code !== "unknown-outcome" && isTask(finding);
}
