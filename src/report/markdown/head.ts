import type { Plan } from "../../model/plan.ts";
import type { RoleSet } from "../../model/role-set.ts";
import { accessInPlanOrder } from "../access/access-changes.ts";
import { privilegeChange } from "../access/privilege.ts";
import { countPlan } from "../counts.ts";
import { formatCoverage } from "../drift/coverage-words.ts";
import { remainingDrift } from "../drift/drift-told.ts";
import { formatExitCode } from "../exit-code-words.ts";
import type { CommandOutcome, ReadSummary } from "../outcome.ts";
import { formatRosterCounts } from "../roster-words.ts";
import { findingCounts } from "../text/finding-lines.ts";
import { formatActionCounts, formatCallCount } from "../text/plan-lines.ts";
import { formatCompleteness, formatHiddenFields, formatSnapshotNotice } from "../text/reading-lines.ts";
import { formatOutcomes } from "../text/run-lines.ts";
import { formatCount, formatList } from "../words.ts";
import { code, codes, marker, prose } from "./safe-markdown.ts";

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
