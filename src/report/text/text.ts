import type { Plan } from "../../model/plan.ts";
import { formatExitCode } from "../codes/exit-codes.ts";
import { type Line, prose, type Table } from "../document/blocks.ts";
import { driftLines, remainingDriftLines } from "../document/drift.ts";
import { explanationLines } from "../document/explanation.ts";
import { runLines } from "../document/run.ts";
import { configLines, doctorLines, formattingLines } from "../document/setup.ts";
import { stateLines } from "../document/state.ts";
import type { CommandOutcome, Rendered, RenderOptions, RosterCounts } from "../outcome.ts";
import { formatCount } from "../phrases.ts";
import { renderLines } from "./lines.ts";
import { formatRosterCounts, planLines, withPlanFileLines } from "./plan.ts";

/** For people: the result to be read from top to bottom. */
export function textFormat(outcome: CommandOutcome, { paint, columns }: RenderOptions): Rendered {
  const result = resultLines(outcome);
  const lines = result.length === 0 ? [] : [...result, ...exitCodeLines(outcome)];
  return { stdout: renderLines(lines, paint, columns) };
}

function resultLines(outcome: CommandOutcome): readonly (Line | Table)[] {
  const { command, plan, run, roster, problem, examination, state, config, formatting, explanation } = outcome;
  if (command === "validate") return roster === undefined ? [] : validationLines(outcome, roster);
  if (examination !== undefined) return doctorLines(examination);
  if (state !== undefined) return stateLines(state);
  if (config !== undefined) return configLines(config);
  if (formatting !== undefined) return formattingLines(formatting);
  if (explanation !== undefined) return explanationLines(explanation);
  if (run !== undefined) return [...runLines(run, plan), ...remainingDriftLines(outcome.drift)];
  // Whoever declined a plan has just read it.
  return plan === undefined || problem?.code === "declined" ? [] : plannedLines(outcome, plan);
}

function plannedLines(outcome: CommandOutcome, plan: Plan): readonly Line[] {
  const { drift, planFile, reading, view } = outcome;
  if (drift !== undefined) return driftLines(drift, plan, reading);
  const lines = planLines(plan, outcome);
  return planFile === undefined || view === "mermaid" ? lines : withPlanFileLines(lines, planFile);
}

function validationLines({ diagnostics }: CommandOutcome, counts: RosterCounts): readonly Line[] {
  if (diagnostics.some((diagnostic) => diagnostic.severity === "error")) return [];
  const warnings = diagnostics.length === 0 ? "" : `, with ${formatCount(diagnostics.length, "warning")}`;
  return [prose(0, `${formatCount(counts.files, "file")}, ${formatRosterCounts(counts)}: valid${warnings}.`)];
}

function exitCodeLines({ exitCode, problem, view, run }: CommandOutcome): readonly Line[] {
  if (exitCode === 0 || problem !== undefined || (view === "mermaid" && run === undefined)) return [];
  return [prose(0, `Exit code ${exitCode}: ${formatExitCode(exitCode)}.`, "dim")];
}
