import { formatExitCode } from "../../codes/catalogue.ts";
import { formatCount, joinList } from "../../codes/message.ts";
import { isWhole, type RunSummary } from "../../log/summary.ts";
import { isOpenProblem } from "../../model/finding.ts";
import { countPlan, type Plan } from "../../model/plan.ts";
import { defaultPrivilegedRoles } from "../../model/values.ts";
import { doctorContent } from "../doctor/diagnose.ts";
import { explanationContent } from "../explain/explain.ts";
import type { CommandOutcome } from "../outcome.ts";
import { mapChanges, mapSection } from "./access.ts";
import { callsSection, recordedSection } from "./actions.ts";
import { auditContent } from "./audit.ts";
import * as drifts from "./drift.ts";
import { fleetContent, fleetHeadline } from "./fleet.ts";
import { formatCounts, formatLogHead, isSure, nameOf, present } from "./names.ts";
import * as plans from "./plan.ts";
import { type ChangeContext, changeGroups, privilegeSection } from "./plan.ts";
import { stateContent } from "./state.ts";
import { findingSections, problemSections } from "./tasks.ts";
import * as t from "./tree.ts";

/** Who reads it: a `page` has room for the whole access map. A reader at a terminal has read the plan before its run, and finds problems on standard error. */
export type Reader = "page" | "report" | "terminal";

export function documentOf(outcome: CommandOutcome, reader: Reader = "report"): t.Document {
  const { heading, sections = [], ...rest } = contentOf(outcome, reader);
  const isReport = reader !== "terminal";
  const map = isReport ? accessSections(outcome, reader) : [];
  const content = {
    ...rest,
    heading: isReport ? reportHeading(outcome, heading) : (heading ?? []),
    sections: [...map, ...(isReport ? problemSections(outcome) : []), ...sections],
  };
  const document = t.toDocument(content, `roster ${outcome.command}`);
  const { access, head = access?.head, exitCode, problem } = outcome;
  const isShown = heading !== undefined || document.summary.length > 0 || document.sections.length > 0;
  const isAnswer = exitCode === 9 && outcome.fleet?.did === "access";
  const isExitShown = ![0, 3].includes(exitCode) && !isAnswer && problem === undefined && (isReport || isShown);
  // To check the log after a change of the service, or of the log itself.
  const isHeadShown = isReport || ["apply", "state"].includes(outcome.command) || outcome.run !== undefined;
  const end = present(
    isHeadShown && outcome.run?.ended?.logLost !== true && head && t.sentence(formatLogHead(head, outcome.verify)),
    isExitShown && t.sentence(`Exit code ${exitCode}: ${formatExitCode(exitCode)}.`),
  );
  return { ...document, end };
}

/** The map is read before a run. */
function accessSections({ access, run }: CommandOutcome, reader: Reader): readonly t.Section[] {
  if (access === undefined) return [];
  const before = run === undefined ? undefined : `Access before this run (read at ${access.asOf}), and planned changes`;
  if (reader === "page") return [mapSection(access, before ?? "Access map")];
  return [mapChanges(access, before ?? "Access: planned changes, and changes by others")];
}

function contentOf(outcome: CommandOutcome, reader: Reader): t.Content {
  const { command, plan, run, problem, examination, state, audit, explanation, fleet, drift } = outcome;
  if (command === "validate") return validationContent(outcome);
  if (examination !== undefined) return doctorContent(examination);
  if (state !== undefined) return stateContent(state, outcome.planAgain);
  if (audit !== undefined) return auditContent(audit);
  if (fleet !== undefined) return fleetContent(fleet, outcome.planAgain);
  if (explanation !== undefined) return explanationContent(explanation);
  if (run !== undefined) return runContent(run, outcome, reader);
  // A person who declined a plan has just read it.
  if (plan === undefined || problem?.code === "declined") return {};
  return drift === undefined ? planContent(plan, outcome) : driftContent(plan, drift, outcome);
}

function validationContent({ roster, diagnostics }: CommandOutcome): t.Content {
  if (roster === undefined || diagnostics.some(({ severity }) => severity === "error")) return {};
  const warnings = diagnostics.length === 0 ? "" : `, with ${formatCount(diagnostics.length, "warning")}`;
  const text = `${formatCount(roster.files, "file")}, ${plans.formatRosterCounts(roster)}: valid${warnings}.`;
  return { summary: [t.sentence(text)] };
}

function planContent(plan: Plan, outcome: CommandOutcome): t.Content {
  const { planFile, view } = outcome;
  // Who reads a saved plan approves it: unless a view is named, everything that its apply sends is shown.
  const isSaved = planFile?.is === "shown" || planFile?.is === "shown-expired";
  const hasCalls = view === "calls" || (isSaved && view === undefined);
  const { privileges, changes } = planSections(plan, outcome, "");
  const [guarded, tasks, ...others] = findingSections(plan.findings, changeContext(plan, outcome));
  return {
    heading: t.phrase`Plan for ${plan.service}`,
    about: planFile === undefined || planFile.is === "written" ? [] : plans.planFileFacts(planFile),
    read: plans.readingFacts(outcome),
    summary: plans.planSummary(plan, "Plan:", outcome),
    sections: present(
      privileges,
      guarded,
      view !== "calls" && changes,
      hasCalls && callsSection(plan),
      tasks,
      ...others,
      isSaved && view === "calls" && recordedSection(plan, planFile.file.lessons),
    ),
    next: planFile ? plans.savedPlanBlocks(planFile, plan) : [],
  };
}

function runContent(run: RunSummary, outcome: CommandOutcome, reader: Reader): t.Content {
  const { plan, drift, planAgain, planFile } = outcome;
  const context = { plan, privileged: outcome.privilegedRoles ?? defaultPrivilegedRoles };
  const done = [...plans.runSummary(run, plan), ...present(drift && drifts.remainingDrift(drift))];
  const sections = plans.runSections(run, context);
  const next = plans.runNext(run, plan, planAgain);
  if (plan === undefined) return { summary: done, sections, next };
  const open = plan.findings.filter(isOpenProblem);
  const names = open.map(({ code, subject }) => `${nameOf(subject)} (${code})`);
  const which = names.length > 3 ? "see Tasks above" : joinList(names);
  const left = open.length > 0 && t.sentence(`${formatCount(open.length, "task is", "tasks are")} left: ${which}.`);
  if (reader === "terminal") return { summary: present(...done, left), sections, next };
  const { privileges, changes } = planSections(plan, outcome, isWhole(run) ? "" : " in the plan");
  const [guarded, tasks, ...others] = findingSections(plan.findings, context);
  const [lead, ...facts] = plans.planSummary(plan, "The plan was:", outcome);
  return {
    heading: t.phrase`Apply to ${plan.service}`,
    about: planFile === undefined ? [] : plans.planFileFacts(planFile),
    read: plans.readingFacts(outcome),
    summary: [...done, ...present((plan.actions.length === 0 || !isWhole(run)) && lead), ...facts],
    sections: [...sections, privileges, guarded, changes, tasks, ...others],
    next,
  };
}

function driftContent(plan: Plan, drift: drifts.DriftReport, outcome: CommandOutcome): t.Content {
  const context = changeContext(plan, outcome);
  const [repair] = plans.planSummary(plan, "`roster apply` would", outcome);
  return {
    heading: t.phrase`Drift at ${plan.service}`,
    read: [...plans.readingFacts(outcome), t.sentence(drifts.formatCoverage(drift.drift.coverage))],
    summary: [
      ...drifts.driftSummary(drift, outcome.selected),
      ...present(drifts.countDrift(drift).changes > 0 && repair),
    ],
    sections: drifts.driftSections(drift, context, (isShown) => changeGroups(context, isShown)),
    next: [
      ...drifts.acceptNext(drift),
      ...present(
        drift.record.is === "not-recorded" && t.sentence(`New drift was not recorded: ${drift.record.why}.`, "dim"),
      ),
    ],
  };
}

function changeContext(plan: Plan, { reading, run, privilegedRoles }: CommandOutcome): ChangeContext {
  return { plan, privileged: privilegedRoles ?? defaultPrivilegedRoles, shown: reading?.privileges, run };
}

function planSections(plan: Plan, outcome: CommandOutcome, where: "" | " in the plan") {
  const context = changeContext(plan, outcome);
  return {
    privileges: privilegeSection(`Changes of privileged roles${where}`, context),
    changes: t.part(t.words(`Changes${where}`), changeGroups(context)),
  };
}

function reportHeading(outcome: CommandOutcome, heading: t.Inline | undefined): t.Inline {
  const { command, title, fleet } = outcome;
  const which = fleet === undefined || fleet.did === "validated" ? "" : ` ${fleet.did}`;
  const name = title === undefined ? [] : t.phrase` (${[title]})`;
  const result = formatResult(outcome);
  const told = result === "" ? [] : t.words(`: ${result}`);
  return [...(heading ?? t.words(`roster ${command}${which}`)), ...name, ...told];
}

function formatResult({ command, diagnostics, plan, run, drift, problem, fleet }: CommandOutcome): string {
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  if (fleet !== undefined && fleet.did !== "validated") return fleetHeadline(fleet);
  if (run !== undefined) return isWhole(run) ? "done" : "partly done";
  if (problem?.code === "guard") return "refused by guards";
  if (problem !== undefined) return command === "apply" ? "nothing was applied" : "stopped early";
  if (errors > 0) return formatCount(errors, "error");
  if (drift !== undefined) return drifts.formatDriftCounts(drift) || drifts.formatNoDrift(drift);
  if (plan === undefined) return command === "validate" ? "the roster is valid" : "";
  const { createUsers, createTeams, mails, blockingFindings } = countPlan(plan);
  const keys = plan.actions.filter((action) => action.kind === "replace-roles" && isSure(action)).length;
  const counts = formatCounts([createUsers, "new user"], [createTeams, "new team"], [mails, "mail"]);
  if (plan.actions.length > 0)
    return joinList([...counts, ...formatCounts([keys, "key"]).map((changed) => `role changes on ${changed}`)]);
  return blockingFindings === 0 ? "no changes" : formatCount(blockingFindings, "task");
}
