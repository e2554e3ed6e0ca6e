import { formatPlace } from "../../model/fact.ts";
import type { Diagnostic } from "../../model/result.ts";
import type { CommandOutcome, TerminalStyle } from "../outcome.ts";
import { formatCount } from "../words.ts";
import { excerptLines } from "./excerpt.ts";
import { serviceLines } from "./failure-lines.ts";
import { type Line, prose, renderLines, row } from "./lines.ts";

const maxDiagnostics = 50;

/** What is for standard error, whatever the format: what is wrong with the input, then what ended the command. */
export function renderProblems(outcome: CommandOutcome, { paint, columns }: TerminalStyle): string {
  return renderLines([...diagnosticsLines(outcome.diagnostics), ...problemLines(outcome)], paint, columns);
}

function diagnosticsLines(diagnostics: readonly Diagnostic[]): readonly Line[] {
  const shown = firstDiagnostics(diagnostics);
  const lines = diagnostics.filter((diagnostic) => shown.has(diagnostic)).flatMap(diagnosticLines);
  const more = diagnostics.length - shown.size;
  return more === 0 ? lines : [...lines, prose(0, `and ${more} more`, "strong")];
}

/** Errors first, so that warnings never crowd them out. */
function firstDiagnostics(diagnostics: readonly Diagnostic[]): ReadonlySet<Diagnostic> {
  const errors = diagnostics.filter((diagnostic) => diagnostic.severity === "error");
  const warnings = diagnostics.filter((diagnostic) => diagnostic.severity === "warning");
  return new Set([...errors, ...warnings].slice(0, maxDiagnostics));
}

function diagnosticLines(diagnostic: Diagnostic): readonly Line[] {
  const { severity, place, excerpt } = diagnostic;
  const label = { ink: severity === "error" ? "alarm" : "change", text: `${severity}[${diagnostic.code}]` } as const;
  const where = place === undefined ? [] : [`${formatPlace(place)}: `];
  return [
    row(0, [...where, label, `: ${diagnostic.message}`]),
    ...(place === undefined || excerpt === undefined ? [] : excerptLines(place, excerpt)),
    ...(diagnostic.hint === undefined ? [] : [prose(2, `hint: ${diagnostic.hint}`)]),
  ];
}

function problemLines({ problem, diagnostics }: CommandOutcome): readonly Line[] {
  if (problem === undefined) return countLines(diagnostics);
  return [
    row(0, [{ ink: "alarm", text: "error" }, `: ${problem.message}`]),
    ...serviceLines(2, problem),
    ...(problem.hint === undefined ? [] : [prose(2, `hint: ${problem.hint}`)]),
  ];
}

function countLines(diagnostics: readonly Diagnostic[]): readonly Line[] {
  const errors = diagnostics.filter((diagnostic) => diagnostic.severity === "error").length;
  if (errors === 0) return [];
  const warnings = diagnostics.length - errors;
  const both =
    warnings === 0 ? [formatCount(errors, "error")] : [formatCount(errors, "error"), formatCount(warnings, "warning")];
  return [row(0, [{ ink: "strong", text: `${both.join(", ")}.` }, ` ${formatExplainHint(diagnostics)}`])];
}

/** Where more is said of what is wrong, once. */
function formatExplainHint(diagnostics: readonly Diagnostic[]): string {
  const [code, ...others] = new Set(diagnostics.map((diagnostic) => diagnostic.code));
  return others.length === 0 ? `\`roster explain ${code}\` says more.` : "`roster explain CODE` says more of each.";
}
