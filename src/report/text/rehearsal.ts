import type { Plan, Rehearsal, RehearsalCalls, RehearsalIssue } from "../../model/plan.ts";
import type { Failure } from "../../model/result.ts";
import { formatCount, formatDuration, formatList } from "../phrases.ts";
import { type PlanNames, planNames } from "../plan-summary.ts";
import { actionName } from "./actions.ts";
import { findingLines } from "./findings.ts";
import { joinSections, type Line, prose, row } from "./lines.ts";
import { serviceLines } from "./problems.ts";

/** How many troubles are told one by one. */
const maxProblems = 20;

/** What came of a rehearsal: what would go wrong, what it costs and how long it takes, and what it cannot tell. */
export function rehearsalLines(rehearsal: Rehearsal, plan: Plan): readonly Line[] {
  const { notices, unshown } = rehearsal;
  return joinSections([
    rehearsal.converges ? [] : problemLines(rehearsal.troubles, planNames(plan)),
    [
      prose(0, formatVerdict(rehearsal), rehearsal.converges ? "strong" : "alarm"),
      ...timeLines(rehearsal),
      ...unshown.map((sentence) => prose(2, `- ${sentence}`, "dim")),
    ],
    notices.flatMap((notice) => findingLines(notice)),
  ]);
}

function formatVerdict({ converges, calls, mails, troubles, criticalPath }: Rehearsal): string {
  if (converges && criticalPath.length === 0) return "Rehearsed in memory: there is nothing to do.";
  const made = `${formatWrites(calls)} and ${formatCount(calls.reads, "read")}, ${formatCount(mails, "mail")}`;
  if (converges) return `Rehearsed in memory: ${made}; then nothing is left to do.`;
  return `Rehearsed in memory: ${made}; ${formatCount(troubles.length, "trouble")}, told above. Nothing was sent.`;
}

function formatWrites({ createUser, addMembers, replaceRoles }: RehearsalCalls): string {
  const parts = [
    ...(createUser === 0 ? [] : [`${createUser} to create users`]),
    ...(addMembers === 0 ? [] : [`${addMembers} to add members`]),
    ...(replaceRoles === 0 ? [] : [`${replaceRoles} to replace roles`]),
  ];
  const all = formatCount(createUser + addMembers + replaceRoles, "call");
  return parts.length === 0 ? all : `${all} (${formatList(parts)})`;
}

function timeLines({ time, criticalPath }: Rehearsal): readonly Line[] {
  if (criticalPath.length === 0) return [];
  const { latency, planning, applying, throttled } = time;
  const { oneIn, pause } = throttled;
  const slow = `${formatDuration(throttled.applying)} where one write in ${oneIn} is to come back after ${formatDuration(pause)}`;
  const chain = `${formatCount(criticalPath.length, "action")} at the least, one after another`;
  return [
    prose(
      2,
      `At ${latency} ms a call it takes about ${formatDuration(applying)}, after ${formatDuration(planning)} of reading; ${slow}. ${chain}.`,
    ),
  ];
}

function problemLines(troubles: readonly RehearsalIssue[], names: PlanNames): readonly Line[] {
  const heading = row(0, [{ ink: "strong", text: `What a rehearsal of this plan ran into (${troubles.length})` }]);
  const told = troubles.slice(0, maxProblems).flatMap((trouble) => singleProblemLines(trouble, names));
  const more = troubles.length - maxProblems;
  return [heading, ...told, ...(more > 0 ? [prose(2, `and ${more} more`)] : [])];
}

function singleProblemLines(trouble: RehearsalIssue, names: PlanNames): readonly Line[] {
  switch (trouble.is) {
    case "failed":
      return [problemTitle("would fail", nameOf(trouble.action, names)), ...problemFailureLines(trouble.failure)];
    case "unknown":
      return [
        problemTitle("outcome would not be known", nameOf(trouble.action, names)),
        ...problemFailureLines(trouble.failure),
      ];
    case "refused":
      return [
        problemTitle("would be refused", `${trouble.person}, of: ${nameOf(trouble.action, names)}`),
        ...problemFailureLines(trouble.failure),
      ];
    case "skipped":
    case "stale":
      return [problemTitle(`would be ${trouble.is}`, nameOf(trouble.action, names)), prose(6, trouble.why)];
    case "found":
      return findingLines(trouble.finding);
    case "remains":
      return [problemTitle("would be left to do", actionName(trouble.action, names))];
    case "stopped":
      return [problemTitle("would end early", trouble.why)];
    case "unplanned":
      return [problemTitle("could not be planned again", trouble.why)];
  }
}

function problemTitle(label: string, text: string): Line {
  return row(2, [{ ink: "alarm", text: `! ${label}` }, `: ${text}`]);
}

function problemFailureLines(failure: Failure): readonly Line[] {
  return [prose(6, failure.message), ...serviceLines(6, failure)];
}

function nameOf(id: string, names: PlanNames): string {
  const action = names.action(id);
  return action === undefined ? id : actionName(action, names);
}
