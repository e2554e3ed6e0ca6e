import { formatPlace, type Place } from "../../model/fact.ts";
import type { Diagnostic, Failure } from "../../model/result.ts";
import type { CommandOutcome, Problem, TerminalStyle } from "../outcome.ts";
import { formatCount } from "../phrases.ts";
import { safe } from "../safe.ts";
import { displayWidth, type Line, prose, renderLines, row } from "./lines.ts";

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

const maxExcerptWidth = 110;
const maxExcerptLead = 60;

/** The source line and, beneath the fault, a row of carets. */
export function excerptLines(place: Place, excerpt: NonNullable<Diagnostic["excerpt"]>): readonly Line[] {
  const cut = excerptAround(excerpt.line.replaceAll("\t", " "), place.column - 1);
  const fault = cut.text.slice(cut.offset, cut.offset + excerpt.length);
  const gutter = `${place.line}`;
  const carets = "^".repeat(Math.max(1, displayWidth(safe(fault))));
  const before = " ".repeat(displayWidth(safe(cut.text.slice(0, cut.offset))));
  return [
    row(2, [{ ink: "dim", text: `${gutter} | ` }, cut.text]),
    row(2, [{ ink: "dim", text: `${" ".repeat(gutter.length)} | ` }, before, { ink: "alarm", text: carets }]),
  ];
}

/** The part of a long line that holds the fault. */
function excerptAround(line: string, offset: number): { readonly text: string; readonly offset: number } {
  if (line.length <= maxExcerptWidth) return { text: line, offset: Math.min(Math.max(0, offset), line.length) };
  const start = Math.max(0, Math.min(offset - maxExcerptLead, line.length - maxExcerptWidth));
  const head = start === 0 ? "" : "…";
  const tail = start + maxExcerptWidth < line.length ? "…" : "";
  const text = `${head}${line.slice(start, start + maxExcerptWidth)}${tail}`;
  return { text, offset: Math.min(offset - start + head.length, text.length) };
}

const maxServiceMessage = 300;

/** Which request it was, and what the service said to it. */
export function serviceLines(indent: number, problem: Problem | Failure): readonly Line[] {
  const { request, status, serviceSays } = problem;
  const answer = status === undefined ? "" : ` (status ${status})`;
  return [
    ...(request === undefined ? [] : [prose(indent, `request: ${request}${answer}`)]),
    ...(serviceSays === undefined ? [] : [prose(indent, `the service says: "${truncateMessage(serviceSays)}"`)]),
  ];
}

function truncateMessage(text: string): string {
  return text.length <= maxServiceMessage ? text : `${text.slice(0, maxServiceMessage)}…`;
}
