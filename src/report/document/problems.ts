import { isStop } from "../../codes/guards.ts";
import { formatPlace } from "../../model/fact.ts";
import type { Failure } from "../../model/recorded.ts";
import type { Diagnostic, Problem } from "../../model/result.ts";
import type { CommandOutcome } from "../outcome.ts";
import { formatCounts } from "../phrases.ts";
import { displayWidth, safe } from "../safe.ts";
import {
  type Block,
  type Entry,
  entriesOf,
  entry,
  inked,
  lines,
  type Paragraph,
  paragraph,
  part,
  phrase,
  quote,
  type Section,
  section,
  words,
} from "./tree.ts";

const maxDiagnostics = 50;

/** What is for standard error, whatever the format: what is wrong with the input, what ended the command, and how to learn more. */
export function problemBlocks({ problem, diagnostics }: CommandOutcome): readonly Block[] {
  // Errors first, so that warnings never crowd them out.
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const warnings = diagnostics.filter(({ severity }) => severity === "warning");
  const shown = new Set([...errors, ...warnings].slice(0, maxDiagnostics));
  const entries = diagnostics.filter((diagnostic) => shown.has(diagnostic)).map(diagnosticEntry);
  const more = diagnostics.length - shown.size;
  // A person who cancels has made no error.
  if (problem?.code === "declined") return [...entriesOf(entries), paragraph([`${problem.message}.`])];
  const counts = formatCounts([errors.length, "error"], [warnings.length, "warning"]).join(", ");
  const explained = [...new Set([...diagnostics, ...(problem === undefined ? [] : [problem])].map(({ code }) => code))];
  const hint = `For details, run \`roster explain ${explained.length === 1 ? explained[0] : "CODE"}\`.`;
  const ends = problem !== undefined || errors.length > 0;
  return [
    ...entriesOf(entries),
    ...(more === 0 ? [] : [paragraph([inked("strong", `and ${more} more`)])]),
    ...(problem === undefined ? [] : entriesOf([problemEntry(problem)])),
    ...(ends ? [paragraph([...(problem === undefined ? [inked("strong", `${counts}.`), " "] : []), hint])] : []),
  ];
}

/** For a report: what ended the command, with the guards that refuse its plan, and what is wrong with the input. */
export function problemSections({ problem, diagnostics }: CommandOutcome): readonly Section[] {
  const refuses = ({ code }: Diagnostic) => code === "service-reset" || isStop(code);
  const guards = problem?.code === "guard" ? diagnostics.filter(refuses) : [];
  const others = diagnostics.filter((diagnostic) => !guards.includes(diagnostic));
  const errors = others.filter(({ severity }) => severity === "error");
  const warnings = others.filter(({ severity }) => severity === "warning");
  const stopped = problem === undefined ? [] : [problemEntry(problem), ...guards.map(diagnosticEntry)];
  const listing = "roster validate";
  return [
    part(words(guards.length === 0 ? "Stopped" : "Refused by guards"), entriesOf(stopped)),
    { ...section("Errors", errors.map(diagnosticEntry)), whole: listing },
    { ...section("Warnings", warnings.map(diagnosticEntry), { is: "folded" }), whole: listing },
  ];
}

function diagnosticEntry(diagnostic: Diagnostic): Entry {
  const { severity, place, code, message, hint } = diagnostic;
  const ink = severity === "error" ? "alarm" : "change";
  return entry([inked(ink, `${severity}[${code}]`), ": ", message], {
    about: place === undefined ? [] : phrase`${formatPlace(place)}`,
    notes: [...excerptBlocks(diagnostic), ...hintNotes(hint)],
    labels: [severity],
  });
}

function problemEntry(problem: Problem): Entry {
  const { code, message, hint } = problem;
  const notes = [...callNotes(problem), ...hintNotes(hint)];
  return entry([inked("alarm", `error[${code}]`), ": ", message], { notes, labels: ["error"] });
}

const maxExcerptWidth = 110;
const maxExcerptLead = 60;

function excerptBlocks({ place, excerpt }: Diagnostic): readonly Block[] {
  if (place === undefined || excerpt === undefined) return [];
  const cut = excerptAround(excerpt.line.replaceAll("\t", " "), place.column - 1);
  const fault = cut.text.slice(cut.offset, cut.offset + excerpt.length);
  const gutter = `${place.line}`;
  const carets = "^".repeat(Math.max(1, displayWidth(safe(fault))));
  const before = " ".repeat(displayWidth(safe(cut.text.slice(0, cut.offset))));
  const margin = `${" ".repeat(gutter.length)} | ${before}`;
  return lines([
    { indent: 0, spans: [inked("dim", `${gutter} | `), cut.text], fixed: true },
    { indent: 0, spans: [inked("dim", margin), inked("alarm", carets)], fixed: true },
  ]);
}

function excerptAround(line: string, offset: number): { readonly text: string; readonly offset: number } {
  if (line.length <= maxExcerptWidth) return { text: line, offset: Math.min(Math.max(0, offset), line.length) };
  const start = Math.max(0, Math.min(offset - maxExcerptLead, line.length - maxExcerptWidth));
  const head = start === 0 ? "" : "…";
  const tail = start + maxExcerptWidth < line.length ? "…" : "";
  const text = `${head}${line.slice(start, start + maxExcerptWidth)}${tail}`;
  return { text, offset: Math.min(offset - start + head.length, text.length) };
}

export function failureNotes(failure: Failure): readonly Paragraph[] {
  return [paragraph([failure.message]), ...callNotes(failure), ...hintNotes(failure.hint)];
}

function callNotes({ message, request, status, serviceSays }: Problem | Failure): readonly Paragraph[] {
  const isSaid = status === undefined || message.includes(String(status));
  const answer = isSaid ? [] : phrase` (status ${status})`;
  return [
    ...(request === undefined ? [] : [paragraph(phrase`request: ${request}${answer}`)]),
    ...(serviceSays === undefined ? [] : [paragraph(phrase`the service says: ${quote(serviceSays)}`)]),
  ];
}

function hintNotes(hint: string | undefined): readonly Paragraph[] {
  return hint === undefined ? [] : [paragraph([...words("hint: "), hint])];
}

export function formatFailure({ message, serviceSays, hint }: Problem | Failure): string {
  return joinSentences(serviceSays === undefined ? message : `${message}: ${serviceSays}`, hint);
}

export function joinSentences(...texts: readonly (string | undefined)[]): string {
  return texts
    .flatMap((text) => (text === undefined || text === "" ? [] : [/[.!?…]$/u.test(text) ? text : `${text}.`]))
    .join(" ");
}
