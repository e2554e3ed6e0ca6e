import { countOutcomes } from "../../journal/run-summary.ts";
import { configPart } from "../config/config-json.ts";
import { driftLineParts } from "../drift/drift-json.ts";
import { remaining } from "../drift/drift-told.ts";
import { exitCodeWords } from "../exit-code-words.ts";
import { formattingPart } from "../fmt/formatting-told.ts";
import { diagnosticPart, examinationPart, readingPart } from "../json.ts";
import type { CommandOutcome, Rendered, RenderOptions } from "../outcome.ts";
import { planFilePart } from "../plan-file-told.ts";
import { type JsonPart, summaryPart } from "../plan-json.ts";
import { errorPart } from "../run-json.ts";
import { statePart } from "../state/state-json.ts";
import { renderTroubles } from "../text-troubles.ts";
import { lineOf, plannedParts, versionPart } from "./line.ts";

/**
 * One JSON value a line: what was not told in lines while it happened, and last the summary. Described by
 * `schemas/events.schema.json`.
 */
export function ndjsonFormat(outcome: CommandOutcome, options: RenderOptions): Rendered {
  return { stdout: partsOf(outcome, options).map(lineOf).join(""), stderr: renderTroubles(outcome, options.paint) };
}

function partsOf(outcome: CommandOutcome, { told, version }: RenderOptions): readonly JsonPart[] {
  const { plan, drift } = outcome;
  return [
    ...(told === undefined ? [versionPart(outcome.command, version)] : []),
    ...(plan === undefined || told?.plan === plan.id ? [] : plannedParts(plan)),
    ...(drift === undefined ? [] : driftLineParts(drift)),
    ...restParts(outcome),
    ...outcome.diagnostics.map((diagnostic) => ({ type: "diagnostic", ...diagnosticPart(diagnostic) })),
    ...(outcome.problem === undefined ? [] : [{ type: "problem", ...errorPart(outcome.problem) }]),
    closingPart(outcome),
  ];
}

function restParts(outcome: CommandOutcome): readonly JsonPart[] {
  const { roster, reading, planFile, examination, state, config, formatting } = outcome;
  return [
    ...(roster === undefined ? [] : [{ type: "roster", ...roster }]),
    ...(reading === undefined ? [] : [{ type: "reading", ...readingPart(reading) }]),
    ...(planFile === undefined ? [] : [{ type: "plan_file", is: planFile.is, ...planFilePart(planFile) }]),
    ...(examination === undefined ? [] : [{ type: "examination", ...examinationPart(examination) }]),
    ...(state === undefined ? [] : [{ type: "state", ...statePart(state) }]),
    ...(config === undefined ? [] : [{ type: "config", ...configPart(config) }]),
    ...(formatting === undefined ? [] : [{ type: "formatting", ...formattingPart(formatting) }]),
  ];
}

function closingPart({ command, exitCode, plan, run, drift, diagnostics, problem }: CommandOutcome): JsonPart {
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  return {
    type: "summary",
    command,
    exit_code: exitCode,
    means: exitCodeWords(exitCode),
    plan_id: plan?.id,
    plan: plan && summaryPart(plan),
    run: run && {
      run: run.run,
      counts: countOutcomes(run),
      verified: run.verified?.result,
      ended: run.ended?.ended,
    },
    drift: drift && remaining(drift),
    errors,
    warnings: diagnostics.length - errors,
    problem: problem?.code,
  };
}
