import type { Plan } from "../../model/plan.ts";
import type { RoleSet } from "../../model/role-set.ts";
import { accessInPlanOrder } from "../access/access-changes.ts";
import { privilegeOf } from "../access/privilege.ts";
import { countPlan } from "../counts.ts";
import { coverageWords } from "../drift/coverage-words.ts";
import { remaining } from "../drift/drift-told.ts";
import { exitCodeWords } from "../exit-code-words.ts";
import type { CommandOutcome, Reading } from "../outcome.ts";
import { rosterWords } from "../roster-words.ts";
import { findingCounts } from "../text/finding-lines.ts";
import { callWords, deedWords } from "../text/plan-lines.ts";
import { everyoneWords, hiddenWords, keptWords } from "../text/reading-lines.ts";
import { outcomeWords } from "../text/run-lines.ts";
import { counted, listed } from "../words.ts";
import { code, codes, marker, prose } from "./safe-markdown.ts";

/** What a comment is found by, what it is about, and how it ended: before everything else, in few lines. */
export function headLines(outcome: CommandOutcome, privileged: RoleSet): readonly string[] {
  const { command, title, plan, reading, exitCode } = outcome;
  const name = title === undefined ? "" : ` (${prose(title)})`;
  return [
    marker(command, title),
    `## roster ${command}${name}: ${resultWords(outcome)}`,
    "",
    `- **Exit code ${exitCode}**: ${exitWords(outcome)}`,
    ...(plan === undefined ? [] : planFacts(plan, privileged, outcome.run === undefined ? "to-do" : "planned")),
    ...rosterFacts(outcome),
    ...(plan === undefined ? [] : [`- Plan ${code(plan.id)} for ${code(plan.service)}`]),
    ...(reading === undefined || plan === undefined ? [] : readingFacts(reading, plan)),
    ...fileFacts(outcome),
  ];
}

/** A plan that was made ends well, whatever it asks for. */
function exitWords({ exitCode, plan, run }: CommandOutcome): string {
  if (exitCode !== 0 || plan === undefined || run !== undefined || plan.actions.length === 0)
    return exitCodeWords(exitCode);
  return "the plan could be made; nothing of it is done yet";
}

function resultWords({ command, diagnostics, plan, run, drift, problem }: CommandOutcome): string {
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  if (run !== undefined) return outcomeWords(run, plan);
  if (problem?.code === "guard") return "refused by guards";
  if (problem !== undefined) return "ended before its work was done";
  if (errors > 0) return counted(errors, "error");
  if (drift !== undefined) {
    const { changes, blocking } = remaining(drift);
    if (changes + blocking === 0) return "no drift";
    return listed([
      ...(changes === 0 ? [] : [counted(changes, "change")]),
      ...(blocking === 0 ? [] : [counted(blocking, "blocking finding")]),
    ]);
  }
  if (plan === undefined) return command === "validate" ? "the roster is valid" : "done";
  return plan.actions.length === 0 ? "no changes" : callsWait(plan);
}

function callsWait({ actions, calls }: Plan): string {
  const isSure = calls.atMost === calls.writes;
  return `${isSure ? "" : "up to "}${counted(actions.length, "call waits", "calls wait")}`;
}

/** Of a run, what came of the plan is told beside it. */
function planFacts(plan: Plan, privileged: RoleSet, is: "to-do" | "planned"): readonly string[] {
  const counts = countPlan(plan);
  const found = plan.findings.length === 0 ? "nothing to tell beside it" : findingCounts(plan.findings);
  const planned = is === "planned" ? " planned" : "";
  if (plan.actions.length === 0) return [`- **No call is planned**; ${found}`];
  return [
    `- **What ${is === "planned" ? "was planned" : "is done"}**: ${deedWords(counts)}`,
    `- **Privileged roles${planned}** (${codes(privileged)}): ${privilegeWords(plan, privileged)}`,
    `- **Mails${planned}**: ${counts.mails}${counts.mails === 0 ? "" : ", one for each person in each team that they join"}`,
    `- **Calls${planned}**: ${callWords(counts).replace(/ calls?/u, "")}`,
    `- **Findings**: ${found}`,
  ];
}

/** On how many keys somebody gains a privileged role, has one for a moment, or loses one. */
function privilegeWords(plan: Plan, privileged: RoleSet): string {
  const changes = accessInPlanOrder(plan).flatMap((access) => access.changes);
  const kinds = changes.flatMap((change) =>
    change.is === "roles" ? [{ ...privilegeOf(change, privileged), before: change.before.known }] : [],
  );
  const asked = kinds.filter(({ gains }) => gains.length > 0);
  const unsure = asked.filter(({ before }) => before === "not-known").length;
  const given = asked.length - unsure;
  const momentary = kinds.filter(({ forAMoment }) => forAMoment.length > 0).length;
  const taken = kinds.filter(({ loses }) => loses.length > 0).length;
  const unsureWords = counted(unsure, "key that may have them already", "keys that may have them already");
  if (asked.length + momentary + taken === 0) return "none is given or taken";
  return listed([
    ...(given === 0 ? [] : [`given on ${counted(given, "key")}`]),
    ...(unsure === 0 ? [] : [`asked for on ${unsureWords}`]),
    ...(momentary === 0 ? [] : [`held for a moment on ${counted(momentary, "key")}`]),
    ...(taken === 0 ? [] : [`taken from ${counted(taken, "key")}`]),
  ]);
}

function rosterFacts({ roster, selected }: CommandOutcome): readonly string[] {
  if (roster === undefined) return [];
  const files = roster.files === 0 ? "" : `${counted(roster.files, "file")}, `;
  return [`- Roster: ${files}${rosterWords(roster)}${selected === true ? "; **only a part of it was compared**" : ""}`];
}

function readingFacts(reading: Reading, plan: Plan): readonly string[] {
  const hidden = hiddenWords(reading.capabilities);
  const requests = counted(plan.calls.reads, "request");
  const kept = keptWords(reading);
  return [
    ...(kept === undefined ? [] : [`- **Preview**: ${prose(kept)}`]),
    `- Read at ${code(reading.readAt)} with ${requests}. ${prose(everyoneWords(reading.everyone))}`,
    ...(hidden === undefined ? [] : [`- ${prose(hidden)}`]),
  ];
}

function fileFacts({ planFile, drift }: CommandOutcome): readonly string[] {
  const coverage = drift === undefined ? [] : [`- ${coverageWords(drift.drift.coverage)}`];
  if (planFile === undefined) return coverage;
  const { id, madeAt, expiresAt, policy } = planFile.file;
  const words = policy.words.length === 0 ? "" : `, with ${code(policy.words.join(" "))}`;
  const expired = planFile.is === "shown-expired" ? "**expired**" : "good until";
  return [
    ...coverage,
    `- Plan file ${code(planFile.path)} (${code(id)}), made at ${code(madeAt)}${words}, ${expired} ${code(expiresAt)}`,
  ];
}
