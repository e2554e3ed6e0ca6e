import type { Plan, RosterCounts } from "../../model/plan.ts";
import { formatHead } from "../../model/state.ts";
import { formatExitCode } from "../codes/exit-codes.ts";
import { type Line, prose, type Table } from "../document/blocks.ts";
import { formatRosterCounts, type PlanTextOptions, planLines } from "../document/plan.ts";
import { runLines } from "../document/run.ts";
import type { CommandOutcome, Rendered, RenderOptions, TerminalStyle } from "../outcome.ts";
import { formatCount } from "../phrases.ts";
import { renderLines } from "./lines.ts";

/** For people: the result to be read from top to bottom. */
export async function textFormat(outcome: CommandOutcome, { paint, columns }: RenderOptions): Promise<Rendered> {
  const result = await resultLines(outcome);
  const { head } = outcome;
  const headLines = head === undefined ? [] : [prose(0, `Log head: ${formatHead(head)}`, "dim")];
  const lines = result.length === 0 ? headLines : [...result, ...headLines, ...exitCodeLines(outcome)];
  return { stdout: renderLines(lines, paint, columns) };
}

/** The text of a plan, such as it is shown before it is approved. */
export function renderPlan(plan: Plan, options: TerminalStyle & PlanTextOptions): string {
  return renderLines(planLines(plan, options), options.paint, options.columns);
}

/** What only some commands show is loaded when it is wanted. */
async function resultLines(outcome: CommandOutcome): Promise<readonly (Line | Table)[]> {
  const { command, plan, run, roster, problem, examination, state, audit, drift } = outcome;
  const { explanation, fleet } = outcome;
  if (command === "validate") return roster === undefined ? [] : validationLines(outcome, roster);
  if (examination !== undefined) return (await import("../document/setup.ts")).doctorLines(examination);
  if (state !== undefined) return (await import("../document/state.ts")).stateLines(state);
  if (audit !== undefined) return (await import("../audit.ts")).auditLines(audit);
  if (fleet !== undefined) return (await import("../document/fleet.ts")).fleetLines(fleet);
  if (explanation !== undefined) return (await import("../document/explanation.ts")).explanationLines(explanation);
  if (run !== undefined) return [...runLines(run, plan, outcome.repeats), ...(await driftAfterRunLines(drift))];
  // A person who declined a plan has just read it.
  if (plan === undefined || problem?.code === "declined") return [];
  if (drift === undefined) return planLines(plan, outcome);
  return (await import("../document/drift.ts")).driftLines(drift, plan, outcome.reading);
}

async function driftAfterRunLines(drift: CommandOutcome["drift"]): Promise<readonly Line[]> {
  return drift === undefined ? [] : (await import("../document/drift.ts")).remainingDriftLines(drift);
}

function validationLines({ diagnostics }: CommandOutcome, counts: RosterCounts): readonly Line[] {
  if (diagnostics.some((diagnostic) => diagnostic.severity === "error")) return [];
  const warnings = diagnostics.length === 0 ? "" : `, with ${formatCount(diagnostics.length, "warning")}`;
  return [prose(0, `${formatCount(counts.files, "file")}, ${formatRosterCounts(counts)}: valid${warnings}.`)];
}

function exitCodeLines({ exitCode, problem }: CommandOutcome): readonly Line[] {
  if (exitCode === 0 || problem !== undefined) return [];
  return [prose(0, `Exit code ${exitCode}: ${formatExitCode(exitCode)}.`, "dim")];
}
