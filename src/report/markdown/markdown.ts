import { formatPlace } from "../../model/fact.ts";
import { countPlan, type Plan } from "../../model/plan.ts";
import { stopNames } from "../../model/policy.ts";
import type { Diagnostic } from "../../model/result.ts";
import { defaultPrivilegedRoles, type RoleSet } from "../../model/role-set.ts";
import { privilegeChange } from "../access/access-change.ts";
import { accessInPlanOrder } from "../access/access-changes.ts";
import { formatExitCode } from "../codes/exit-codes.ts";
import { formatCoverage, remainingDrift } from "../drift.ts";
import { type CommandOutcome, type Problem, plain, type ReadSummary, type Rendered } from "../outcome.ts";
import { formatCount, formatList } from "../phrases.ts";
import { findingCounts } from "../text/findings.ts";
import { renderLines } from "../text/lines.ts";
import {
  formatActionCounts,
  formatCallCount,
  formatCompleteness,
  formatHiddenFields,
  formatRosterCounts,
  formatSnapshotNotice,
} from "../text/plan.ts";
import { excerptLines } from "../text/problems.ts";
import { formatOutcomes } from "../text/run.ts";
import { accessSections } from "./access.ts";
import { driftSections } from "./drift.ts";
import { blockingSections, callSections, collapsedFindings } from "./plan.ts";
import { rehearsalSection, runSections } from "./run.ts";
import { code, codes, fenced, marker, prose } from "./safe-markdown.ts";
import { renderSections, type Section } from "./sections.ts";

/** For a comment on a pull request or the summary of a job: what matters first, never longer than a comment may be. */
export function markdownFormat(outcome: CommandOutcome): Rendered {
  return { stdout: renderMarkdown(outcome) };
}

/** The Markdown of an outcome. */
export function renderMarkdown(outcome: CommandOutcome): string {
  return renderSections(headLines(outcome, privilegedRolesOf(outcome)), sectionsOf(outcome));
}

function privilegedRolesOf({ privilegedRoles = defaultPrivilegedRoles }: CommandOutcome): RoleSet {
  return privilegedRoles;
}

function sectionsOf(outcome: CommandOutcome): readonly Section[] {
  const { command, plan, run, drift, reading, problem, rehearsal } = outcome;
  const privileged = privilegedRolesOf(outcome);
  const whole = `${code(`roster ${command}`)} on a terminal tells all`;
  const rehearsed = plan === undefined || rehearsal === undefined ? [] : [rehearsalSection(rehearsal, plan)];
  const ran = run === undefined ? [] : runSections(run, plan, whole);
  const told = [...problemSections(outcome), ...rehearsed, ...ran];
  // Whoever declined a plan has just read it.
  if (plan === undefined || problem?.code === "declined") return told;
  const isCompared = drift !== undefined && run === undefined;
  return [
    ...told,
    ...(isCompared ? driftSections(drift, plan, whole) : blockingSections(plan.findings, whole, plan.actions)),
    ...accessSections(plan, {
      privileged,
      shown: reading?.privileges,
      is: run === undefined ? "to-do" : "planned",
      whole,
    }),
    ...(isCompared ? [] : collapsedFindings(plan.findings, whole)),
    ...callSections(plan, reading, whole),
  ];
}

/** What a comment is found by, what it is about, and how it ended: before everything else, in few lines. */
export function headLines(outcome: CommandOutcome, privileged: RoleSet): readonly string[] {
  const { command, title, plan, reading, exitCode } = outcome;
  const name = title === undefined ? "" : ` (${prose(title)})`;
  return [
    marker(command, title),
    `## roster ${command}${name}: ${formatResult(outcome)}`,
    "",
    `- **Exit code ${exitCode}**: ${formatExit(outcome)}`,
    ...(plan === undefined ? [] : planFacts(plan, privileged, outcome.run === undefined ? "to-do" : "planned")),
    ...rosterFacts(outcome),
    ...(plan === undefined ? [] : [`- Plan ${code(plan.id)} for ${code(plan.service)}`]),
    ...(reading === undefined || plan === undefined ? [] : readingFacts(reading, plan)),
    ...fileFacts(outcome),
  ];
}

/** A plan that was made ends well, whatever it asks for. */
function formatExit({ exitCode, plan, run }: CommandOutcome): string {
  if (exitCode !== 0 || plan === undefined || run !== undefined || plan.actions.length === 0)
    return formatExitCode(exitCode);
  return "the plan could be made; nothing of it is done yet";
}

function formatResult({ command, diagnostics, plan, run, drift, problem }: CommandOutcome): string {
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  if (run !== undefined) return formatOutcomes(run, plan);
  if (problem?.code === "guard") return "refused by guards";
  if (problem !== undefined) return "ended before its work was done";
  if (errors > 0) return formatCount(errors, "error");
  if (drift !== undefined) {
    const { changes, blocking } = remainingDrift(drift);
    if (changes + blocking === 0) return "no drift";
    return formatList([
      ...(changes === 0 ? [] : [formatCount(changes, "change")]),
      ...(blocking === 0 ? [] : [formatCount(blocking, "blocking finding")]),
    ]);
  }
  if (plan === undefined) return command === "validate" ? "the roster is valid" : "done";
  return plan.actions.length === 0 ? "no changes" : formatWaitingCalls(plan);
}

function formatWaitingCalls({ actions, calls }: Plan): string {
  const isSure = calls.atMost === calls.writes;
  return `${isSure ? "" : "up to "}${formatCount(actions.length, "call waits", "calls wait")}`;
}

/** Of a run, what came of the plan is told beside it. */
function planFacts(plan: Plan, privileged: RoleSet, is: "to-do" | "planned"): readonly string[] {
  const counts = countPlan(plan);
  const found = plan.findings.length === 0 ? "nothing to tell beside it" : findingCounts(plan.findings);
  const planned = is === "planned" ? " planned" : "";
  if (plan.actions.length === 0) return [`- **No call is planned**; ${found}`];
  return [
    `- **What ${is === "planned" ? "was planned" : "is done"}**: ${formatActionCounts(counts)}`,
    `- **Privileged roles${planned}** (${codes(privileged)}): ${formatPrivilegeChanges(plan, privileged)}`,
    `- **Mails${planned}**: ${counts.mails}${counts.mails === 0 ? "" : ", one for each person in each team that they join"}`,
    `- **Calls${planned}**: ${formatCallCount(counts).replace(/ calls?/u, "")}`,
    `- **Findings**: ${found}`,
  ];
}

/** On how many keys somebody gains a privileged role, has one for a moment, or loses one. */
function formatPrivilegeChanges(plan: Plan, privileged: RoleSet): string {
  const changes = accessInPlanOrder(plan).flatMap((access) => access.changes);
  const kinds = changes.flatMap((change) =>
    change.is === "roles" ? [{ ...privilegeChange(change, privileged), before: change.before.known }] : [],
  );
  const asked = kinds.filter(({ gains }) => gains.length > 0);
  const unsure = asked.filter(({ before }) => before === "not-known").length;
  const given = asked.length - unsure;
  const momentary = kinds.filter(({ forAMoment }) => forAMoment.length > 0).length;
  const taken = kinds.filter(({ loses }) => loses.length > 0).length;
  const unsureWords = formatCount(unsure, "key that may have them already", "keys that may have them already");
  if (asked.length + momentary + taken === 0) return "none is given or taken";
  return formatList([
    ...(given === 0 ? [] : [`given on ${formatCount(given, "key")}`]),
    ...(unsure === 0 ? [] : [`asked for on ${unsureWords}`]),
    ...(momentary === 0 ? [] : [`held for a moment on ${formatCount(momentary, "key")}`]),
    ...(taken === 0 ? [] : [`taken from ${formatCount(taken, "key")}`]),
  ]);
}

function rosterFacts({ roster, selected }: CommandOutcome): readonly string[] {
  if (roster === undefined) return [];
  const files = roster.files === 0 ? "" : `${formatCount(roster.files, "file")}, `;
  return [
    `- Roster: ${files}${formatRosterCounts(roster)}${selected === true ? "; **only a part of it was compared**" : ""}`,
  ];
}

function readingFacts(reading: ReadSummary, plan: Plan): readonly string[] {
  const hidden = formatHiddenFields(reading.capabilities);
  const requests = formatCount(plan.calls.reads, "request");
  const kept = formatSnapshotNotice(reading);
  return [
    ...(kept === undefined ? [] : [`- **Preview**: ${prose(kept)}`]),
    `- Read at ${code(reading.readAt)} with ${requests}. ${prose(formatCompleteness(reading.everyone))}`,
    ...(hidden === undefined ? [] : [`- ${prose(hidden)}`]),
  ];
}

function fileFacts({ planFile, drift }: CommandOutcome): readonly string[] {
  const coverage = drift === undefined ? [] : [`- ${formatCoverage(drift.drift.coverage)}`];
  if (planFile === undefined) return coverage;
  const { id, madeAt, expiresAt, policy } = planFile.file;
  const words = policy.words.length === 0 ? "" : `, with ${code(policy.words.join(" "))}`;
  const expired = planFile.is === "shown-expired" ? "**expired**" : "good until";
  return [
    ...coverage,
    `- Plan file ${code(planFile.path)} (${code(id)}), made at ${code(madeAt)}${words}, ${expired} ${code(expiresAt)}`,
  ];
}

/** What ended the command, the guards that refuse its plan, and what is wrong with the roster, the settings or the command line. */
export function problemSections({ problem, diagnostics, command }: CommandOutcome): readonly Section[] {
  const byGuards = problem?.code === "guard" ? diagnostics.filter(isGuardDiagnostic) : [];
  const others = diagnostics.filter((diagnostic) => !byGuards.includes(diagnostic));
  const errors = others.filter(({ severity }) => severity === "error");
  const warnings = others.filter(({ severity }) => severity === "warning");
  return [
    ...(problem === undefined ? [] : [problemSection(problem, byGuards, command)]),
    diagnosticSection("Errors", errors, { rank: 2, is: "open" }),
    diagnosticSection("Warnings", warnings, { rank: 65, is: "folded" }),
  ].filter(({ rows, before }) => rows.length + before.length > 0);
}

function isGuardDiagnostic({ code: name }: Diagnostic): boolean {
  return stopNames.some((stop) => stop === name);
}

function problemSection(problem: Problem, byGuards: readonly Diagnostic[], command: string): Section {
  const { message, request, status, serviceSays, hint, allow = [], code: name } = problem;
  const answer = status === undefined ? "" : `, answered with ${code(`${status}`)}`;
  const words = allow.map((word) => `--allow ${word}`).join(" ");
  return {
    title: byGuards.length === 0 ? "What ended it" : "Refused by guards",
    is: "open",
    before: [`${code(name)}: ${prose(message)}`],
    rows: [
      ...byGuards.map((guard) => `- **${code(guard.code)}**: ${prose(guard.message)}`),
      ...(request === undefined ? [] : [`- Request: ${code(request)}${answer}`]),
      ...(serviceSays === undefined ? [] : [`- The service says: ${code(serviceSays, 300)}`]),
      ...(hint === undefined ? [] : [`- What to do: ${prose(hint)}`]),
      ...(words === ""
        ? []
        : [`- Whoever has read the plan and wants it all the same says ${code(`roster ${command} … ${words}`, 400)}`]),
    ],
    rank: 1,
    more: (count) => `… and ${count} more`,
    between: "nothing",
  };
}

function diagnosticSection(
  title: string,
  diagnostics: readonly Diagnostic[],
  { rank, is }: Pick<Section, "rank" | "is">,
): Section {
  return {
    title: `${title} (${diagnostics.length})`,
    is,
    before: [],
    rows: diagnostics.map(diagnosticBlock),
    rank,
    more: (count) => `… and ${count} more: ${code("roster validate")} tells them all`,
    between: "a-line",
  };
}

/** A list item: where and what, the line itself, and what to do. */
function diagnosticBlock({ code: name, message, hint, place, excerpt }: Diagnostic): string {
  const where = place === undefined ? "" : `${code(formatPlace(place))} `;
  const lines = place === undefined || excerpt === undefined ? [] : excerptLines(place, excerpt);
  const shown = lines.length === 0 ? [] : [fenced(renderLines(lines, plain), { language: "text", indent: 2 })];
  return [
    `- ${where}${code(name)}: ${prose(message)}`,
    ...shown,
    ...(hint === undefined ? [] : [`  What to do: ${prose(hint)}`]),
  ].join("\n\n");
}
