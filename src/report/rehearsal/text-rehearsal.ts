import type { Failure } from "../../model/failure.ts";
import type { Plan } from "../../model/plan.ts";
import type { Rehearsal, RehearsalCalls, RehearsalIssue } from "../../model/rehearsal.ts";
import { type PlanNames, planNames } from "../plan-names.ts";
import { actionName } from "../text/action-lines.ts";
import { serviceLines } from "../text/failure-lines.ts";
import { findingLines } from "../text/finding-lines.ts";
import { type Line, prose, row, stacked } from "../text/lines.ts";
import { counted, listed } from "../words.ts";
import { aboutSoLong } from "./so-long.ts";

/** How many troubles are told one by one. */
const mostTold = 20;

/** What came of a rehearsal: what would go wrong, what it costs and how long it takes, and what it cannot tell. */
export function rehearsalLines(rehearsal: Rehearsal, plan: Plan): readonly Line[] {
  const { notices, unshown } = rehearsal;
  return stacked([
    rehearsal.converges ? [] : troubleLines(rehearsal.troubles, planNames(plan)),
    [
      prose(0, verdict(rehearsal), rehearsal.converges ? "strong" : "alarm"),
      ...timeLines(rehearsal),
      ...unshown.map((sentence) => prose(2, `- ${sentence}`, "dim")),
    ],
    notices.flatMap((notice) => findingLines(notice)),
  ]);
}

function verdict({ converges, calls, mails, troubles, criticalPath }: Rehearsal): string {
  if (converges && criticalPath.length === 0) return "Rehearsed in memory: there is nothing to do.";
  const made = `${writeWords(calls)} and ${counted(calls.reads, "read")}, ${counted(mails, "mail")}`;
  if (converges) return `Rehearsed in memory: ${made}; then nothing is left to do.`;
  return `Rehearsed in memory: ${made}; ${counted(troubles.length, "trouble")}, told above. Nothing was sent.`;
}

function writeWords({ createUser, addMembers, replaceRoles }: RehearsalCalls): string {
  const parts = [
    ...(createUser === 0 ? [] : [`${createUser} to create users`]),
    ...(addMembers === 0 ? [] : [`${addMembers} to add members`]),
    ...(replaceRoles === 0 ? [] : [`${replaceRoles} to replace roles`]),
  ];
  const all = counted(createUser + addMembers + replaceRoles, "call");
  return parts.length === 0 ? all : `${all} (${listed(parts)})`;
}

function timeLines({ time, criticalPath }: Rehearsal): readonly Line[] {
  if (criticalPath.length === 0) return [];
  const { latency, planning, applying, throttled } = time;
  const { oneIn, pause } = throttled;
  const slow = `${aboutSoLong(throttled.applying)} where one write in ${oneIn} is to come back after ${aboutSoLong(pause)}`;
  const chain = `${counted(criticalPath.length, "action")} at the least, one after another`;
  return [
    prose(
      2,
      `At ${latency} ms a call it takes about ${aboutSoLong(applying)}, after ${aboutSoLong(planning)} of reading; ${slow}. ${chain}.`,
    ),
  ];
}

function troubleLines(troubles: readonly RehearsalIssue[], names: PlanNames): readonly Line[] {
  const heading = row(0, [{ ink: "strong", text: `What a rehearsal of this plan ran into (${troubles.length})` }]);
  const told = troubles.slice(0, mostTold).flatMap((trouble) => linesOf(trouble, names));
  const more = troubles.length - mostTold;
  return [heading, ...told, ...(more > 0 ? [prose(2, `and ${more} more`)] : [])];
}

function linesOf(trouble: RehearsalIssue, names: PlanNames): readonly Line[] {
  switch (trouble.is) {
    case "failed":
      return [titleLine("would fail", nameOf(trouble.action, names)), ...reasonLines(trouble.failure)];
    case "unknown":
      return [titleLine("outcome would not be known", nameOf(trouble.action, names)), ...reasonLines(trouble.failure)];
    case "refused":
      return [
        titleLine("would be refused", `${trouble.person}, of: ${nameOf(trouble.action, names)}`),
        ...reasonLines(trouble.failure),
      ];
    case "skipped":
    case "stale":
      return [titleLine(`would be ${trouble.is}`, nameOf(trouble.action, names)), prose(6, trouble.why)];
    case "found":
      return findingLines(trouble.finding);
    case "remains":
      return [titleLine("would be left to do", actionName(trouble.action, names))];
    case "stopped":
      return [titleLine("would end early", trouble.why)];
    case "unplanned":
      return [titleLine("could not be planned again", trouble.why)];
  }
}

function titleLine(label: string, text: string): Line {
  return row(2, [{ ink: "alarm", text: `! ${label}` }, `: ${text}`]);
}

function reasonLines(failure: Failure): readonly Line[] {
  return [prose(6, failure.message), ...serviceLines(6, failure)];
}

function nameOf(id: string, names: PlanNames): string {
  const action = names.action(id);
  return action === undefined ? id : actionName(action, names);
}
