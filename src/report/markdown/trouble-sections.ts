import { formatPlace } from "../../model/fact.ts";
import { stopNames } from "../../model/policy.ts";
import type { Diagnostic } from "../../model/result.ts";
import { type CommandOutcome, type Problem, plain } from "../outcome.ts";
import { excerptLines } from "../text/excerpt.ts";
import { renderLines } from "../text/lines.ts";
import type { Section } from "./document.ts";
import { code, fenced, prose } from "./safe-markdown.ts";

/** What ended the command, the guards that refuse its plan, and what is wrong with the roster, the settings or the command line. */
export function problemSections({ problem, diagnostics, command }: CommandOutcome): readonly Section[] {
  const byGuards = problem?.code === "guard" ? diagnostics.filter(isGuardDiagnostic) : [];
  const others = diagnostics.filter((diagnostic) => !byGuards.includes(diagnostic));
  const errors = others.filter(({ severity }) => severity === "error");
  const warnings = others.filter(({ severity }) => severity === "warning");
  return [
    ...(problem === undefined ? [] : [problemSection(problem, byGuards, command)]),
    diagnosticSection("Errors", errors, { rank: 2, is: "open" }),
    diagnosticSection("Warnings", warnings, { rank: 65, is: "folded" }),
  ].filter(({ rows, before }) => rows.length + before.length > 0);
}

function isGuardDiagnostic({ code: name }: Diagnostic): boolean {
  return stopNames.some((stop) => stop === name);
}

function problemSection(problem: Problem, byGuards: readonly Diagnostic[], command: string): Section {
  const { message, request, status, serviceSays, hint, allow = [], code: name } = problem;
  const answer = status === undefined ? "" : `, answered with ${code(`${status}`)}`;
  const words = allow.map((word) => `--allow ${word}`).join(" ");
  return {
    title: byGuards.length === 0 ? "What ended it" : "Refused by guards",
    is: "open",
    before: [`${code(name)}: ${prose(message)}`],
    rows: [
      ...byGuards.map((guard) => `- **${code(guard.code)}**: ${prose(guard.message)}`),
      ...(request === undefined ? [] : [`- Request: ${code(request)}${answer}`]),
      ...(serviceSays === undefined ? [] : [`- The service says: ${code(serviceSays, 300)}`]),
      ...(hint === undefined ? [] : [`- What to do: ${prose(hint)}`]),
      ...(words === ""
        ? []
        : [`- Whoever has read the plan and wants it all the same says ${code(`roster ${command} … ${words}`, 400)}`]),
    ],
    rank: 1,
    more: (count) => `… and ${count} more`,
    between: "nothing",
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
    before: [],
    rows: diagnostics.map(diagnosticBlock),
    rank,
    more: (count) => `… and ${count} more: ${code("roster validate")} tells them all`,
    between: "a-line",
  };
}

/** A list item: where and what, the line itself, and what to do. */
function diagnosticBlock({ code: name, message, hint, place, excerpt }: Diagnostic): string {
  const where = place === undefined ? "" : `${code(formatPlace(place))} `;
  const lines = place === undefined || excerpt === undefined ? [] : excerptLines(place, excerpt);
  const shown = lines.length === 0 ? [] : [fenced(renderLines(lines, plain), { language: "text", indent: 2 })];
  return [
    `- ${where}${code(name)}: ${prose(message)}`,
    ...shown,
    ...(hint === undefined ? [] : [`  What to do: ${prose(hint)}`]),
  ].join("\n\n");
}
