import { defaultPrivilegedRoles, type RoleSet } from "../../model/role-set.ts";
import type { CommandOutcome, Rendered } from "../outcome.ts";
import { accessSections } from "./access-sections.ts";
import { callSections } from "./call-sections.ts";
import { renderSections, type Section } from "./document.ts";
import { driftSections } from "./drift-sections.ts";
import { blockingSections, collapsedFindings } from "./finding-sections.ts";
import { headLines } from "./head.ts";
import { rehearsalSection } from "./rehearsal-section.ts";
import { runSections } from "./run-sections.ts";
import { code } from "./safe-markdown.ts";
import { problemSections } from "./trouble-sections.ts";

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
