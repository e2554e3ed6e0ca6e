import type { Plan, Rehearsal, RehearsalCalls, RehearsalIssue } from "../../model/plan.ts";
import { formatCount, formatDuration, formatList, formatTallies } from "../phrases.ts";
import { actionLabel, actionName, type PlanNames, planNames } from "./actions.ts";
import { codeBody, headed, joinSections, type Line, prose, type Section, words } from "./blocks.ts";
import { findingLines } from "./findings.ts";
import { failureCauseLines } from "./problems.ts";
import { outcomeTitle } from "./run.ts";

/** How many issues are shown one by one. */
const maxIssues = 20;

/** The result of a rehearsal: problems, cost, time, and what it cannot know. */
export function rehearsalLines(rehearsal: Rehearsal, plan: Plan): readonly Line[] {
  const { notices, unshown } = rehearsal;
  return joinSections([
    rehearsal.converges ? [] : issuesLines(rehearsal.troubles, planNames(plan)),
    [
      prose(0, formatVerdict(rehearsal), rehearsal.converges ? "strong" : "alarm"),
      ...timeLines(rehearsal),
      ...unshown.map((sentence) => prose(2, `- ${sentence}`, "dim")),
    ],
    notices.flatMap((notice) => findingLines(notice)),
  ]);
}

function formatVerdict({ converges, calls, mails, troubles, criticalPath }: Rehearsal): string {
  if (converges && criticalPath.length === 0) return "Rehearsed in memory: nothing to do.";
  const made = `${formatWrites(calls)} and ${formatCount(calls.reads, "read")}, ${formatCount(mails, "mail")}`;
  if (converges) return `Rehearsed in memory: ${made}. Nothing is left to do.`;
  return `Rehearsed in memory: ${made}. ${formatCount(troubles.length, "problem")}, see above. roster sent nothing.`;
}

function formatWrites({ createUser, addMembers, replaceRoles }: RehearsalCalls): string {
  const parts = formatTallies(
    [createUser, "to create users"],
    [addMembers, "to add members"],
    [replaceRoles, "to replace roles"],
  );
  const all = formatCount(createUser + addMembers + replaceRoles, "call");
  return parts.length === 0 ? all : `${all} (${formatList(parts)})`;
}

function timeLines({ time, criticalPath }: Rehearsal): readonly Line[] {
  if (criticalPath.length === 0) return [];
  const { latency, planning, applying, throttled } = time;
  const { oneIn, pause } = throttled;
  const slow = `about ${formatDuration(throttled.applying)} if one write in ${oneIn} must wait ${formatDuration(pause)}`;
  const chain = `At least ${formatCount(criticalPath.length, "call")}, one after another`;
  return [
    prose(
      2,
      `At ${latency} ms a call it takes about ${formatDuration(applying)}, after ${formatDuration(planning)} of reading; ${slow}. ${chain}.`,
    ),
  ];
}

function issuesLines(troubles: readonly RehearsalIssue[], names: PlanNames): readonly Line[] {
  const shown = troubles.slice(0, maxIssues).flatMap((issue) => issueLines(issue, names));
  const more = troubles.length - maxIssues;
  return headed(`Problems in the rehearsal: ${troubles.length}`, [
    ...shown,
    ...(more > 0 ? [prose(2, `and ${more} more`)] : []),
  ]);
}

function issueLines(issue: RehearsalIssue, names: PlanNames): readonly Line[] {
  switch (issue.is) {
    case "failed":
      return [outcomeTitle("would fail", actionLabel(issue.action, names)), ...failureCauseLines(issue.failure)];
    case "unknown":
      return [outcomeTitle("unknown outcome", actionLabel(issue.action, names)), ...failureCauseLines(issue.failure)];
    case "refused":
      return [
        outcomeTitle("would be refused", `${issue.person}, of: ${actionLabel(issue.action, names)}`),
        ...failureCauseLines(issue.failure),
      ];
    case "skipped":
    case "stale":
      return [outcomeTitle(`would be ${issue.is}`, actionLabel(issue.action, names)), prose(6, issue.why)];
    case "found":
      return findingLines(issue.finding);
    case "remains":
      return [outcomeTitle("would be left", actionName(issue.action, names))];
    case "stopped":
      return [outcomeTitle("would end early", issue.why)];
    case "unplanned":
      return [outcomeTitle("could not plan again", issue.why)];
  }
}

/** The same for a review, folded where nothing went wrong. */
export function rehearsalSection(rehearsal: Rehearsal, plan: Plan): Section {
  const { converges, troubles } = rehearsal;
  const result = converges ? "nothing is left to do" : formatCount(troubles.length, "problem");
  return {
    title: `Rehearsed in memory: ${result}`,
    is: converges ? "folded" : "open",
    body: codeBody(rehearsalLines(rehearsal, plan)),
    rank: 4,
    leftOut: () => words("The rehearsal is too long for this comment."),
  };
}
