import { countPlan, type Plan } from "../../model/plan.ts";
import { defaultPrivilegedRoles, type RoleSet } from "../../model/role-set.ts";
import { privilegeChange } from "../access/access-change.ts";
import { accessInPlanOrder } from "../access/access-changes.ts";
import { formatExitCode } from "../codes/exit-codes.ts";
import { countPrivilegedGains, type DriftReport, formatCoverage } from "../drift.ts";
import type { CommandOutcome, ReadSummary } from "../outcome.ts";
import { formatCount, formatList } from "../phrases.ts";
import { privilegeTable } from "./access-tables.ts";
import { type Inline, phrase, type Section, strong, values, words } from "./blocks.ts";
import { driftSections, formatDriftCounts, formatPrivilegedGains } from "./drift.ts";
import { findingCounts, findingSections, foldedFindingSections } from "./findings.ts";
import {
  formatActionCounts,
  formatCallCount,
  formatCompleteness,
  formatHiddenFields,
  formatRosterCounts,
  formatSnapshotNotice,
} from "./plan.ts";
import { problemSections } from "./problems.ts";
import { rehearsalSection } from "./rehearsal.ts";
import { formatOutcomes, runSections } from "./run.ts";
import { callTable, teamDiffs } from "./team-diffs.ts";

/** What a reviewer of a pull request or of a pipeline needs to know. */
export interface Review {
  readonly heading: Inline;
  /** What it is about and how it ended, in few lines. */
  readonly facts: readonly Inline[];
  /** What matters first; in sections for those who read on. */
  readonly sections: readonly Section[];
}

export function reviewOf(outcome: CommandOutcome): Review {
  const { command, title } = outcome;
  const privileged = outcome.privilegedRoles ?? defaultPrivilegedRoles;
  const name = title === undefined ? [] : phrase` (${[title]})`;
  return {
    heading: phrase`roster ${words(command)}${name}: ${words(formatResult(outcome))}`,
    facts: factsOf(outcome, privileged),
    sections: sectionsOf(outcome, privileged),
  };
}

function sectionsOf(outcome: CommandOutcome, privileged: RoleSet): readonly Section[] {
  const { command, plan, run, drift, reading, problem, rehearsal } = outcome;
  const whole = phrase`${`roster ${command}`} on a terminal shows all`;
  const first = [
    ...problemSections(outcome),
    ...(plan === undefined || rehearsal === undefined ? [] : [rehearsalSection(rehearsal, plan)]),
    ...(run === undefined ? [] : runSections(run, plan, { whole, repeats: outcome.repeats })),
  ];
  // A person who declined a plan has just read it.
  if (plan === undefined || problem?.code === "declined") return first;
  const isCompared = drift !== undefined && run === undefined;
  const is = planStanding(outcome);
  return [
    ...first,
    ...(isCompared ? driftSections(drift, plan, whole) : []),
    ...privilegeTable(plan, { privileged, shown: reading?.privileges, is, whole }),
    ...(isCompared ? [] : findingSections(plan.findings, whole, plan.actions)),
    teamDiffs(plan, { privileged, is, whole }),
    ...(isCompared ? [] : foldedFindingSections(plan, whole, outcome.repeats)),
    callTable(plan, whole),
  ];
}

function formatResult({ command, diagnostics, plan, run, drift, problem }: CommandOutcome): string {
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  if (run !== undefined) return formatOutcomes(run);
  if (problem?.code === "guard") return "refused by guards";
  if (problem !== undefined) return "stopped early";
  if (errors > 0) return formatCount(errors, "error");
  if (drift !== undefined) return formatDriftCounts(drift) || "no drift";
  if (plan === undefined) return command === "validate" ? "the roster is valid" : "done";
  return plan.actions.length === 0 ? "no changes" : formatWaitingCalls(plan);
}

function formatWaitingCalls({ actions, calls }: Plan): string {
  const isSure = calls.atMost === calls.writes;
  return `${isSure ? "" : "up to "}${formatCount(actions.length, "call")} planned`;
}

function factsOf(outcome: CommandOutcome, privileged: RoleSet): readonly Inline[] {
  const { plan, reading, roster, selected, exitCode, run, drift } = outcome;
  return [
    phrase`${strong(words(`Exit code ${exitCode}`))}: ${words(formatExit(outcome))}`,
    ...(drift === undefined || run !== undefined ? [] : privilegedFacts(drift)),
    ...(plan === undefined ? [] : planFacts(plan, privileged, planStanding(outcome))),
    ...(roster === undefined ? [] : [rosterFact(roster, selected)]),
    ...(plan === undefined ? [] : [phrase`Plan ${plan.id} for ${plan.service}`]),
    ...(reading === undefined || plan === undefined ? [] : readingFacts(reading, plan)),
    ...fileFacts(outcome),
  ];
}

/** Whether a plan is to be done, was planned for a run, or is what apply would do about a drift. */
type PlanStanding = "to-do" | "planned" | "repair";

function planStanding({ run, drift }: CommandOutcome): PlanStanding {
  if (run !== undefined) return "planned";
  return drift === undefined ? "to-do" : "repair";
}

/** A plan that was made has succeeded, however many changes wait. */
function formatExit({ exitCode, plan, run }: CommandOutcome): string {
  const isWaiting = exitCode === 0 && plan !== undefined && run === undefined && plan.actions.length > 0;
  return isWaiting ? "the plan is ready; nothing is applied yet" : formatExitCode(exitCode);
}

function privilegedFacts(drift: DriftReport): readonly Inline[] {
  const count = countPrivilegedGains(drift);
  return count === 0 ? [] : [[strong(words(formatPrivilegedGains(count)))]];
}

/** Of a run, its results are in other facts. */
function planFacts(plan: Plan, privileged: RoleSet, is: PlanStanding): readonly Inline[] {
  const counts = countPlan(plan);
  const found = words(plan.findings.length === 0 ? "none" : findingCounts(plan.findings));
  if (plan.actions.length === 0)
    return [phrase`${strong(words("No changes"))}`, phrase`${strong(words("Findings"))}: ${found}`];
  const planned = { "to-do": "", planned: " planned", repair: " by apply" }[is];
  const what = { "to-do": "Plan", planned: "Planned", repair: "Changes by apply" }[is];
  const fact = (name: string, about: Inline) => phrase`${strong(words(name))}: ${about}`;
  return [
    fact(what, words(formatActionCounts(counts))),
    phrase`${strong(words(`Privileged roles${planned}`))} (${values(privileged)}): ${words(formatPrivilegeChanges(plan, privileged))}`,
    fact(`Mails${planned}`, words(`${counts.mails}`)),
    fact(`Calls${planned}`, words(formatCallCount(counts).replace(/ calls?/u, ""))),
    fact("Findings", found),
  ];
}

/** On how many keys a privileged role is added, present for a short time, or removed. */
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
  const unsureKeys = formatCount(unsure, "key that may have them already", "keys that may have them already");
  if (asked.length + momentary + taken === 0) return "no change";
  return formatList([
    ...(given === 0 ? [] : [`added to ${formatCount(given, "key")}`]),
    ...(unsure === 0 ? [] : [`set on ${unsureKeys}`]),
    ...(momentary === 0 ? [] : [`for a short time on ${formatCount(momentary, "key")}`]),
    ...(taken === 0 ? [] : [`removed from ${formatCount(taken, "key")}`]),
  ]);
}

function rosterFact(roster: NonNullable<CommandOutcome["roster"]>, selected: CommandOutcome["selected"]): Inline {
  const files = roster.files === 0 ? "" : `${formatCount(roster.files, "file")}, `;
  const part = selected === true ? phrase`; ${strong(words("only a part was compared"))}` : [];
  return phrase`Roster: ${words(`${files}${formatRosterCounts(roster)}`)}${part}`;
}

function readingFacts(reading: ReadSummary, plan: Plan): readonly Inline[] {
  const hidden = formatHiddenFields(reading.capabilities);
  const requests = words(formatCount(plan.calls.reads, "request"));
  const kept = formatSnapshotNotice(reading);
  return [
    ...(kept === undefined ? [] : [phrase`${strong(words("Preview"))}: ${[kept]}`]),
    phrase`Read at ${reading.readAt} with ${requests}. ${[formatCompleteness(reading.everyone)]}`,
    ...(hidden === undefined ? [] : [[hidden]]),
  ];
}

function fileFacts({ planFile, drift }: CommandOutcome): readonly Inline[] {
  const coverage = drift === undefined ? [] : [words(formatCoverage(drift.drift.coverage))];
  if (planFile === undefined) return coverage;
  const { id, madeAt, expiresAt, policy } = planFile.file;
  const flags = policy.words.length === 0 ? [] : phrase`, with ${policy.words.join(" ")}`;
  const expiry = planFile.is === "shown-expired" ? [strong(words("expired"))] : words("valid until");
  return [...coverage, phrase`Plan file ${planFile.path} (${id}), made at ${madeAt}${flags}, ${expiry} ${expiresAt}`];
}
