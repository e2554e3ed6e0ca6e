import type { Plan } from "../../model/plan.ts";
import { formatExitCode } from "../codes/exit-codes.ts";
import { type Line, prose, type Table } from "../document/blocks.ts";
import { driftLines, remainingDriftLines } from "../document/drift.ts";
import { explanationLines } from "../document/explanation.ts";
import { formatRosterCounts, type PlanTextOptions, planLines } from "../document/plan.ts";
import { runLines } from "../document/run.ts";
import { configLines, doctorLines, formattingLines } from "../document/setup.ts";
import { stateLines } from "../document/state.ts";
import type { CommandOutcome, Rendered, RenderOptions, RosterCounts, TerminalStyle } from "../outcome.ts";
import { formatCount } from "../phrases.ts";
import { renderLines } from "./lines.ts";

/** For people: the result to be read from top to bottom. */
export function textFormat(outcome: CommandOutcome, { paint, columns }: RenderOptions): Rendered {
  const result = resultLines(outcome);
  const lines = result.length === 0 ? [] : [...result, ...exitCodeLines(outcome)];
  return { stdout: renderLines(lines, paint, columns) };
}

/** The text of a plan, such as it is shown before it is approved. */
export function renderPlan(plan: Plan, options: TerminalStyle & PlanTextOptions): string {
  return renderLines(planLines(plan, options), options.paint, options.columns);
}

function resultLines(outcome: CommandOutcome): readonly (Line | Table)[] {
  const { command, plan, run, roster, problem, examination, state, config, formatting, explanation, drift } = outcome;
  if (command === "validate") return roster === undefined ? [] : validationLines(outcome, roster);
  if (examination !== undefined) return doctorLines(examination);
  if (state !== undefined) return stateLines(state);
  if (config !== undefined) return configLines(config);
  if (formatting !== undefined) return formattingLines(formatting);
  if (explanation !== undefined) return explanationLines(explanation);
  if (run !== undefined) return [...runLines(run, plan), ...remainingDriftLines(drift)];
  // Whoever declined a plan has just read it.
  if (plan === undefined || problem?.code === "declined") return [];
  return drift === undefined ? planLines(plan, outcome) : driftLines(drift, plan, outcome.reading);
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
