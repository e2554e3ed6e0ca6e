import { formatPlace, type Place } from "../../model/fact.ts";
import { stopNames } from "../../model/guard-names.ts";
import type { Failure } from "../../model/recorded.ts";
import type { Diagnostic, Problem } from "../../model/result.ts";
import type { CommandOutcome } from "../outcome.ts";
import { formatCounts } from "../phrases.ts";
import { displayWidth, safe } from "../safe.ts";
import {
  type Block,
  type Inline,
  item,
  type Line,
  paragraph,
  phrase,
  plainText,
  prose,
  quote,
  row,
  type Section,
  strong,
  value,
  words,
} from "./blocks.ts";
import { reasonFlag } from "./findings.ts";

const maxDiagnostics = 50;

/** What is for standard error, whatever the format: what is wrong with the input, then what ended the command. */
export function problemLines({ problem, diagnostics }: CommandOutcome): readonly Line[] {
  const ending = problem === undefined ? [] : endingLines(problem);
  return [...diagnosticsLines(diagnostics), ...ending, ...closingLines(diagnostics, problem)];
}

function diagnosticsLines(diagnostics: readonly Diagnostic[]): readonly Line[] {
  const shown = firstDiagnostics(diagnostics);
  const lines = diagnostics.filter((diagnostic) => shown.has(diagnostic)).flatMap(diagnosticLines);
  const more = diagnostics.length - shown.size;
  return more === 0 ? lines : [...lines, prose(0, `and ${more} more`, "strong")];
}

/** Errors first, so that warnings never crowd them out. */
function firstDiagnostics(diagnostics: readonly Diagnostic[]): ReadonlySet<Diagnostic> {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const warnings = diagnostics.filter(({ severity }) => severity === "warning");
  return new Set([...errors, ...warnings].slice(0, maxDiagnostics));
}

function diagnosticLines({ severity, place, excerpt, code, message, hint }: Diagnostic): readonly Line[] {
  const label = { ink: severity === "error" ? "alarm" : "change", text: `${severity}[${code}]` } as const;
  const where = place === undefined ? [] : [`${formatPlace(place)}: `];
  return [
    row(0, [...where, label, `: ${message}`]),
    ...(place === undefined || excerpt === undefined ? [] : excerptLines(place, excerpt)),
    ...noteLines(2, hintNotes(hint)),
  ];
}

function endingLines(problem: Problem): readonly Line[] {
  // A person who cancels has made no error.
  if (problem.code === "declined") return [row(0, [`${problem.message}.`])];
  return [
    row(0, [{ ink: "alarm", text: `error[${problem.code}]` }, `: ${problem.message}`]),
    ...noteLines(2, [...callNotes(problem), ...hintNotes(problem.hint)]),
  ];
}

/** How many faults the input has, if nothing else ended the command, and the command that explains them. */
function closingLines(diagnostics: readonly Diagnostic[], problem: Problem | undefined): readonly Line[] {
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  const counts = formatCounts([errors, "error"], [diagnostics.length - errors, "warning"]);
  if (problem?.code === "declined") return [];
  if (problem !== undefined) return [row(0, [explainHint([...diagnostics, problem])])];
  return errors === 0
    ? []
    : [row(0, [{ ink: "strong", text: `${counts.join(", ")}.` }, ` ${explainHint(diagnostics)}`])];
}

function explainHint(explained: readonly Pick<Problem, "code">[]): string {
  const [code, ...others] = new Set(explained.map((one) => one.code));
  return `For details, run \`roster explain ${others.length === 0 ? code : "CODE"}\`.`;
}

const maxExcerptWidth = 110;
const maxExcerptLead = 60;

/** The source line and, beneath the fault, a row of carets. */
function excerptLines(place: Place, excerpt: NonNullable<Diagnostic["excerpt"]>): readonly Line[] {
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

/** For a review: what ended the command, the guards that refuse its plan, and what is wrong with the input. */
export function problemSections({ problem, diagnostics, command }: CommandOutcome): readonly Section[] {
  const guards = problem?.code === "guard" ? diagnostics.filter(isGuardDiagnostic) : [];
  const others = diagnostics.filter((diagnostic) => !guards.includes(diagnostic));
  const errors = others.filter(({ severity }) => severity === "error");
  const warnings = others.filter(({ severity }) => severity === "warning");
  return [
    ...(problem === undefined ? [] : [problemSection(problem, guards, command)]),
    diagnosticSection("Errors", errors, { rank: 2, is: "open" }),
    diagnosticSection("Warnings", warnings, { rank: 65, is: "folded" }),
  ];
}

function isGuardDiagnostic({ code }: Diagnostic): boolean {
  return code === "service-reset" || stopNames.some((stop) => stop === code);
}

function problemSection(problem: Problem, guards: readonly Diagnostic[], command: string): Section {
  const { message, hint, allow = [], code } = problem;
  const flags = [...allow.map((name) => `--allow ${name}`), ...reasonFlag(allow)].join(" ");
  const passed = value(`roster ${command} … ${flags}`, 400);
  return {
    title: guards.length === 0 ? "Stopped" : "Refused by guards",
    is: "open",
    lead: [paragraph(phrase`${code}: ${[message]}`)],
    body: {
      kind: "list",
      items: [
        ...guards.map((guard) => phrase`${strong(phrase`${guard.code}`)}: ${[guard.message]}`),
        ...callNotes(problem),
        ...hintNotes(hint, "What to do"),
        ...(flags === "" ? [] : [phrase`To allow it anyway: ${passed}`]),
      ],
    },
    rank: 1,
    leftOut: (count) => phrase`… and ${count} more`,
  };
}

function diagnosticSection(
  title: string,
  diagnostics: readonly Diagnostic[],
  { rank, is }: Pick<Section, "rank" | "is">,
): Section {
  return {
    title: `${title} (${diagnostics.length})`,
    is,
    body: { kind: "stack", entries: diagnostics.map((diagnostic) => [diagnosticItem(diagnostic)]) },
    rank,
    leftOut: (count) => phrase`… and ${count} more: ${"roster validate"} shows all`,
  };
}

/** Where and what, the line itself, and what to do. */
function diagnosticItem({ code, message, hint, place, excerpt }: Diagnostic): Block {
  const where = place === undefined ? [] : phrase`${formatPlace(place)} `;
  const excerpted: readonly Block[] =
    place === undefined || excerpt === undefined
      ? []
      : [{ kind: "code", language: "text", lines: excerptLines(place, excerpt) }];
  return item(phrase`${where}${code}: ${[message]}`, [...excerpted, ...hintNotes(hint, "What to do").map(paragraph)]);
}

export function noteLines(indent: number, notes: readonly Inline[]): readonly Line[] {
  return notes.map((note) => prose(indent, plainText(note)));
}

/** Why a call failed, and what to do. */
export function failureNotes(failure: Failure): readonly Inline[] {
  return [[failure.message], ...callNotes(failure), ...hintNotes(failure.hint)];
}

/** The request, and what the service says about it. */
function callNotes({ request, status, serviceSays }: Problem | Failure): readonly Inline[] {
  const answer = status === undefined ? [] : phrase` (status ${status})`;
  return [
    ...(request === undefined ? [] : [phrase`request: ${request}${answer}`]),
    ...(serviceSays === undefined ? [] : [phrase`the service says: ${quote(serviceSays)}`]),
  ];
}

function hintNotes(hint: string | undefined, lead: "hint" | "What to do" = "hint"): readonly Inline[] {
  return hint === undefined ? [] : [phrase`${words(lead)}: ${[hint]}`];
}

/** The same as sentences: what went wrong, in the service's own words too, and what to do. */
export function formatFailure({ message, serviceSays, hint }: Problem | Failure): string {
  return joinSentences(serviceSays === undefined ? message : `${message}: ${serviceSays}`, hint);
}

/** Sentences that end with a stop. */
export function joinSentences(...texts: readonly (string | undefined)[]): string {
  return texts
    .flatMap((text) => (text === undefined || text === "" ? [] : [/[.!?…]$/u.test(text) ? text : `${text}.`]))
    .join(" ");
}
