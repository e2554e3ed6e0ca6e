import { type ActionOutcome, type RunSummary, refusedMembers } from "../../journal/summary.ts";
import type { ActionId } from "../../model/action.ts";
import type { Plan, Rehearsal } from "../../model/plan.ts";
import type { Failure } from "../../model/result.ts";
import { plain } from "../outcome.ts";
import { formatCount } from "../phrases.ts";
import { noNames, type PlanNames, planNames } from "../plan-summary.ts";
import { actionName } from "../text/actions.ts";
import { renderLines } from "../text/lines.ts";
import { rehearsalLines } from "../text/rehearsal.ts";
import { verificationMessages } from "../text/run.ts";
import { blockingSections, collapsedFindings } from "./plan.ts";
import { code, fenced, prose } from "./safe-markdown.ts";
import { type Section, tableHead, tableRow } from "./sections.ts";

/** What a run came to: what did not succeed and why, what it found, how it ended and reads, and the keys that it learned. */
export function runSections(run: RunSummary, plan: Plan | undefined, whole: string): readonly Section[] {
  const names = plan === undefined ? noNames : planNames(plan);
  const found = [...blockingSections(run.findings, whole), ...collapsedFindings(run.findings, whole)];
  const sections: readonly Section[] = [
    endSection(run),
    unsuccessfulTable(run, names, whole),
    ...found.map((section) => ({ ...section, title: `Found by this run: ${section.title ?? ""}`, rank: 5 })),
    keySection(run, names),
  ];
  return sections.filter(({ before, rows }) => before.length + rows.length > 0);
}

function unsuccessfulTable(run: RunSummary, names: PlanNames, whole: string): Section {
  const rows = [...run.outcomes].flatMap(([id, outcome]) => outcomeRows(id, outcome, names));
  return {
    title: `Did not succeed (${rows.length})`,
    is: "open",
    before: rows.length === 0 ? [] : tableHead(["what", "came to", "why"]),
    rows,
    rank: 4,
    more: (count) => `… and ${formatCount(count, "more call")}: ${whole}`,
    between: "nothing",
  };
}

function endSection({ ended, verified }: RunSummary): Section {
  const how = ended === undefined ? "**The run did not come to its end.**" : formatRunEnd(ended);
  return {
    is: "open",
    before: [
      ...(how === undefined ? [] : [`- ${how}`]),
      ...(verified === undefined ? [] : [`- ${verificationMessages[verified.result]}`]),
    ],
    rows: (verified?.remarks ?? []).map((remark) => `  - ${prose(remark)}`),
    rank: 6,
    more: (count) => `… and ${formatCount(count, "more remark")}`,
    between: "nothing",
  };
}

function formatRunEnd({ ended, why }: NonNullable<RunSummary["ended"]>): string | undefined {
  if (ended === "completed") return undefined;
  return `**The run was ${ended}**${why === undefined ? "" : `: ${prose(why)}`}`;
}

function outcomeRows(id: ActionId, outcome: ActionOutcome, names: PlanNames): readonly string[] {
  const what = nameOf(id, names);
  switch (outcome.is) {
    case "unneeded":
      return [];
    case "succeeded":
      return refusedMembers(outcome).map(({ address, failure }) =>
        tableRow([`${what}: ${code(names.email(address))}`, "**refused**", formatFailure(failure)]),
      );
    case "failed":
      return [tableRow([what, "**failed**", formatFailure(outcome.failure)])];
    case "unknown":
      return [tableRow([what, "**outcome not known**", formatFailure(outcome.failure)])];
    case "skipped": {
      const cause = outcome.cause === undefined ? "" : `, because of: ${nameOf(outcome.cause, names)}`;
      return [tableRow([what, "skipped", `${prose(outcome.why)}${cause}`])];
    }
    case "stale":
      return [tableRow([what, "stale", prose(outcome.why)])];
  }
}

function formatFailure({ message, request, status, serviceSays, hint }: Failure): string {
  const answer = status === undefined ? "" : ` (${code(`${status}`)})`;
  return [
    prose(message),
    ...(request === undefined ? [] : [`${code(request)}${answer}`]),
    ...(serviceSays === undefined ? [] : [`the service says ${code(serviceSays, 300)}`]),
    ...(hint === undefined ? [] : [prose(hint)]),
  ].join("; ");
}

function nameOf(id: ActionId, names: PlanNames): string {
  const action = names.action(id);
  return action === undefined ? code(id) : prose(actionName(action, names));
}

function keySection({ keys }: RunSummary, names: PlanNames): Section {
  return {
    title: `Keys that this run learned (${keys.length})`,
    is: "folded",
    before: keys.length === 0 ? [] : tableHead(["person", "key of", "prefix"]),
    rows: keys.map(({ address, team, prefix }) => {
      const of = team === undefined ? "own key" : `team ${code(names.team(team))}`;
      return tableRow([code(names.email(address)), of, code(prefix)]);
    }),
    rank: 55,
    more: (count) => `… and ${formatCount(count, "more key")}: ${code("roster state show")}`,
    between: "nothing",
  };
}

/** What a rehearsal came to, as the text has it; folded where nothing went wrong. */
export function rehearsalSection(rehearsal: Rehearsal, plan: Plan): Section {
  const { converges, troubles } = rehearsal;
  const words = converges ? "nothing is left to do" : formatCount(troubles.length, "trouble");
  return {
    title: `Rehearsed in memory: ${words}`,
    is: converges ? "folded" : "open",
    before: [],
    rows: [fenced(renderLines(rehearsalLines(rehearsal, plan), plain), { language: "text" })],
    rank: 4,
    more: () => "The rehearsal is too long to be told here.",
    between: "a-line",
  };
}
